import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  ActivationLimitExceeded,
  ContainerNotAllowed,
  DeviceBlacklisted,
  DeviceNotActivated,
  FeatureNotEntitled,
  FeatureQuotaExceeded,
  IdempotencyConflict,
  IdempotencyKeyRequired,
  LicenseExpired,
  LicenseInactive,
  LicenseKeyInvalid,
  NotFound,
  ProductMismatch,
  RefundNotAllowed,
  SelfServiceLimitExceeded,
  SelfServiceNotAllowed,
  StateConflict,
  UserDeviceLimitExceeded,
  UserSignInRequired,
  VmNotAllowed
} from "../../domain/ground/wire/Errors.ts"
import { echoed, optional } from "../../domain/ground/wire/Fields.ts"
import { Deactivation, Entitlement, RefundEntitlement } from "../../domain/licensing/entitlements/Entitlement.ts"
import {
  ActivateRequest,
  ConsumeRequest,
  OwnRefundRequest,
  RuntimeRequest
} from "../../domain/licensing/entitlements/RuntimeRequest.ts"
import { Envelope, Idempotency, LicenseKeyAuthorization } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { bodyErrors, signed } from "../ground/Responses.ts"

/** The refusals of every runtime operation that asks whether a copy may run. */
export const refusals = [
  LicenseKeyInvalid,
  ProductMismatch,
  LicenseInactive,
  LicenseExpired,
  DeviceBlacklisted,
  VmNotAllowed,
  ContainerNotAllowed,
  UserSignInRequired
] as const

/** The nonce may be in a header instead of the body. */
export const nonceHeader = {
  "x-nonce": optional(
    echoed(8, 128),
    "The same as `nonce` in the body, which takes precedence. The signed response repeats it, so that an " +
      "old response cannot be replayed to you. Omit it rather than send it empty.",
    "n-7f3a9c21d0"
  )
}

/** A nonce that has no body to be in. */
export const nonceAlone = {
  "x-nonce": optional(
    echoed(8, 128),
    "8 to 128 characters of your choice. The signed response repeats them, so that an old response cannot be replayed to you. " +
      "Omit it rather than send it empty.",
    "n-7f3a9c21d0"
  )
}

export class Runtime extends HttpApiGroup.make("runtime").add(
  HttpApiEndpoint.post("activateLicense", "/api/v1/license/activate", {
    headers: nonceHeader,
    payload: ActivateRequest,
    success: signed(Entitlement),
    error: [
      ...bodyErrors,
      ...refusals,
      SelfServiceNotAllowed,
      SelfServiceLimitExceeded,
      ActivationLimitExceeded,
      UserDeviceLimitExceeded,
      IdempotencyKeyRequired
    ]
  }).pipe(declare({
    scope: "license",
    action: "license.activated",
    locks: "nothing",
    replayedAs: "activate",
    idempotencyKey: "required",
    answerKept: "last-step",
    summary: "Activate a device",
    description: "Binds the device to the license and takes a seat. " +
      "Idempotent per binding. A policy that allows k seats admits exactly k of any number at once. " +
      "With `take_seat_of`, another device gives its seat to this one when none is free."
  })),
  HttpApiEndpoint.post("validateLicense", "/api/v1/license/validate", {
    headers: nonceHeader,
    payload: RuntimeRequest,
    success: signed(Entitlement),
    error: [...bodyErrors, ...refusals, DeviceNotActivated]
  }).pipe(declare({
    scope: "license",
    action: "license.validated",
    locks: "nothing",
    answerKept: "none",
    summary: "Validate a license",
    description:
      "Checks whether this device may run, and records the check. Every call reads the database: a revocation " +
      "is effective at the next validate."
  })),
  HttpApiEndpoint.post("checkLicense", "/api/v1/license/check", {
    headers: nonceHeader,
    payload: RuntimeRequest,
    success: signed(Entitlement),
    error: [...bodyErrors, ...refusals, DeviceNotActivated]
  }).pipe(
    declare({
      scope: "license",
      action: "license.checked",
      locks: "nothing",
      answerKept: "none",
      summary: "Check a license",
      description: "The same question as validate, recording nothing."
    })
  ),
  HttpApiEndpoint.post("consumeLicense", "/api/v1/license/consume", {
    headers: nonceHeader,
    payload: ConsumeRequest,
    success: signed(Entitlement),
    error: [
      ...bodyErrors,
      ...refusals,
      DeviceNotActivated,
      FeatureNotEntitled,
      FeatureQuotaExceeded,
      IdempotencyConflict
    ]
  }).pipe(declare({
    scope: "license",
    action: "license.usage_recorded",
    locks: "nothing",
    replayedAs: "consume",
    idempotencyKey: "required",
    answerKept: "last-step",
    summary: "Consume a feature",
    description:
      "Consumes some of the quota of a metered feature. `event_id` is unique per license and feature, without " +
      "a time limit. A repeat with the same amount returns the same result and counts nothing; a repeat with " +
      "another amount is IDEMPOTENCY_CONFLICT. A quota of q admits exactly q, however many arrive at once."
  })),
  HttpApiEndpoint.post("refundOwnUsage", "/api/v1/license/usage/refund", {
    headers: nonceHeader,
    payload: OwnRefundRequest,
    success: signed(RefundEntitlement),
    error: [
      ...bodyErrors,
      ...refusals,
      DeviceNotActivated,
      RefundNotAllowed,
      NotFound,
      StateConflict,
      IdempotencyKeyRequired
    ]
  }).pipe(declare({
    scope: "license",
    action: "license.usage_reset",
    replayedAs: "refund",
    idempotencyKey: "required",
    summary: "Refund your usage",
    description:
      "Refunds a usage event that this device consumed, whole or in part, by its `event_id`: to the quota, the grants and " +
      "the pools that served it, as `refundLicenseUsage` does. Needs `refund_window_minutes` in the terms, and ends that many " +
      "minutes after the usage event: then it is REFUND_NOT_ALLOWED. Usage events of other devices and of backends are " +
      "NOT_FOUND. A second refund of the same units is STATE_CONFLICT with the detail `refunded`. The `event_id` never " +
      "counts again."
  })),
  HttpApiEndpoint.post("deactivateLicense", "/api/v1/license/deactivate", {
    headers: nonceHeader,
    payload: RuntimeRequest,
    success: signed(Deactivation),
    error: [
      ...bodyErrors,
      LicenseKeyInvalid,
      ProductMismatch,
      LicenseInactive,
      DeviceBlacklisted,
      DeviceNotActivated,
      IdempotencyKeyRequired
    ]
  }).pipe(declare({
    scope: "license",
    action: "license.deactivated",
    locks: "nothing",
    replayedAs: "deactivate",
    idempotencyKey: "required",
    answerKept: "last-step",
    summary: "Deactivate a device",
    description: "Gives the device's seat back. " +
      "Also possible on an expired license, so that seats can be moved before a renewal."
  }))
).middleware(Idempotency).middleware(LicenseKeyAuthorization).middleware(Envelope) {}
