import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { UserIssuer } from "../../domain/users/UserIssuer.ts"
import { UserSignIn, UserSignInRequest } from "../../domain/users/UserSignIn.ts"
import {
  IdTokenInvalid,
  InvalidHeader,
  LicenseExpired,
  LicenseInactive,
  LicenseKeyInvalid,
  Unavailable,
  UserLimitExceeded,
  UserNotAllowed
} from "../../domain/wire/Errors.ts"
import { echoed, optional } from "../../domain/wire/Fields.ts"
import { Envelope, Idempotency, LicenseKeyAuthorization } from "./Middleware.ts"
import { declare } from "./Operation.ts"
import { bodyErrors, signed } from "./Responses.ts"
import { nonceHeader } from "./Runtime.ts"

/** A nonce that has no body to be in. */
const nonceAlone = {
  "x-nonce": optional(
    echoed(8, 128),
    "8 to 128 characters of your choice. The signed response repeats them, so that an old response cannot be replayed to you. " +
      "Omit it rather than send it empty.",
    "n-7f3a9c21d0"
  )
}

/** Sign-ins of the people who use a license. */
export class UserSignIns extends HttpApiGroup.make("user-sign-ins").add(
  HttpApiEndpoint.get("getUserIssuer", "/api/v1/license/users/issuer", {
    headers: nonceAlone,
    success: signed(UserIssuer),
    error: [InvalidHeader, LicenseKeyInvalid, LicenseInactive, LicenseExpired, UserNotAllowed]
  }).pipe(declare({
    scope: "license",
    locks: "nothing",
    summary: "Find where users sign in",
    description:
      "The identity provider that the license trusts (`trusted_issuer`), for an app that knows its license key alone. The app signs " +
      "the person in there as the client `audience`, and sends the ID token to `POST /api/v1/license/users/sign-in`."
  })),
  HttpApiEndpoint.post("signInLicenseUser", "/api/v1/license/users/sign-in", {
    headers: nonceHeader,
    payload: UserSignInRequest,
    success: signed(UserSignIn),
    error: [
      ...bodyErrors,
      LicenseKeyInvalid,
      LicenseInactive,
      LicenseExpired,
      IdTokenInvalid,
      UserNotAllowed,
      UserLimitExceeded,
      Unavailable
    ]
  }).pipe(declare({
    scope: "license",
    action: "license.user_joined",
    locks: "nothing",
    answerKept: "none",
    summary: "Sign a user in",
    description:
      "Signs a person in by an ID token of the identity provider that the license trusts (`trusted_issuer`), and returns the `user_token` " +
      "for other calls. The first sign-in takes a seat: of k seats, exactly k of any number of people at once get one. An " +
      "invitation by an address needs `email_verified`; from then on the user is known by issuer and subject. The `user_token` is good " +
      "for `validation_interval_minutes`, a day at most, and until the user is removed. If the identity provider does not " +
      "respond and its keys are not known, the response is UNAVAILABLE."
  }))
).middleware(Idempotency).middleware(LicenseKeyAuthorization).middleware(Envelope) {}
