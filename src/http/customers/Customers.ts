import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Customers } from "../../services/customers/Customers.ts"
import { PortalLinks } from "../../services/portal/PortalLinks.ts"
import { one, writtenPage } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { filtersOf, pageOf } from "../../api/ground/Parameters.ts"

export const layer = HttpApiBuilder.group(
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
