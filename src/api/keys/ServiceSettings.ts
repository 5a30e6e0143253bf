import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { PreconditionFailed, RateLimited, StateConflict } from "../../domain/ground/wire/Errors.ts"
import { ServiceSettings as Shown, ServiceSettingsUpdate } from "../../domain/keys/settings/ServiceSettings.ts"
import { MailSettings } from "../../domain/mail/Mail.ts"
import { SignInSettings, SignInTest } from "../../domain/people/SignInSettings.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { bodyErrors, one } from "../ground/Responses.ts"

/** Settings of the environment that people change while it runs. */
export class ServiceSettings extends HttpApiGroup.make("settings").add(
  HttpApiEndpoint.get("getSettings", "/api/v1/settings", { success: one(Shown) }).pipe(declare({
    scope: "any",
    products: "open",
    conditional: "resource",
    summary: "Read the settings",
    description:
      "Where a reason is required, the usual reasons, the brand, and the language of mails. Each environment has its own."
  })),
  HttpApiEndpoint.patch("updateSettings", "/api/v1/settings", {
    payload: ServiceSettingsUpdate,
    success: one(Shown),
    error: [...bodyErrors, PreconditionFailed]
  }).pipe(declare({
    scope: "admin",
    products: "refused",
    action: "settings.updated",
    conditional: "resource",
    consequenceOf: {
      required_reasons: "From now on these actions are refused without a reason, on every node and for every caller."
    },
    summary: "Change the settings",
    description:
      "Omitted fields stay as they are. Without a required reason, the response is 422 VALIDATION_ERROR, with the code " +
      "`reason_required` for the field `reason`; a `dry_run` needs none. Jobs are judged when they are created. Work of the service " +
      "itself, and commands on the host, need none."
  })),
  HttpApiEndpoint.get("getSignInSettings", "/api/v1/settings/sign-in", { success: one(SignInSettings) }).pipe(declare({
    scope: "admin",
    products: "refused",
    summary: "Read how people sign in",
    description:
      "The identity provider, the roles that its claims give, and how long sessions last, as the process was started."
  })),
  HttpApiEndpoint.get("getMailSettings", "/api/v1/settings/mail", { success: one(MailSettings) }).pipe(declare({
    scope: "admin",
    products: "refused",
    summary: "Read how mails are sent",
    description:
      "The sender of mails to customers, as the process was started, and the mails that wait. `mails` of a policy says which are sent."
  })),
  HttpApiEndpoint.post("testSignIn", "/api/v1/settings/sign-in/test", {
    success: one(SignInTest),
    error: [RateLimited, StateConflict]
  }).pipe(declare({
    scope: "admin",
    products: "refused",
    action: "none",
    answerKept: "none",
    summary: "Test the identity provider",
    description:
      "Asks the identity provider to describe itself, as a sign-in does, and says what is wrong. STATE_CONFLICT where none is " +
      "configured. It counts as a sign-in of the address."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
