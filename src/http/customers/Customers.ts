import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/composition/Api.ts"
import { filtersOf, pageOf } from "../../api/ground/Parameters.ts"
import { warningsAboutSource } from "../../domain/customers/SourceInstant.ts"
import { Customers } from "../../services/customers/Customers.ts"
import { Orders } from "../../services/customers/Orders.ts"
import { Subscriptions } from "../../services/customers/Subscriptions.ts"
import { SubscriptionFollowing } from "../../services/licensing/licenses/SubscriptionFollowing.ts"
import { PortalLinks } from "../../services/portal/PortalLinks.ts"
import { one, writtenPage } from "../ground/edge/Reply.ts"

export const commerceLayer = HttpApiBuilder.group(
  Api,
  "commerce",
  Effect.fn(function*(handlers) {
    const subscriptions = yield* Subscriptions
    const following = yield* SubscriptionFollowing
    const orders = yield* Orders
    return handlers.handleAll({
      listProductSubscriptions: ({ params, query }) =>
        writtenPage(subscriptions.list(params.id, filtersOf(query), pageOf(query))),
      createSubscription: ({ params, payload }) => one(subscriptions.create(params.id, payload)),
      getSubscription: ({ params }) => one(subscriptions.get(params.id)),
      updateSubscription: ({ params, payload }) =>
        one(following.update(params.id, payload), (left) => warningsAboutSource(payload, left)),
      putSubscription: ({ params, payload }) =>
        one(
          following.put(params.id, { external_system: params.system, external_id: params.external_id }, payload),
          (left) => warningsAboutSource(payload, left)
        ),
      deleteSubscription: ({ params }) => subscriptions.remove(params.id),
      listProductOrders: ({ params, query }) => writtenPage(orders.list(params.id, filtersOf(query), pageOf(query))),
      createOrder: ({ params, payload }) => one(orders.create(params.id, payload)),
      getOrder: ({ params }) => one(orders.get(params.id)),
      updateOrder: ({ params, payload }) =>
        one(orders.update(params.id, payload), (left) => warningsAboutSource(payload, left)),
      putOrder: ({ params, payload }) =>
        one(
          orders.put(params.id, { external_system: params.system, external_id: params.external_id }, payload),
          (left) => warningsAboutSource(payload, left)
        ),
      deleteOrder: ({ params }) => orders.remove(params.id)
    })
  })
)

export const customersLayer = HttpApiBuilder.group(
  Api,
  "customers",
  Effect.fn(function*(handlers) {
    const customers = yield* Customers
    const links = yield* PortalLinks
    return handlers.handleAll({
      listCustomers: ({ query }) => writtenPage(customers.list(filtersOf(query), pageOf(query))),
      createCustomer: ({ payload }) => one(customers.create(payload)),
      getCustomer: ({ params }) => one(customers.get(params.id)),
      updateCustomer: ({ params, payload }) => one(customers.update(params.id, payload)),
      putCustomer: ({ params, payload }) =>
        one(customers.put({ external_system: params.system, external_id: params.external_id }, payload)),
      createPortalLink: ({ params, payload }) => one(links.create(params.id, payload)),
      deleteCustomer: ({ params }) => customers.remove(params.id)
    })
  })
)
