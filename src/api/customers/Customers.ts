import { Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { runningCustomerFilters } from "../../domain/catalog/ProductVersion.ts"
import { externalFilters } from "../../domain/customers/BillingFields.ts"
import {
  Customer,
  CustomerCreate,
  CustomerOrder,
  CustomerPut,
  CustomerUpdate
} from "../../domain/customers/Customer.ts"
import { PortalLink, PortalLinkCreate } from "../../domain/customers/PortalLink.ts"
import {
  ApprovalRequired,
  Conflict,
  NotFound,
  PreconditionFailed,
  StateConflict
} from "../../domain/ground/wire/Errors.ts"
import { Code, Email, filterBy, optional, text } from "../../domain/ground/wire/Fields.ts"
import * as Id from "../../domain/ground/wire/Id.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { countedQuery, externalPath, orderOf, pathId, SearchText } from "../ground/Parameters.ts"
import { bodyErrors, crud, one } from "../ground/Responses.ts"

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
    query: {
      ...countedQuery,
      order: orderOf(
        CustomerOrder,
        "By the name, where upper and lower case and accents are alike: `name_asc` and `name_desc`."
      ),
      email: optional(
        filterBy(Email, 320),
        "Only customers with this email address; not case-sensitive. In a URL, write its `+` as `%2B`, as clients do.",
        "ada@example.com"
      ),
      name: optional(text(1, 255), "Only customers whose name starts with this; not case-sensitive.", "Ada"),
      code: optional(filterBy(Code, 128), "Only the customer with this code.", "ada-lovelace"),
      ...externalFilters,
      parent_id: optional(Id.filter("cus"), "Only customers that belong to this one.", Id.exampleOf("cus")),
      ...runningCustomerFilters,
      q: optional(
        SearchText,
        "The ID, the code or the ID in a billing system; the start of the name or email address, or of words of " +
          "theirs in any order, where letters with and without accents are alike; or a text in the metadata.",
        "ada"
      )
    },
    scopes: { read: "customer:read", write: "customer:write" },
    action: "customer",
    inUse: ["delete"],
    namesOther: true,
    filtersOther: true,
    documents: {
      list: {
        summary: "List customers",
        description:
          "All customers that match the filters, newest first unless `order` is set. `product_id`, `app_version` and " +
          "`os` need `license:read`, too; with several of them, one license and one device fit them all."
      },
      create: {
        summary: "Create a customer",
        description:
          "Someone you sell to. `code` is unique among customers. A customer may belong to another, its `parent_id`, as a " +
          "company does to its group: its licenses share the pools of all customers above it, at most 4."
      },
      get: { summary: "Read a customer", description: "One customer by its ID." },
      update: {
        summary: "Change a customer",
        description:
          "Omitted fields stay as they are. An empty `email` clears it, and `null` the `parent_id`. With another parent, uses " +
          "that were counted stay as they are, and further ones take of the pools of that one. A customer that belongs to this " +
          "one cannot be its parent."
      },
      delete: {
        summary: "Delete a customer",
        description:
          "Refused with IN_USE while licenses, orders, subscriptions or other customers belong to the customer. Its custom field " +
          "values are deleted with it."
      }
    }
  }),
  HttpApiEndpoint.post("createPortalLink", "/api/v1/customers/:id/portal-links", {
    params: { id: pathId },
    payload: PortalLinkCreate,
    success: one(PortalLink),
    error: [NotFound, ...bodyErrors, StateConflict]
  }).pipe(declare({
    scope: "customer:write",
    products: "refused",
    action: "customer.portal_link_created",
    summary: "Send a portal link",
    description: "A link by which the customer signs in to the portal, once, within 15 minutes: it is mailed, or " +
      "with `delivery: response` in the response to this request. A link before it to the same address ends. Refused while the portal is off, or " +
      "mails are, and for a customer without an email address."
  })),
  HttpApiEndpoint.put("putCustomer", "/api/v1/customers-by-external-id/:system/:external_id", {
    params: Struct.pick(externalPath, ["system", "external_id"]),
    payload: CustomerPut,
    success: one(Customer),
    error: [NotFound, ...bodyErrors, Conflict, PreconditionFailed, ApprovalRequired]
  }).pipe(declare({
    scope: "customer:write",
    products: "refused",
    action: "customer.updated",
    summary: "Put a customer",
    description:
      "Creates the customer that the path names, or changes it. Several requests at once make one customer. A " +
      "person who needs a second one for another address of a customer with licenses asks for `updateCustomer`."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
