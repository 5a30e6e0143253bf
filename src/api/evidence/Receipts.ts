import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { UsageReceipt } from "../../domain/evidence/receipts/UsageReceipt.ts"
import {
  InvalidHeader,
  InvalidQuery,
  LicenseKeyInvalid,
  NotFound,
  Unavailable,
  UserSignInRequired
} from "../../domain/ground/wire/Errors.ts"
import { field, optional, text } from "../../domain/ground/wire/Fields.ts"
import { Envelope, Idempotency, LicenseKeyAuthorization } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { userHeader } from "../ground/Parameters.ts"
import { signed } from "../ground/Responses.ts"
import { nonceAlone } from "../licensing/Runtime.ts"

/** Receipts of usage, for the holder of a license key. */
export class Receipts extends HttpApiGroup.make("receipts").add(
  HttpApiEndpoint.get("getUsageReceipt", "/api/v1/license/receipt", {
    headers: { ...nonceAlone, ...userHeader },
    query: {
      event_id: field(text(1, 128), "Your ID of the usage event, as `consume` named it.", "export-2026-11-21-0001"),
      feature_code: optional(
        text(1, 128),
        "The code of the feature. Required where you counted the same `event_id` for several features.",
        "export-pdf"
      )
    },
    success: signed(UsageReceipt),
    error: [InvalidHeader, InvalidQuery, LicenseKeyInvalid, UserSignInRequired, NotFound, Unavailable]
  }).pipe(declare({
    scope: "license",
    locks: "nothing",
    summary: "Get a usage receipt",
    description:
      "Proves to an app that a usage event of its license is in the event log: the leaf of the event, and the path to the newest " +
      "checkpoint, which witnesses have signed where they are required. Keep the whole response: `/verify` and `verifyReceipt` check it " +
      "without the service. Works for a suspended, revoked or expired license too. Until a checkpoint covers the event, about a second, it " +
      "is UNAVAILABLE with the detail `no_checkpoint`: try again. Usage of other licenses, and of devices of other users, is NOT_FOUND."
  }))
).middleware(Idempotency).middleware(LicenseKeyAuthorization).middleware(Envelope) {}
