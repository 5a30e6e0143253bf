import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { RuntimeRequest } from "../../domain/entitlements/RuntimeRequest.ts"
import { TrialEntitlement } from "../../domain/entitlements/Trial.ts"
import {
  ActivationLimitExceeded,
  ContainerNotAllowed,
  DeviceBlacklisted,
  LicenseInactive,
  ProductMismatch,
  TrialUsed,
  VmNotAllowed
} from "../../domain/wire/Errors.ts"
import { Envelope, Idempotency, PublishableKeyAuthorization } from "./Middleware.ts"
import { bodyErrors, declare, signed } from "./Operation.ts"
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
      TrialUsed
    ]
  }).pipe(declare({
    scope: "publishable",
    action: "license.created",
    answerKept: "none",
    summary: "Open a trial",
    description: "Issues a trial license for this device, activates the device and answers the license key. " +
      "201 when it was opened, 200 when the device has one: the same license and key as long as it runs. A device has " +
      "one trial of a product, for ever; once it is over, or was bought, the answer is TRIAL_USED. A fingerprint that " +
      "names no machine, such as `uninitialized`, is warned of (FINGERPRINT_NAMES_NO_MACHINE), and its trial is shown " +
      "once. New trials are limited by address."
  }))
).middleware(Idempotency).middleware(PublishableKeyAuthorization).middleware(Envelope) {}
