import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  ActivationLimitExceeded,
  DeviceBlacklisted,
  LicenseExpired,
  LicenseInactive,
  OfflineNotAllowed,
  ProductMismatch
} from "../../domain/ground/wire/Errors.ts"
import { OfflineFile, OfflineFileCreate, OfflineFileIssued } from "../../domain/licensing/offline/OfflineFile.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { createdQuery, pathId } from "../ground/Parameters.ts"
import { bodyErrors, created, listErrors, one, page, resourceErrors } from "../ground/Responses.ts"

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
