import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { runningFilters } from "../../domain/catalog/ProductVersion.ts"
import { StateConflict } from "../../domain/ground/wire/Errors.ts"
import { optional, text } from "../../domain/ground/wire/Fields.ts"
import { Device, DeviceSeatFree, DeviceStatus } from "../../domain/licensing/licenses/Device.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { changedQuery, pathId } from "../ground/Parameters.ts"
import { listErrors, one, page, resourceErrors } from "../ground/Responses.ts"

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
