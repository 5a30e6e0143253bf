import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { pageLimit } from "../../domain/wire/Page.ts"
import { Events } from "../../services/events/Events.ts"
import { Checkpoints } from "../../services/transparency/Checkpoints.ts"
import { EventProofs } from "../../services/transparency/EventProofs.ts"
import { one, page } from "../answers/Reply.ts"
import { Api } from "../api/Api.ts"

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
      getEventProof: ({ params, query }) => one(proofs.inclusion(params.id, query.size))
    })
  })
)
