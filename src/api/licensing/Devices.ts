import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { runningFilters } from "../../domain/catalog/ProductVersion.ts"
import { IdempotencyConflict, StateConflict } from "../../domain/ground/wire/Errors.ts"
import { Code, filterBy, optional, text } from "../../domain/ground/wire/Fields.ts"
import { Pool, PoolCreate } from "../../domain/licensing/grants/Grant.ts"
import { Device, DeviceSeatFree, DeviceStatus } from "../../domain/licensing/licenses/Device.ts"
import { LicenseBalance } from "../../domain/licensing/metering/CustomerBalance.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { changedQuery, createdQuery, listQuery, pathId } from "../ground/Parameters.ts"
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

const action = {
  params: { id: pathId, device_id: pathId },
  success: one(Device),
  error: [...resourceErrors, StateConflict]
}

export class Devices extends HttpApiGroup.make("devices").add(
  HttpApiEndpoint.get("listLicenseDevices", "/api/v1/licenses/:id/devices", {
    params: { id: pathId },
    query: {
      ...changedQuery,
      status: optional(DeviceStatus, "Only devices with this status.", "active"),
      q: optional(
        text(1, 255),
        "Only devices whose name, hostname, pod or fingerprint contains this text; not case-sensitive.",
        "MacBook"
      ),
      ...runningFilters
    },
    success: page(Device),
    error: [...resourceErrors, ...listErrors]
  }).pipe(
    declare({
      scope: "license:read",
      products: { of: "license" },
      summary: "List devices",
      description: "The devices of a license, newest first, those that gave their seat back included."
    })
  ),
  HttpApiEndpoint.get("getLicenseDevice", "/api/v1/licenses/:id/devices/:device_id", {
    params: { id: pathId, device_id: pathId },
    success: one(Device),
    error: resourceErrors
  }).pipe(
    declare({
      scope: "license:read",
      products: { of: "license" },
      summary: "Read a device",
      description: "One device of a license."
    })
  ),
  HttpApiEndpoint.post("resetLicenseDevice", "/api/v1/licenses/:id/devices/:device_id/reset", action).pipe(declare({
    scope: "device:write",
    products: { of: "license" },
    action: "device.reset",
    summary: "Reset a device",
    consequence: "The device loses its seat and can activate again. A blocked device is unblocked.",
    description: "Frees the device's seat and lets it come back. " +
      "Ends its floating lease and lifts a block. Repeating it succeeds; on a revoked license it is " +
      "STATE_CONFLICT. `meta.warnings` has OFFLINE_FILES_OUTSTANDING if the device has an offline file that is still valid, " +
      "and SEAT_HELD if its seat stays taken because of `hold_offline_seats`."
  })),
  HttpApiEndpoint.post("freeLicenseDeviceSeat", "/api/v1/licenses/:id/devices/:device_id/free-seat", {
    params: { id: pathId, device_id: pathId },
    payload: DeviceSeatFree,
    success: one(Device),
    error: [...resourceErrors, StateConflict]
  }).pipe(declare({
    scope: "device:write",
    products: { of: "license" },
    action: "device.reset",
    summary: "Free a held seat",
    consequence: "The device loses its seat at once, although it can still run offline. Its offline files are revoked.",
    description:
      "Resets the device, and frees the seat that stays taken because of `hold_offline_seats`: for a machine that can no longer run. " +
      "Revokes its offline files; an envelope cannot be revoked. The event is `device.reset`, with `metadata.frees_seat`. " +
      "Repeating it succeeds; on a revoked license it is STATE_CONFLICT."
  })),
  HttpApiEndpoint.post("blacklistLicenseDevice", "/api/v1/licenses/:id/devices/:device_id/blacklist", action).pipe(
    declare({
      scope: "device:write",
      products: { of: "license" },
      action: "device.blacklisted",
      summary: "Block a device",
      consequence: "The device loses its seat and is refused from its next request.",
      undo: "resetLicenseDevice",
      description: "Frees the device's seat and blocks the device. " +
        "Effective at the next runtime call. Only a reset lifts it. Repeating it succeeds; on a revoked " +
        "license it is STATE_CONFLICT."
    })
  )
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
