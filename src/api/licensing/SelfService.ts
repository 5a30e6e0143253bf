import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  DeviceBlacklisted,
  IdempotencyKeyRequired,
  LicenseInactive,
  LicenseKeyInvalid,
  SelfServiceLimitExceeded,
  SelfServiceNotAllowed,
  UserSignInRequired
} from "../../domain/ground/wire/Errors.ts"
import { optional } from "../../domain/ground/wire/Fields.ts"
import * as Id from "../../domain/ground/wire/Id.ts"
import { OwnDevice } from "../../domain/licensing/licenses/OwnDevice.ts"
import { Envelope, Idempotency, LicenseKeyAuthorization } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { createdQuery, listQuery, pathId, userHeader } from "../ground/Parameters.ts"
import { listErrors, one, page, resourceErrors } from "../ground/Responses.ts"

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
