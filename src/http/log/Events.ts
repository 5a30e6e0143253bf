import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/composition/Api.ts"
import { pageLimit } from "../../domain/ground/wire/Page.ts"
import { Checkpoints } from "../../services/evidence/transparency/Checkpoints.ts"
import { EventProofs } from "../../services/evidence/transparency/EventProofs.ts"
import { EventTiles } from "../../services/evidence/transparency/EventTiles.ts"
import { Events } from "../../services/log/Events.ts"
import { one, page } from "../ground/edge/Reply.ts"

/**
 * A part of the log never changes, so who has it never asks again (RFC 8246). It was shown to a token, which also says of which
 * environment the log is: no cache that others share keeps it, and none gives it to another token.
 */
const immutable = { "cache-control": "private, max-age=31536000, immutable", vary: "Authorization" }

const octets = <E, R>(bytes: Effect.Effect<Uint8Array, E, R>) =>
  Effect.map(
    bytes,
    (bytes) => HttpServerResponse.uint8Array(bytes, { contentType: "application/octet-stream", headers: immutable })
  )

export const layer = HttpApiBuilder.group(
  Api,
  "events",
  Effect.fn(function*(handlers) {
    const checkpoints = yield* Checkpoints
    const events = yield* Events
    const proofs = yield* EventProofs
    const tiles = yield* EventTiles
    return handlers.handleAll({
      listEvents: ({ query: { limit = pageLimit.default, order = "asc", ...query } }) =>
        page(events.list({ cursor: undefined, ...query, limit, order })),
      listEventEpochs: () => one(checkpoints.epochs),
      getEventCheckpoint: ({ query }) =>
        one(
          query.cosigned === "true"
            ? checkpoints.cosigned(query.size)
            : query.size === undefined
            ? checkpoints.latest
            : checkpoints.covering(query.size)
        ),
      getEventConsistency: ({ query }) => one(proofs.consistency(query.from, query.to)),
      getEventChain: ({ query: { limit = pageLimit.default, ...query } }) =>
        one(proofs.ofLicense({ cursor: undefined, size: undefined, ...query, limit })),
      getEventProof: ({ params, query }) => one(proofs.inclusion(params.id, query.size)),
      getEventLogCheckpoint: ({ params }) =>
        Effect.map(
          tiles.checkpoint(params.epoch),
          (note) => HttpServerResponse.text(note, { contentType: "text/plain; charset=utf-8" })
        ),
      getEventLogEntries: ({ params }) => octets(tiles.entries(params.epoch, params.tile)),
      getEventLogTile: ({ params }) => octets(tiles.tile(params.epoch, params.level, params.tile))
    })
  })
)
