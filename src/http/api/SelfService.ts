import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { OwnDevice } from "../../domain/licenses/OwnDevice.ts"
import {
  DeviceBlacklisted,
  IdempotencyKeyRequired,
  LicenseInactive,
  LicenseKeyInvalid,
  SelfServiceLimitExceeded,
  SelfServiceNotAllowed
} from "../../domain/wire/Errors.ts"
import { optional } from "../../domain/wire/Fields.ts"
import * as Id from "../../domain/wire/Id.ts"
import { Envelope, Idempotency, LicenseKeyAuthorization } from "./Middleware.ts"
import { declare, listErrors, one, page, resourceErrors } from "./Operation.ts"
import { createdQuery, listQuery, pathId } from "./Parameters.ts"

/** What whoever has a license key does with the devices of the license. */
export class SelfService extends HttpApiGroup.make("self-service").add(
  HttpApiEndpoint.get("listOwnDevices", "/api/v1/license/devices", {
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
    error: [...listErrors, LicenseKeyInvalid, LicenseInactive, SelfServiceNotAllowed]
  }).pipe(declare({
    scope: "license",
    locks: "nothing",
    summary: "List your devices",
    description: "The devices that hold a seat of the license, for whoever has its key. " +
      "Needs `self_service` in the terms; also for a suspended or expired license. It shows names and when each was " +
      "last seen, no fingerprints and no addresses."
  })),
  HttpApiEndpoint.post("releaseOwnDevice", "/api/v1/license/devices/:device_id/release", {
    params: { device_id: pathId },
    success: one(OwnDevice),
    error: [
      ...resourceErrors,
      LicenseKeyInvalid,
      LicenseInactive,
      DeviceBlacklisted,
      SelfServiceNotAllowed,
      SelfServiceLimitExceeded,
      IdempotencyKeyRequired
    ]
  }).pipe(declare({
    scope: "license",
    action: "device.reset",
    replayedAs: "release",
    idempotencyKey: "required",
    summary: "Release a device",
    description: "Gives the seat of a device back, for whoever has the license key. " +
      "The device may come back when a seat is free. Needs `self_service` in the terms, and counts against " +
      "`max_self_service_resets` of the period; also for a suspended or expired license. A device without a seat is " +
      "answered as it is, and counts nothing."
  }))
).middleware(Idempotency).middleware(LicenseKeyAuthorization).middleware(Envelope) {}
