import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Activities } from "../../services/Activities.ts"
import { Api } from "../api/Api.ts"
import { pageOf } from "../api/Operation.ts"
import { page } from "../Reply.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "activities",
  Effect.fn(function*(handlers) {
    const activities = yield* Activities
    return handlers.handleAll({
      listActivities: ({ query: { cursor: _cursor, limit: _limit, ...filters }, query }) =>
        page(activities.list(filters, pageOf(query)))
    })
  })
)
