import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Balances } from "../../services/licensing/metering/Balances.ts"
import { Pools } from "../../services/licensing/metering/Pools.ts"
import { one, page } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { pageOf } from "../../api/ground/Parameters.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "customer-pools",
  Effect.fn(function*(handlers) {
    const balances = yield* Balances
    const pools = yield* Pools
    return handlers.handleAll({
      listCustomerBalances: ({ params, query }) => page(balances.list(params.id, query, pageOf(query))),
      listCustomerPools: ({ params, query }) => page(pools.list(params.id, pageOf(query))),
      createCustomerPool: ({ params, payload }) => one(pools.give(params.id, payload)),
      getCustomerPool: ({ params }) => one(pools.get(params.id, params.pool_id)),
      revokeCustomerPool: ({ params }) => one(pools.revoke(params.id, params.pool_id))
    })
  })
)
