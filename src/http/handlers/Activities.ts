import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Activities } from "../../services/audit/Activities.ts"
import { writtenPage } from "../answers/Reply.ts"
import { Api } from "../api/Api.ts"
import { pageOf } from "../api/Parameters.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "activities",
  Effect.fn(function*(handlers) {
    const activities = yield* Activities
    return handlers.handleAll({
      listActivities: ({ query: { cursor: _cursor, limit: _limit, ...filters }, query }) =>
        writtenPage(activities.list(filters, pageOf(query)))
    })
  })
)
