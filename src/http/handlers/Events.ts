import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { pageLimit } from "../../domain/Page.ts"
import { Checkpoints } from "../../services/Checkpoints.ts"
import { EventProofs } from "../../services/EventProofs.ts"
import { Events } from "../../services/Events.ts"
import { Api } from "../api/Api.ts"
import { one, page } from "../Reply.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "events",
  Effect.fn(function*(handlers) {
    const checkpoints = yield* Checkpoints
    const events = yield* Events
    const proofs = yield* EventProofs
    return handlers.handleAll({
      listEvents: ({ query: { limit = pageLimit.default, order = "asc", ...query } }) =>
        page(events.list({ cursor: undefined, ...query, limit, order })),
      listEventEpochs: () => one(checkpoints.epochs),
      getEventCheckpoint: ({ query }) =>
        one(query.size === undefined ? checkpoints.latest : checkpoints.covering(query.size)),
      getEventConsistency: ({ query }) => one(proofs.consistency(query.from, query.to)),
      getEventProof: ({ params, query }) => one(proofs.inclusion(params.id, query.size))
    })
  })
)
