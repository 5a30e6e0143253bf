import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { IdempotencyConflict, StateConflict } from "../../domain/ground/wire/Errors.ts"
import { Code, filterBy, optional } from "../../domain/ground/wire/Fields.ts"
import { Pool, PoolCreate } from "../../domain/licensing/grants/Pool.ts"
import { LicenseBalance } from "../../domain/licensing/metering/CustomerBalance.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { createdQuery, listQuery, pathId } from "../ground/Parameters.ts"
import { bodyErrors, created, listErrors, one, page, resourceErrors } from "../ground/Responses.ts"

const params = { id: pathId, pool_id: pathId }

/** Units that the licenses of a customer share. */
export class Pools extends HttpApiGroup.make("customer-pools").add(
  HttpApiEndpoint.get("listCustomerBalances", "/api/v1/customers/:id/balances", {
    params: { id: pathId },
    query: {
      ...listQuery,
      feature_code: optional(filterBy(Code, 64), "Only balances of features with this code.", "export-pdf")
    },
    success: page(LicenseBalance),
    error: [...resourceErrors, ...listErrors]
  }).pipe(declare({
    scope: "license:read",
    products: { of: "customer" },
    summary: "List a customer's balances",
    description:
      "The remaining units of each license of a customer, by feature, of its quota, its grants, and the pools that it shares: those of the " +
      "customer and of those above it. The newest license is first. The balances of a page are of one time. The units of a pool are left for " +
      "all that share it: add it up once, by its ID. A feature that a license does not have is no entry; one without a quota has `unlimited` " +
      "and no `remaining`. A key that is limited to products sees their licenses and features."
  })),
  HttpApiEndpoint.get("listCustomerPools", "/api/v1/customers/:id/pools", {
    params: { id: pathId },
    query: createdQuery,
    success: page(Pool),
    error: [...resourceErrors, ...listErrors]
  }).pipe(declare({
    scope: "license:read",
    products: { of: "customer" },
    summary: "List a customer's pools",
    description:
      "The pools of a customer, newest first unless `order` is set, with those that are used up, ended or revoked. A key that " +
      "is limited to products sees those of their features."
  })),
  HttpApiEndpoint.post("createCustomerPool", "/api/v1/customers/:id/pools", {
    params: { id: pathId },
    payload: PoolCreate,
    success: created(Pool),
    error: [...resourceErrors, ...bodyErrors, StateConflict, IdempotencyConflict]
  }).pipe(declare({
    scope: "license:write",
    products: { of: "customer" },
    action: "customer.pool_given",
    summary: "Give a customer units",
    consequence:
      "Licenses of the customer and of those below it with a quota of the feature can use the units from the next check.",
    description:
      "Gives units of a metered feature to a customer, for its licenses and those of customers below it. A license that has a " +
      "quota of the feature takes of them what its own quota and grants do not serve, before it goes over its quota. The pool " +
      "that ends soonest goes first; of those that end together, the one with the lower priority, then the oldest. `max_per_license` limits what one license takes. A license that is transferred " +
      "takes of the pools of its new customer. Repeating a `reference` returns the pool that is there, and with other terms it " +
      "is IDEMPOTENCY_CONFLICT. A customer has at most 100 open pools; more is STATE_CONFLICT."
  })),
  HttpApiEndpoint.get("getCustomerPool", "/api/v1/customers/:id/pools/:pool_id", {
    params,
    success: one(Pool),
    error: resourceErrors
  }).pipe(declare({
    scope: "license:read",
    products: { of: "customer" },
    summary: "Read a pool",
    description: "One pool of a customer, with how much of it is used and left."
  })),
  HttpApiEndpoint.post("revokeCustomerPool", "/api/v1/customers/:id/pools/:pool_id/revoke", {
    params,
    success: one(Pool),
    error: resourceErrors
  }).pipe(declare({
    scope: "license:write",
    products: { of: "customer" },
    action: "customer.pool_revoked",
    summary: "Revoke a pool",
    consequence: "The remaining units of the pool are gone, for each license of the customer.",
    risk: "final",
    description: "Ends a pool. Its remaining units are gone, and used units stay used. Repeating it succeeds."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
