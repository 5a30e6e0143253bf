import { Schema } from "effect"
import { HttpApiGroup } from "effect/http-api"
import { Customer, CustomerCreate, CustomerUpdate } from "../../domain/commerce/Customer.ts"
import { Code, Email, filterBy, text } from "../../domain/wire/Fields.ts"
import { crud } from "./Crud.ts"
import { Envelope, Idempotency, Management } from "./Middleware.ts"
import { SearchText } from "./Operation.ts"

export class Customers extends HttpApiGroup.make("customers").add(
  ...crud({
    noun: "Customer",
    list: "listCustomers",
    collection: "/api/v1/customers",
    products: {
      list: "narrowed",
      create: "narrowed",
      get: { of: "customer" },
      change: { of: "customer", whole: true }
    },
    item: "/api/v1/customers/:id",
    schema: Customer,
    create: CustomerCreate,
    update: CustomerUpdate,
    filters: {
      email: Schema.optionalKey(filterBy(Email, 320)),
      name: Schema.optionalKey(text(1, 255)),
      code: Schema.optionalKey(filterBy(Code, 128)),
      q: Schema.optionalKey(SearchText)
    },
    scopes: { read: "customer:read", write: "customer:write" },
    action: "customer",
    inUse: ["delete"],
    documents: {
      list: {
        summary: "List customers",
        description: "All customers that fit the filters, newest first unless `order` says otherwise."
      },
      create: { summary: "Create a customer", description: "Someone you sell to. `code` is unique among customers." },
      get: { summary: "Read a customer", description: "One customer by its id." },
      update: {
        summary: "Change a customer",
        description: "Members left out stay as they are. An empty `email` clears it."
      },
      delete: {
        summary: "Delete a customer",
        description:
          "Refused with IN_USE while licenses, orders or subscriptions belong to it. Its custom field values go " +
          "with it."
      }
    }
  })
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
