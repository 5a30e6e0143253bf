import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import {
  ActivationLimitExceeded,
  ContainerNotAllowed,
  DeviceBlacklisted,
  IdempotencyKeyRequired,
  LicenseInactive,
  LicenseKeyInvalid,
  ProductMismatch,
  SelfServiceLimitExceeded,
  SelfServiceNotAllowed,
  TrialUsed,
  UserDeviceLimitExceeded,
  UserSignInRequired,
  VmNotAllowed
} from "../../domain/ground/wire/Errors.ts"
import { optional } from "../../domain/ground/wire/Fields.ts"
import * as Id from "../../domain/ground/wire/Id.ts"
import { TrialEntitlement } from "../../domain/licensing/entitlements/Decision.ts"
import { RuntimeRequest } from "../../domain/licensing/entitlements/RuntimeRequest.ts"
import { OwnDevice } from "../../domain/licensing/licenses/OwnDevice.ts"
import { lateDays } from "../../domain/licensing/metering/LateUse.ts"
import { UsageReport, UsageReported, WholeUsageReport } from "../../domain/licensing/metering/UsageReport.ts"
import {
  Envelope,
  Idempotency,
  LicenseKeyAuthorization,
  Management,
  PublishableKeyAuthorization
} from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { createdQuery, listQuery, pathId, userHeader } from "../ground/Parameters.ts"
import { bodyErrors, listErrors, one, page, resourceErrors, signed } from "../ground/Responses.ts"
import { nonceHeader } from "./Runtime.ts"

/** Trials that apps open for their own device. */
export class Trials extends HttpApiGroup.make("trials").add(
  HttpApiEndpoint.post("openTrial", "/api/v1/license/trials", {
    headers: nonceHeader,
    payload: RuntimeRequest,
    success: [signed(TrialEntitlement), signed(TrialEntitlement).pipe(HttpApiSchema.status(201))],
    error: [
      ...bodyErrors,
      ProductMismatch,
      LicenseInactive,
      DeviceBlacklisted,
      VmNotAllowed,
      ContainerNotAllowed,
      ActivationLimitExceeded,
      UserSignInRequired,
      UserDeviceLimitExceeded,
      TrialUsed
    ]
  }).pipe(declare({
    scope: "publishable",
    action: "license.created",
    answerKept: "none",
    summary: "Open a trial",
    description:
      "Issues a trial license for this device, activates the device and returns the license key. The status " +
      "is 201 for a new trial and 200 for an existing one: the same license and key while the trial runs. A " +
      "device gets one trial of a product; when it has ended or was bought, the response is TRIAL_USED. For a " +
      "fingerprint that identifies no machine, such as `uninitialized`, there is a warning " +
      "(FINGERPRINT_NAMES_NO_MACHINE), and the trial is shown once. New trials are limited by address."
  }))
).middleware(Idempotency).middleware(PublishableKeyAuthorization).middleware(Envelope) {}

/** Uses of metered features that backends report. */
export class Usage extends HttpApiGroup.make("usage").add(
  HttpApiEndpoint.post("reportUsage", "/api/v1/usage", {
    payload: UsageReport,
    success: one(UsageReported),
    error: bodyErrors
  }).pipe(declare({
    scope: "license:write",
    products: "narrowed",
    action: "license.usage_recorded",
    rows: { list: "uses", applies: () => true, otherwise: WholeUsageReport },
    summary: "Report usage",
    description:
      "Counts usage events of a backend, which needs no device: up to 1,000 in one request, by license, license key or " +
      "customer. Quotas, grants and overage apply as to `consume`, and no row fails another. A repeated `event_id` counts " +
      "nothing and returns the first result, also in another request. `used_at` decides the period, and reports count the " +
      `use at that time: up to ${lateDays} days ago; \`late_uses\` says what becomes of older ones.`
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}

/** Self-service: operations of the holder of a license key on the devices of the license. */
export class SelfService extends HttpApiGroup.make("self-service").add(
  HttpApiEndpoint.get("listOwnDevices", "/api/v1/license/devices", {
    headers: userHeader,
    query: {
      ...listQuery,
      order: createdQuery.order,
      device_id: optional(
        pathId,
        "The ID of the device that asks, from any of its signed responses. Each entry then has `is_this`.",
        Id.exampleOf("dev")
      )
    },
    success: page(OwnDevice),
    error: [...listErrors, LicenseKeyInvalid, LicenseInactive, SelfServiceNotAllowed, UserSignInRequired]
  }).pipe(declare({
    scope: "license",
    locks: "nothing",
    summary: "List your devices",
    description:
      "The devices that have a seat of the license, for the holder of its key. Needs `self_service` in the " +
      "terms; works for a suspended or expired license too. The response has names and the time when each was " +
      "last seen, but no fingerprints and no addresses. Of a license with users these are the person's own devices and those without a user."
  })),
  HttpApiEndpoint.post("releaseOwnDevice", "/api/v1/license/devices/:device_id/release", {
    headers: userHeader,
    params: { device_id: pathId },
    success: one(OwnDevice),
    error: [
      ...resourceErrors,
      LicenseKeyInvalid,
      LicenseInactive,
      DeviceBlacklisted,
      SelfServiceNotAllowed,
      SelfServiceLimitExceeded,
      UserSignInRequired,
      IdempotencyKeyRequired
    ]
  }).pipe(declare({
    scope: "license",
    action: "device.reset",
    replayedAs: "release",
    idempotencyKey: "required",
    summary: "Release a device",
    description:
      "Frees the seat of a device, for the holder of the license key. The device may activate again when a " +
      "seat is free. Needs `self_service` in the terms, and counts against `max_self_service_resets` of the " +
      "period; works for a suspended or expired license too. A device without a seat is returned as it is, " +
      "and nothing counts. The device of another user is NOT_FOUND."
  }))
).middleware(Idempotency).middleware(LicenseKeyAuthorization).middleware(Envelope) {}
