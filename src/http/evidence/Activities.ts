import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Activities } from "../../services/evidence/audit/Activities.ts"
import { one, page, writtenPage } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { pageOf } from "../../api/ground/Parameters.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "activities",
  Effect.fn(function*(handlers) {
    const activities = yield* Activities
    return handlers.handleAll({
      listActivities: (
        { query: { cursor: _cursor, include_changes, include_names, limit: _limit, ...filters }, query }
      ) => {
        const details = { changes: include_changes === "true", names: include_names === "true" }
        return details.changes || details.names
          ? page(activities.listDetailed(filters, pageOf(query), details))
          : writtenPage(activities.list(filters, pageOf(query)))
      },
      getActivity: ({ params }) => one(activities.get(params.id))
    })
  })
)
