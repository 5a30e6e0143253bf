import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Customer, CustomerCreate, CustomerUpdate } from "../../domain/commerce/Customer.ts"
import { Envelope, Idempotency, Management } from "./Middleware.ts"
import {
  bodyErrors,
  created,
  declare,
  deleteErrors,
  listErrors,
  listQuery,
  noContent,
  one,
  page,
  pathId,
  resourceErrors,
  uniqueErrors
} from "./Operation.ts"

export class Customers extends HttpApiGroup.make("customers").add(
  HttpApiEndpoint.get("listCustomers", "/api/v1/customers", {
    query: listQuery,
    success: page(Customer),
    error: listErrors
  }).pipe(declare({ scope: "admin", summary: "List customers, newest first" })),
  HttpApiEndpoint.post("createCustomer", "/api/v1/customers", {
    payload: CustomerCreate,
    success: created(Customer),
    error: [...bodyErrors, ...uniqueErrors]
  }).pipe(declare({ scope: "admin", summary: "Create a customer" })),
  HttpApiEndpoint.get("getCustomer", "/api/v1/customers/:id", {
    params: { id: pathId },
    success: one(Customer),
    error: resourceErrors
  }).pipe(declare({ scope: "admin", summary: "Read a customer" })),
  HttpApiEndpoint.patch("updateCustomer", "/api/v1/customers/:id", {
    params: { id: pathId },
    payload: CustomerUpdate,
    success: one(Customer),
    error: [...resourceErrors, ...bodyErrors, ...uniqueErrors]
  }).pipe(declare({
    scope: "admin",
    summary: "Change a customer",
    description: "An empty `email` clears it."
  })),
  HttpApiEndpoint.delete("deleteCustomer", "/api/v1/customers/:id", {
    params: { id: pathId },
    success: noContent,
    error: deleteErrors
  }).pipe(declare({
    scope: "admin",
    summary: "Delete a customer",
    description:
      "Refused with IN_USE while licenses, orders or subscriptions belong to it. Its custom field values go with it."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
