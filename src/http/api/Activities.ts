import { Effect, Schema, SchemaGetter, SchemaIssue } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  Activity,
  ActivityAction,
  activityDays,
  ActivityResult,
  ActivitySource,
  maximumRefusals,
  refusalDays
} from "../../domain/audit/Activity.ts"
import { usageFilters, windowFilters } from "../../domain/reports/Report.ts"
import { documentedAs, filterBy, optional, RequestId } from "../../domain/wire/Fields.ts"
import * as Id from "../../domain/wire/Id.ts"
import { Envelope, Management } from "./Middleware.ts"
import { declare, listErrors, page } from "./Operation.ts"
import { listQuery } from "./Parameters.ts"

/** A status code as a filter. */
const Status = Schema.String.annotate(documentedAs({ type: "integer", minimum: 100, maximum: 599 })).pipe(
  Schema.decodeTo(Schema.Int, {
    decode: SchemaGetter.transformEffect((input: string) =>
      /^[1-5]\d\d$/.test(input)
        ? Effect.succeed(Number(input))
        : Effect.fail(
          new SchemaIssue.InvalidValue({ message: "must be an HTTP status, a whole number from 100 to 599" })
        )
    ),
    encode: SchemaGetter.transform((value: number) => String(value))
  })
)

export class Activities extends HttpApiGroup.make("activities").add(
  HttpApiEndpoint.get("listActivities", "/api/v1/activities", {
    query: {
      ...listQuery,
      ...windowFilters,
      action: optional(ActivityAction, "Only entries of this action."),
      source: optional(ActivitySource, "Only entries from this source."),
      ...usageFilters,
      request_id: optional(filterBy(RequestId, 128), "Only entries of this request.", Id.exampleOf("req")),
      result_class: optional(ActivityResult, "Only entries with this result."),
      status_code: optional(Status, "Only entries with this HTTP status.", 403)
    },
    success: page(Activity),
    error: listErrors
  }).pipe(declare({
    scope: "report:read",
    products: "narrowed",
    summary: "List activities",
    description: "What happened and what was refused, newest first. " +
      "For people and reporting: who did what to which license, when, and with what outcome. What happened is also " +
      "an " +
      "event of the audit-backed feed; what was refused is only here. The window is [from, to), by default all that " +
      `is kept: ${activityDays} days unless it is configured otherwise, of refusals ${refusalDays} days and at most ${maximumRefusals}. A refusal shows ` +
      "after a second; when there are more than 1,000 in a second, or 50 of one caller, the rest is only counted in " +
      "the metric `countersign_refusals_dropped`. A validate or check that is granted is no activity."
  }))
).middleware(Management).middleware(Envelope) {}
