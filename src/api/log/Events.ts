import { Effect, Schema, SchemaGetter, SchemaIssue } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import {
  Checkpoint,
  ConsistencyProof,
  exampleNote,
  InclusionProof,
  LicenseEvents
} from "../../domain/evidence/transparency/Checkpoint.ts"
import { CursorAhead, CursorBehind, InvalidQuery, StateConflict } from "../../domain/ground/wire/Errors.ts"
import { documentedAs, field, optional } from "../../domain/ground/wire/Fields.ts"
import * as Id from "../../domain/ground/wire/Id.ts"
import { Event } from "../../domain/log/Event.ts"
import { AuditActorType, EventTypeFilter, ResourceTypeFilter } from "../../domain/log/EventKind.ts"
import { LogEpoch } from "../../domain/log/LogEpoch.ts"
import { Envelope, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { listQuery, pathId, YesOrNo } from "../ground/Parameters.ts"
import { all, listErrors, one, page, resourceErrors } from "../ground/Responses.ts"

/** A position in the feed: a sequence number, extended by the epoch in later epochs of the log (see `cursorOf`). */
const Position = Schema.String.annotate(documentedAs({
  type: "integer",
  format: "int64",
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER
})).pipe(
  Schema.decodeTo(Schema.Int, {
    decode: SchemaGetter.transformEffect((input: string) =>
      /^\d{1,16}$/.test(input) && Number.isSafeInteger(Number(input))
        ? Effect.succeed(Number(input))
        : Effect.fail(new SchemaIssue.InvalidValue({ message: "must be a position of the feed" }))
    ),
    encode: SchemaGetter.transform((value: number) => String(value))
  })
)

/** A tree size in leaves, which is also the sequence of the last event in the tree. */
const TreeSize = Schema.String.annotate(documentedAs({
  type: "integer",
  format: "int64",
  minimum: 1,
  maximum: 999_999_999_999_999
})).pipe(
  Schema.decodeTo(Schema.Int, {
    decode: SchemaGetter.transformEffect((input: string) =>
      /^[1-9]\d{0,14}$/.test(input)
        ? Effect.succeed(Number(input))
        : Effect.fail(
          new SchemaIssue.InvalidValue({ message: "must be a tree size, a whole number from 1 to 999999999999999" })
        )
    ),
    encode: SchemaGetter.transform((value: number) => String(value))
  })
)

const size = optional(
  TreeSize,
  "The size of the tree, which is the `sequence` of its last event. Default: that of the latest checkpoint.",
  42
)

/** The bytes of a part of the log. */
const octets = HttpApiSchema.StreamUint8Array({ contentType: "application/octet-stream" })

export class Events extends HttpApiGroup.make("events").add(
  HttpApiEndpoint.get("listEvents", "/api/v1/events", {
    query: {
      ...listQuery,
      cursor: optional(
        Position,
        "`next_cursor` of the previous page, or the last `sequence` that you have. Omit to start at the " +
          "beginning of the feed.",
        42
      ),
      order: optional(
        Schema.Literals(["asc", "desc"]),
        "`asc`, the default, starts with the oldest event; `desc` with the newest.",
        "asc"
      ),
      event_type: optional(EventTypeFilter, "Only events of this type or of this family, such as `license.*`."),
      resource_type: optional(ResourceTypeFilter, "Only events of resources of this type.", "license"),
      resource_id: optional(Id.anyFilter, "Only events of the resource with this ID.", Id.exampleOf("lic")),
      actor_type: optional(AuditActorType, "Only events by this kind of actor."),
      license_id: optional(
        Id.filter("lic"),
        "Only events about this license: of the license, and of its devices, floating seats, notes and files as far as they name it " +
          "in `license_id`.",
        Id.exampleOf("lic")
      )
    },
    success: page(Event),
    error: [...listErrors, CursorAhead, CursorBehind]
  }).pipe(declare({
    scope: "event:read",
    products: "narrowed",
    summary: "Read the event feed",
    description:
      "All events, oldest first. For polling, pass `next_cursor` as `cursor`. In ascending order there always " +
      "is one, even on an empty page: on the last page it is the head of the feed, so a reader with filters " +
      "keeps up. `event_type` takes a type or a family such as `license.*`; other values are INVALID_QUERY. " +
      "`order=desc` returns the newest first. The feed has no gaps, is in commit-visible order, and is " +
      "chained by hash. CURSOR_AHEAD: the log was restored to a state before the cursor; `detail` has the " +
      "cursor to continue from. CURSOR_BEHIND: the events at the cursor were archived and dropped; `detail` " +
      "has the start of the feed. Without a cursor, the feed is read from its start."
  })),
  HttpApiEndpoint.get("listEventEpochs", "/api/v1/events/epochs", {
    success: all(LogEpoch),
    error: []
  }).pipe(declare({
    scope: "event:read",
    products: "open",
    summary: "List log epochs",
    description:
      "The epochs of the event log, the first one first. A log that is restored to an earlier state begins a " +
      "new epoch, in which it gives sequences a second time. The epoch is part of the origin of checkpoints, " +
      "of cursors, and a header of deliveries."
  })),
  HttpApiEndpoint.get("getEventCheckpoint", "/api/v1/events/checkpoint", {
    query: {
      size,
      cosigned: optional(
        YesOrNo,
        "`true`: only checkpoints that enough of the service's witnesses have signed. Default: `false`.",
        true
      )
    },
    success: one(Checkpoint),
    error: [InvalidQuery, ...resourceErrors]
  }).pipe(declare({
    scope: "event:read",
    products: "open",
    summary: "Read a checkpoint",
    description: "The latest signed checkpoint of the feed, or the first one of at least a size. " +
      "A checkpoint is the root of the RFC 6962 Merkle tree over the events, signed about a second after new ones. " +
      "With `size`, the first checkpoint that covers the event with this sequence; NOT_FOUND until there is one. " +
      "With `cosigned=true`, one that enough witnesses have signed (`COUNTERSIGN_WITNESS_QUORUM`); `cosigned_tree_size` " +
      "says which events that covers."
  })),
  HttpApiEndpoint.get("getEventConsistency", "/api/v1/events/consistency", {
    query: {
      from: field(TreeSize, "The smaller tree size.", 41),
      to: optional(TreeSize, "The larger tree size. Default: that of the latest checkpoint.", 42)
    },
    success: one(ConsistencyProof),
    error: [InvalidQuery, ...resourceErrors]
  }).pipe(declare({
    scope: "event:read",
    products: "open",
    summary: "Prove consistency",
    description: "Proves that the feed of one size begins the feed of another. " +
      "An RFC 6962 consistency proof from the tree of `from` events to that of `to`, by default of the " +
      "latest checkpoint: nothing that was signed before was changed, taken out or put in."
  })),
  HttpApiEndpoint.get("getEventChain", "/api/v1/events/chain", {
    query: {
      license_id: field(Id.filter("lic"), "The license.", Id.exampleOf("lic")),
      limit: listQuery.limit,
      cursor: optional(Position, "`next_cursor` of the previous page. Omit to start at the beginning.", 42),
      size: optional(
        TreeSize,
        "Prove the events in the first checkpoint that covers so many: with `tree_size` of the first page, all pages are proven in " +
          "one. Default: the latest checkpoint.",
        42
      )
    },
    success: one(LicenseEvents),
    error: [InvalidQuery, CursorAhead, CursorBehind, ...resourceErrors]
  }).pipe(declare({
    scope: "event:read",
    products: "narrowed",
    summary: "Read a license's chain",
    description: "The events about one license, each with its RFC 6962 audit path to one checkpoint. " +
      "Each names the previous event of the license in `previous_of_license`, so that what was removed, moved, changed or doubled " +
      "shows without the other events: `verifyLicenseChain` of `@countersign/client/verify` does so. NOT_FOUND: no event is about the license, or there is no such checkpoint yet."
  })),
  HttpApiEndpoint.get("getEventProof", "/api/v1/events/:id/proof", {
    params: { id: pathId },
    query: { size },
    success: one(InclusionProof),
    error: [InvalidQuery, StateConflict, ...resourceErrors]
  }).pipe(declare({
    scope: "event:read",
    products: "narrowed",
    summary: "Prove an event",
    description:
      "Proves that an event is in the feed. The proof is an RFC 6962 audit path from the leaf of the event to " +
      "the root of the tree of `size` events. Default: the tree of the latest checkpoint. STATE_CONFLICT: no " +
      "checkpoint covers the event yet; try again in a second."
  })),
  HttpApiEndpoint.get("getEventLogCheckpoint", "/api/v1/log/:epoch/checkpoint", {
    params: { epoch: pathId },
    success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/plain; charset=utf-8" })),
    error: resourceErrors
  }).pipe(declare({
    scope: "event:read",
    products: "open",
    summary: "Read the log checkpoint",
    example: exampleNote,
    description:
      "The note of the newest checkpoint, as monitors read it by C2SP tlog-tiles. The prefix of the log is " +
      "`/api/v1/log/{epoch}`. NOT_FOUND: the log is in another epoch, or " +
      "has no checkpoint yet."
  })),
  HttpApiEndpoint.get("getEventLogEntries", "/api/v1/log/:epoch/tile/entries/:tile", {
    params: { epoch: pathId, tile: pathId },
    success: octets,
    error: resourceErrors
  }).pipe(declare({
    scope: "event:read",
    products: "refused",
    summary: "Read log entries",
    description:
      "The leaves under a tile of level 0, as C2SP tlog-tiles has them: each is its length as a big-endian uint16, and " +
      "the bytes that are hashed. 256 of them, or the first `W` of a bundle that is named `.p/<W>`. It never changes. NOT_FOUND: " +
      "the newest checkpoint does not cover it, the log is in another epoch, events of it were archived and dropped, or one " +
      "has more than 65,535 bytes; `detail` says which."
  })),
  HttpApiEndpoint.get("getEventLogTile", "/api/v1/log/:epoch/tile/:level/:tile", {
    params: { epoch: pathId, level: pathId, tile: pathId },
    success: octets,
    error: resourceErrors
  }).pipe(declare({
    scope: "event:read",
    products: "open",
    summary: "Read a log tile",
    description:
      "The hashes of a tile of the Merkle tree, as C2SP tlog-tiles has them: 256 of 32 bytes each, or the first `W` of a tile " +
      "that is named `.p/<W>`. It never changes. NOT_FOUND: the newest checkpoint does not cover it, the log is in another epoch, or " +
      "all events under it were archived and dropped; `detail` says which."
  }))
).middleware(Management).middleware(Envelope) {}
