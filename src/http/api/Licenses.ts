import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Device } from "../../domain/Device.ts"
import { StateConflict } from "../../domain/Errors.ts"
import { TimestampInput } from "../../domain/Fields.ts"
import { License, LicenseCreate, LicenseCreated, LicenseStatus } from "../../domain/License.ts"
import { Envelope, Idempotency, Management } from "./Middleware.ts"
import { bodyErrors, created, declare, listErrors, listQuery, one, page, pathId, resourceErrors } from "./Operation.ts"

const action = {
  params: { id: pathId },
  success: one(License),
  error: [...resourceErrors, StateConflict]
}

export class Licenses extends HttpApiGroup.make("licenses").add(
  HttpApiEndpoint.get("listLicenses", "/api/v1/licenses", {
    query: {
      ...listQuery,
      product_id: Schema.optionalKey(pathId),
      policy_id: Schema.optionalKey(pathId),
      customer_id: Schema.optionalKey(pathId),
      order_id: Schema.optionalKey(pathId),
      subscription_id: Schema.optionalKey(pathId),
      status: Schema.optionalKey(LicenseStatus),
      expires_before: Schema.optionalKey(TimestampInput),
      expires_after: Schema.optionalKey(TimestampInput)
    },
    success: page(License),
    error: listErrors
  }).pipe(declare({
    scope: "license:read",
    summary: "List licenses, newest first",
    description: "`status` is judged at the moment of the call, on the database's clock."
  })),
  HttpApiEndpoint.post("createLicense", "/api/v1/licenses", {
    payload: LicenseCreate,
    success: created(LicenseCreated),
    error: [...resourceErrors, ...bodyErrors]
  }).pipe(declare({
    scope: "license:write",
    summary: "Issue a license",
    description: "The license key is shown once; the service keeps only a keyed hash, its prefix and its last four."
  })),
  HttpApiEndpoint.get("getLicense", "/api/v1/licenses/:id", {
    params: { id: pathId },
    success: one(License),
    error: resourceErrors
  }).pipe(declare({ scope: "license:read", summary: "Read a license" })),
  HttpApiEndpoint.post("suspendLicense", "/api/v1/licenses/:id/suspend", action).pipe(declare({
    scope: "license:write",
    summary: "Suspend a license",
    description: "Effective at the next runtime call. Repeating it succeeds; a revoked license is STATE_CONFLICT."
  })),
  HttpApiEndpoint.post("reinstateLicense", "/api/v1/licenses/:id/reinstate", action).pipe(declare({
    scope: "license:write",
    summary: "Lift a suspension",
    description: "Succeeds on an active license; a revoked one is STATE_CONFLICT."
  })),
  HttpApiEndpoint.post("revokeLicense", "/api/v1/licenses/:id/revoke", {
    params: { id: pathId },
    success: one(License),
    error: resourceErrors
  }).pipe(declare({
    scope: "license:write",
    summary: "Revoke a license for good",
    description: "Permanent and repeatable; frees its seats. The license stays readable."
  })),
  HttpApiEndpoint.get("listLicenseDevices", "/api/v1/licenses/:id/devices", {
    params: { id: pathId },
    query: listQuery,
    success: page(Device),
    error: [...resourceErrors, ...listErrors]
  }).pipe(declare({ scope: "license:read", summary: "List a license's devices, newest first" })),
  HttpApiEndpoint.get("getLicenseDevice", "/api/v1/licenses/:id/devices/:device_id", {
    params: { id: pathId, device_id: pathId },
    success: one(Device),
    error: resourceErrors
  }).pipe(declare({ scope: "license:read", summary: "Read one device of a license" }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
