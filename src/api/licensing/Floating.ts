import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  FloatingLimitExceeded,
  IdempotencyKeyRequired,
  LeaseExpired,
  LeaseNotFound,
  LicenseKeyInvalid,
  UserDeviceLimitExceeded
} from "../../domain/ground/wire/Errors.ts"
import { optional } from "../../domain/ground/wire/Fields.ts"
import { Checkout, Lease, LeaseAnswer, LeaseRequest } from "../../domain/licensing/entitlements/Lease.ts"
import { CheckoutRequest } from "../../domain/licensing/entitlements/RuntimeRequest.ts"
import { Envelope, Idempotency, LicenseKeyAuthorization, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { createdQuery, listQuery, pathId, YesOrNo } from "../ground/Parameters.ts"
import { bodyErrors, listErrors, one, page, resourceErrors, signed } from "../ground/Responses.ts"
import { nonceHeader, refusals } from "./Runtime.ts"

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
