import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  FloatingLimitExceeded,
  IdempotencyConflict,
  IdempotencyKeyRequired,
  LeaseExpired,
  LeaseNotFound,
  LicenseKeyInvalid,
  StateConflict,
  UserDeviceLimitExceeded
} from "../../domain/ground/wire/Errors.ts"
import { optional } from "../../domain/ground/wire/Fields.ts"
import * as Id from "../../domain/ground/wire/Id.ts"
import { Checkout, Lease, LeaseAnswer, LeaseRequest } from "../../domain/licensing/entitlements/Lease.ts"
import { CheckoutRequest } from "../../domain/licensing/entitlements/RuntimeRequest.ts"
import { Grant, GrantCreate } from "../../domain/licensing/grants/Grant.ts"
import { UsageRefund, UsageRefundCreate } from "../../domain/licensing/grants/UsageRefund.ts"
import { Envelope, Idempotency, LicenseKeyAuthorization, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { createdQuery, listQuery, pathId, YesOrNo } from "../ground/Parameters.ts"
import { bodyErrors, created, listErrors, one, page, resourceErrors, signed } from "../ground/Responses.ts"
import { nonceHeader, refusals } from "./Runtime.ts"

const params = { id: pathId, grant_id: pathId }

/** Units of licenses beside their quotas. */
export class Grants extends HttpApiGroup.make("license-grants").add(
  HttpApiEndpoint.get("listLicenseGrants", "/api/v1/licenses/:id/grants", {
    params: { id: pathId },
    query: {
      ...createdQuery,
      feature_id: optional(Id.filter("feat"), "Only grants of this feature.", Id.exampleOf("feat"))
    },
    success: page(Grant),
    error: [...resourceErrors, ...listErrors]
  }).pipe(declare({
    scope: "license:read",
    products: { of: "license" },
    summary: "List a license's grants",
    description:
      "The grants of a license, newest first unless `order` is set, with those that are used up, ended or revoked. The " +
      "quota of the policy is no entry: it starts again with each period."
  })),
  HttpApiEndpoint.post("createLicenseGrant", "/api/v1/licenses/:id/grants", {
    params: { id: pathId },
    payload: GrantCreate,
    success: created(Grant),
    error: [...resourceErrors, ...bodyErrors, StateConflict, IdempotencyConflict]
  }).pipe(declare({
    scope: "license:write",
    products: { of: "license" },
    action: "license.grant_given",
    summary: "Give a license units",
    consequence: "The license can use the units from the next check.",
    description:
      "Gives units of a metered feature in addition to the quota. A use takes what ends soonest; of what ends together, the lower " +
      "priority, then the oldest; the quota ends with its period and is the oldest. One use may take from several. A change " +
      "of policy keeps grants. Repeating a `reference` returns the grant that is there, and with other terms it is " +
      "IDEMPOTENCY_CONFLICT. A license has at most 100 open grants of a feature; more is STATE_CONFLICT."
  })),
  HttpApiEndpoint.get("getLicenseGrant", "/api/v1/licenses/:id/grants/:grant_id", {
    params,
    success: one(Grant),
    error: resourceErrors
  }).pipe(declare({
    scope: "license:read",
    products: { of: "license" },
    summary: "Read a grant",
    description: "One grant of a license, with how much of it is used and left."
  })),
  HttpApiEndpoint.post("revokeLicenseGrant", "/api/v1/licenses/:id/grants/:grant_id/revoke", {
    params,
    success: one(Grant),
    error: resourceErrors
  }).pipe(declare({
    scope: "license:write",
    products: { of: "license" },
    action: "license.grant_revoked",
    summary: "Revoke a grant",
    consequence: "The remaining units of the grant are gone.",
    risk: "final",
    description:
      "Ends a grant, such as after a refund of the purchase. Its remaining units are gone, and used units stay used. Repeating " +
      "it succeeds."
  })),
  HttpApiEndpoint.post("refundLicenseUsage", "/api/v1/licenses/:id/usage/refund", {
    params: { id: pathId },
    payload: UsageRefundCreate,
    success: one(UsageRefund),
    error: [...resourceErrors, ...bodyErrors, StateConflict]
  }).pipe(declare({
    scope: "license:write",
    products: { of: "license" },
    action: "license.usage_reset",
    summary: "Refund a usage event",
    consequence: "The units of the usage event can be used again, where they have not ended.",
    description:
      "Refunds a usage event, whole or in part: first what was overage, then to the grants that served it, the " +
      "last taken first, then to the quota. Units of a quota of an earlier period, or of a grant that has ended, are gone. " +
      "After a correction of the usage, only grants get units back. The ledger has the refund as a correction; the usage " +
      "event stays, and its `event_id` never counts again. A second refund of the same units is STATE_CONFLICT. Send an " +
      "Idempotency-Key, so that a retry of a part counts once."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}

/** Floating seats, as apps check them out and in. */
export class Floating extends HttpApiGroup.make("floating").add(
  HttpApiEndpoint.post("checkoutFloatingLicense", "/api/v1/license/floating/checkout", {
    headers: nonceHeader,
    payload: CheckoutRequest,
    success: signed(Checkout),
    error: [...bodyErrors, ...refusals, FloatingLimitExceeded, UserDeviceLimitExceeded, IdempotencyKeyRequired]
  }).pipe(declare({
    scope: "license",
    action: "lease.checked_out",
    locks: "nothing",
    replayedAs: "checkout",
    idempotencyKey: "required",
    answerKept: "last-step",
    summary: "Check out a floating seat",
    description: "Checks out a floating seat and binds the device. A policy with k floating users admits exactly k, " +
      "however many arrive at once; a policy without a number admits none. A device with a seat keeps it and " +
      "gets a new `lease_token`. With the rule `lease_unit: process`, this applies to each process, by its " +
      "`process_id`. The binding takes no activation seat and ends with the last floating seat of the device."
  })),
  HttpApiEndpoint.post("heartbeatFloatingLicense", "/api/v1/license/floating/heartbeat", {
    headers: nonceHeader,
    payload: LeaseRequest,
    success: signed(LeaseAnswer, "FloatingEntitlement"),
    error: [...bodyErrors, ...refusals, LeaseNotFound, LeaseExpired]
  }).pipe(declare({
    scope: "license",
    action: "lease.extended",
    locks: "nothing",
    replayedAs: "heartbeat",
    summary: "Keep a floating seat",
    description: "Extends a floating seat and returns a new `lease_token`. The previous token works for another 30 " +
      "seconds and returns the same new one; then it is unknown. An expired lease is LEASE_EXPIRED and is " +
      "never revived."
  })),
  HttpApiEndpoint.post("checkinFloatingLicense", "/api/v1/license/floating/checkin", {
    headers: nonceHeader,
    payload: LeaseRequest,
    success: signed(LeaseAnswer, "FloatingEntitlement"),
    error: [...bodyErrors, LicenseKeyInvalid, LeaseNotFound, LeaseExpired, IdempotencyKeyRequired]
  }).pipe(declare({
    scope: "license",
    action: "lease.checked_in",
    locks: "nothing",
    replayedAs: "checkin",
    idempotencyKey: "required",
    answerKept: "last-step",
    summary: "Check in a floating seat",
    description: "Releases a floating seat, whatever the state of the license. A released lease is LEASE_NOT_FOUND " +
      "afterwards."
  }))
).middleware(Idempotency).middleware(LicenseKeyAuthorization).middleware(Envelope) {}

/** Floating seats, as management lists and frees them. */
export class Leases extends HttpApiGroup.make("leases").add(
  HttpApiEndpoint.get("listLicenseLeases", "/api/v1/licenses/:id/leases", {
    params: { id: pathId },
    query: {
      ...listQuery,
      order: createdQuery.order,
      is_live: optional(
        YesOrNo,
        "`true` returns only seats that are in use now, `false` only those that ended. Default: all.",
        true
      )
    },
    success: page(Lease),
    error: [...resourceErrors, ...listErrors]
  }).pipe(declare({
    scope: "license:read",
    products: { of: "license" },
    summary: "List floating seats",
    description:
      "The floating seats of a license, newest first. `is_live=true` returns only seats that are in use now. " +
      "Default: ended ones are included."
  })),
  HttpApiEndpoint.post("releaseLicenseLease", "/api/v1/licenses/:id/leases/:lease_id/release", {
    params: { id: pathId, lease_id: pathId },
    success: one(Lease),
    error: resourceErrors
  }).pipe(declare({
    scope: "license:write",
    products: { of: "license" },
    action: "lease.checked_in",
    summary: "Release a floating seat",
    consequence: "The floating seat is freed immediately. The app is notified at its next heartbeat.",
    description: "Frees a floating seat whose holder will not. " +
      "Effective at once: the holder's next heartbeat is LEASE_NOT_FOUND. Repeating it succeeds."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
