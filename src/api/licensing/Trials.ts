import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import {
  ActivationLimitExceeded,
  ContainerNotAllowed,
  DeviceBlacklisted,
  LicenseInactive,
  ProductMismatch,
  TrialUsed,
  UserDeviceLimitExceeded,
  UserSignInRequired,
  VmNotAllowed
} from "../../domain/ground/wire/Errors.ts"
import { RuntimeRequest } from "../../domain/licensing/entitlements/RuntimeRequest.ts"
import { TrialEntitlement } from "../../domain/licensing/entitlements/Trial.ts"
import { Envelope, Idempotency, PublishableKeyAuthorization } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { bodyErrors, signed } from "../ground/Responses.ts"
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
