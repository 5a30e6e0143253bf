import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Checkout, Lease, LeaseAnswer, LeaseRequest } from "../../domain/entitlements/Lease.ts"
import { RuntimeRequest } from "../../domain/entitlements/RuntimeRequest.ts"
import {
  FloatingLimitExceeded,
  IdempotencyKeyRequired,
  LeaseExpired,
  LeaseNotFound,
  LicenseKeyInvalid
} from "../../domain/wire/Errors.ts"
import { Envelope, Idempotency, LicenseKeyAuthorization, Management } from "./Middleware.ts"
import { bodyErrors, declare, listErrors, listQuery, one, page, pathId, resourceErrors } from "./Operation.ts"
import { nonceHeader, refusals, signed } from "./Runtime.ts"

/** Floating seats, as apps check them out and in. */
export class Floating extends HttpApiGroup.make("floating").add(
  HttpApiEndpoint.post("checkoutFloatingLicense", "/api/v1/license/floating/checkout", {
    headers: nonceHeader,
    payload: RuntimeRequest,
    success: signed(Checkout),
    error: [...bodyErrors, ...refusals, FloatingLimitExceeded, IdempotencyKeyRequired]
  }).pipe(declare({
    scope: "license",
    action: "lease.checked_out",
    locks: "nothing",
    replayedAs: "checkout",
    idempotencyKey: "required",
    answerKept: "last-step",
    summary: "Take a floating seat and bind the device",
    description: "A policy that allows k floating users admits exactly k of any number at once; one without a number " +
      "admits nobody. A device that holds a seat keeps it and gets a fresh `lease_token`. The binding takes no " +
      "activation seat and ends with the lease."
  })),
  HttpApiEndpoint.post("heartbeatFloatingLicense", "/api/v1/license/floating/heartbeat", {
    headers: nonceHeader,
    payload: LeaseRequest,
    success: signed(LeaseAnswer),
    error: [...bodyErrors, ...refusals, LeaseNotFound, LeaseExpired]
  }).pipe(declare({
    scope: "license",
    action: "lease.extended",
    locks: "nothing",
    replayedAs: "heartbeat",
    summary: "Keep a floating seat",
    description: "Answers a fresh `lease_token`; the one before it works for another 30 seconds and is then unknown, " +
      "and is answered the same fresh one meanwhile. A lease that ran out is LEASE_EXPIRED and never revived."
  })),
  HttpApiEndpoint.post("checkinFloatingLicense", "/api/v1/license/floating/checkin", {
    headers: nonceHeader,
    payload: LeaseRequest,
    success: signed(LeaseAnswer),
    error: [...bodyErrors, LicenseKeyInvalid, LeaseNotFound, LeaseExpired, IdempotencyKeyRequired]
  }).pipe(declare({
    scope: "license",
    action: "lease.checked_in",
    locks: "nothing",
    replayedAs: "checkin",
    idempotencyKey: "required",
    answerKept: "last-step",
    summary: "Give a floating seat back",
    description: "Whatever the state of the license. A lease that was given back is LEASE_NOT_FOUND from then on."
  }))
).middleware(Idempotency).middleware(LicenseKeyAuthorization).middleware(Envelope) {}

/** Floating seats, as management lists and frees them. */
export class Leases extends HttpApiGroup.make("leases").add(
  HttpApiEndpoint.get("listLicenseLeases", "/api/v1/licenses/:id/leases", {
    params: { id: pathId },
    query: { ...listQuery, is_live: Schema.optionalKey(Schema.Literals(["true", "false"])) },
    success: page(Lease),
    error: [...resourceErrors, ...listErrors]
  }).pipe(declare({
    scope: "license:read",
    summary: "List a license's floating leases, newest first",
    description: "`is_live=true` asks for those that hold a seat at this moment; without it, ended ones are there too."
  })),
  HttpApiEndpoint.post("releaseLicenseLease", "/api/v1/licenses/:id/leases/:lease_id/release", {
    params: { id: pathId, lease_id: pathId },
    success: one(Lease),
    error: resourceErrors
  }).pipe(declare({
    scope: "license:write",
    action: "lease.checked_in",
    summary: "Free a floating seat whose holder will not",
    description: "Effective at once: the holder's next heartbeat is LEASE_NOT_FOUND. Repeating it succeeds."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
