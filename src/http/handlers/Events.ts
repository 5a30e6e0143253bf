import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { pageLimit } from "../../domain/Page.ts"
import { Events } from "../../services/Events.ts"
import { Api } from "../api/Api.ts"
import { page } from "../Reply.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "events",
  Effect.fn(function*(handlers) {
    const events = yield* Events
    return handlers.handleAll({
      listEvents: ({ query: { limit = pageLimit.default, order = "asc", ...query } }) =>
        page(events.list({ cursor: undefined, ...query, limit, order }))
    })
  })
)
