import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Policies } from "../../services/catalog/Policies.ts"
import { one, page } from "../answers/Reply.ts"
import { Api } from "../api/Api.ts"
import { pageOf } from "../api/Operation.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "policies",
  Effect.fn(function*(handlers) {
    const policies = yield* Policies
    return handlers.handleAll({
      listPoliciesByProduct: ({ params, query }) => page(policies.list(params.id, pageOf(query))),
      createPolicy: ({ params, payload }) => one(policies.create(params.id, payload)),
      getPolicy: ({ params }) => one(policies.get(params.id)),
      updatePolicy: ({ params, payload }) => one(policies.update(params.id, payload)),
      deletePolicy: ({ params }) => policies.remove(params.id)
    })
  })
)
