import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  ActivationLimitExceeded,
  DeviceBlacklisted,
  DeviceNotActivated,
  LicenseExpired,
  LicenseInactive,
  OfflineNotAllowed,
  ProductMismatch
} from "../../domain/ground/wire/Errors.ts"
import { RuntimeRequest } from "../../domain/licensing/entitlements/RuntimeRequest.ts"
import {
  OfflineEnvelope,
  OfflineFile,
  OfflineFileCreate,
  OfflineFileIssued,
  RevocationList
} from "../../domain/licensing/offline/OfflineFile.ts"
import { Envelope, Idempotency, LicenseKeyAuthorization, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { createdQuery, pathId } from "../ground/Parameters.ts"
import { bodyErrors, created, listErrors, one, page, resourceErrors, signed } from "../ground/Responses.ts"
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

/** Files for machines that never had a network. */
export class OfflineFiles extends HttpApiGroup.make("offline-files").add(
  HttpApiEndpoint.get("listOfflineFiles", "/api/v1/licenses/:id/offline-files", {
    params: { id: pathId },
    query: createdQuery,
    success: page(OfflineFile),
    error: [...listErrors, ...resourceErrors]
  }).pipe(declare({
    scope: "license:read",
    products: { of: "license" },
    summary: "List offline files",
    description:
      "The offline files of a license, newest first, including revoked and expired ones. Their content is not " +
      "stored."
  })),
  HttpApiEndpoint.post("issueOfflineFile", "/api/v1/licenses/:id/offline-files", {
    params: { id: pathId },
    payload: OfflineFileCreate,
    success: created(OfflineFileIssued),
    error: [
      ...resourceErrors,
      ...bodyErrors,
      ProductMismatch,
      LicenseInactive,
      LicenseExpired,
      DeviceBlacklisted,
      ActivationLimitExceeded,
      OfflineNotAllowed
    ]
  }).pipe(declare({
    scope: "license:write",
    products: { of: "license" },
    action: "offline_file.issued",
    summary: "Issue an offline file",
    description:
      "Binds a machine without a network, by the fingerprint that the customer sends, and returns its file. " +
      "The file takes an activation seat as `activateLicense` does, unless the device has one. It is " +
      "encrypted under the license key, so the key is required. It is valid for `offline_file_days` of the " +
      "terms, or else `offline_grace_days`, and at most until the license expires. `meta.warnings` has " +
      "FORMER_CODES_UNNAMED if the product was renamed and the request has no `product_code`, and OFFLINE_FILES_OUTSTANDING if " +
      "machines that gave their seat back have a file that is still valid."
  })),
  HttpApiEndpoint.post("revokeOfflineFile", "/api/v1/licenses/:id/offline-files/:file_id/revoke", {
    params: { id: pathId, file_id: pathId },
    success: one(OfflineFile),
    error: resourceErrors
  }).pipe(declare({
    scope: "license:write",
    products: { of: "license" },
    action: "offline_file.revoked",
    summary: "Revoke an offline file",
    consequence: "The file joins the revocation list. Apps that fetch the list refuse it.",
    risk: "final",
    description:
      "Adds the file to the revocation list. Frees the seat of its device, unless another file of the device " +
      "is valid. A machine without a network learns of it only from a list that is carried to it. Repeating " +
      "it succeeds."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
