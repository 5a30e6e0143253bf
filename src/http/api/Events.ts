import { Effect, Schema, SchemaGetter, SchemaIssue } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Event } from "../../domain/Event.ts"
import { AuditActorType } from "../../domain/EventKind.ts"
import { text } from "../../domain/Fields.ts"
import { Envelope, Management } from "./Middleware.ts"
import { declare, listErrors, listQuery, page } from "./Operation.ts"

/** A position of the feed: a sequence number. */
const Position = Schema.String.pipe(
  Schema.decodeTo(Schema.Int, {
    decode: SchemaGetter.transformEffect((input: string) =>
      /^\d{1,15}$/.test(input)
        ? Effect.succeed(Number(input))
        : Effect.fail(new SchemaIssue.InvalidValue({ message: "must be a position of the feed" }))
    ),
    encode: SchemaGetter.transform((value: number) => String(value))
  })
)

const filter = Schema.optionalKey(text(1, 128))

export class Events extends HttpApiGroup.make("events").add(
  HttpApiEndpoint.get("listEvents", "/api/v1/events", {
    query: {
      ...listQuery,
      cursor: Schema.optionalKey(Position),
      order: Schema.optionalKey(Schema.Literals(["asc", "desc"])),
      event_type: filter,
      resource_type: filter,
      resource_id: filter,
      actor_type: Schema.optionalKey(AuditActorType)
    },
    success: page(Event),
    error: listErrors
  }).pipe(declare({
    scope: "event:read",
    summary: "Read the audit-backed event feed, oldest first",
    description:
      "For polling: pass `next_cursor` back as `cursor`; in ascending order there always is one, also on an " +
      "empty page. `order=desc` reads newest first. The feed is gapless, in commit-visible order, and chained by hash."
  }))
).middleware(Management).middleware(Envelope) {}
