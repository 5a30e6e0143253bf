import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { BillingConnections } from "../../services/billing/BillingConnections.ts"
import { Purchases } from "../../services/purchases/Purchases.ts"
import { one, page } from "../answers/Reply.ts"
import { Api } from "../api/Api.ts"
import { filtersOf, pageOf } from "../api/Parameters.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "billing",
  Effect.fn(function*(handlers) {
    const connections = yield* BillingConnections
    const purchases = yield* Purchases
    return handlers.handleAll({
      listBillingConnections: ({ query }) => page(connections.list(pageOf(query))),
      createBillingConnection: ({ payload }) => one(connections.create(payload)),
      getBillingConnection: ({ params }) => one(connections.get(params.id)),
      updateBillingConnection: ({ params, payload }) => one(connections.update(params.id, payload)),
      deleteBillingConnection: ({ params }) => connections.remove(params.id),
      listPurchases: ({ query }) => page(purchases.list(filtersOf(query), pageOf(query))),
      getPurchase: ({ params }) => one(purchases.get(params.id)),
      retryPurchase: ({ params }) => one(purchases.retry(params.id)),
      listUnmappedPrices: () => one(purchases.unmapped)
    })
  })
)
