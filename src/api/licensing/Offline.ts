import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { DeviceNotActivated, OfflineNotAllowed } from "../../domain/ground/wire/Errors.ts"
import { RuntimeRequest } from "../../domain/licensing/entitlements/RuntimeRequest.ts"
import { OfflineEnvelope, RevocationList } from "../../domain/licensing/offline/Offline.ts"
import { Envelope, Idempotency, LicenseKeyAuthorization } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { bodyErrors, one, signed } from "../ground/Responses.ts"
import { nonceHeader, refusals } from "./Runtime.ts"

/** Envelopes for devices without a network. */
export class Offline extends HttpApiGroup.make("offline").add(
  HttpApiEndpoint.post("issueOfflineLicense", "/api/v1/license/offline", {
    headers: nonceHeader,
    payload: RuntimeRequest,
    success: one(OfflineEnvelope),
    error: [...bodyErrors, ...refusals, DeviceNotActivated, OfflineNotAllowed]
  }).pipe(declare({
    scope: "license",
    action: "offline.issued",
    replayedAs: "offline",
    summary: "Issue an offline envelope",
    description: "Issues an envelope that an activated device can run on without a network. " +
      "A signed entitlement, encrypted under the license key: `valid_until` comes from the policy's offline " +
      "grace days, `offline_counter` grows with each envelope of the device."
  }))
).middleware(Idempotency).middleware(LicenseKeyAuthorization).middleware(Envelope) {}

/** Revoked licenses and keys, for callers that verify offline. */
export class Revocations extends HttpApiGroup.make("revocations").add(
  HttpApiEndpoint.get("getRevocationList", "/api/v1/license/revocations", {
    success: signed(RevocationList)
  }).pipe(declare({
    scope: "none",
    conditional: "document",
    summary: "Read the revocation list",
    description:
      "The signed list of revoked licenses and signing keys. It is public, like the public keys, so that any " +
      "machine can fetch it for machines without a network. `number` increases with every revocation; a list " +
      "is valid until `next_update`. `If-None-Match` returns 304 if nothing was revoked since; " +
      "`Accept-Encoding: gzip` is supported."
  }))
).middleware(Envelope) {}
