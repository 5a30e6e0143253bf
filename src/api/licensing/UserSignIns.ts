import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  IdTokenInvalid,
  InvalidHeader,
  LicenseExpired,
  LicenseInactive,
  LicenseKeyInvalid,
  MailboxNotProven,
  Unavailable,
  UserLimitExceeded,
  UserNotAllowed,
  UserSignInRequired
} from "../../domain/ground/wire/Errors.ts"
import { UserIssuer } from "../../domain/licensing/users/UserIssuer.ts"
import { UserMailSignIn, UserMailSignInRequest } from "../../domain/licensing/users/UserMailSignIn.ts"
import { UserSignIn, UserSignInRequest } from "../../domain/licensing/users/UserSignIn.ts"
import { Envelope, Idempotency, LicenseKeyAuthorization } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { bodyErrors, signed } from "../ground/Responses.ts"
import { nonceAlone, nonceHeader } from "./Runtime.ts"

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
  HttpApiEndpoint.post("beginUserMailSignIn", "/api/v1/license/users/mail-sign-ins", {
    headers: nonceHeader,
    payload: UserMailSignInRequest,
    success: signed(UserMailSignIn),
    error: [...bodyErrors, LicenseKeyInvalid, LicenseInactive, LicenseExpired, UserNotAllowed]
  }).pipe(declare({
    scope: "license",
    action: "none",
    locks: "nothing",
    answerKept: "none",
    summary: "Mail a sign-in code",
    description:
      "Begins a sign-in to a license with users that trusts no identity provider. If the address is invited or has a seat, it is mailed a " +
      "code and a link, which work for 15 minutes and with this `sign_in_token` alone; the response is the same for every address. " +
      "Then send the `sign_in_token` to `POST /api/v1/license/users/sign-in`, with the code, or every five seconds until the person has " +
      "confirmed the link. At most 10 an hour for an address of a license."
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
      MailboxNotProven,
      UserNotAllowed,
      UserLimitExceeded,
      UserSignInRequired,
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
      "for `validation_interval_minutes`, a day at most, and until the user is removed. A license that trusts no identity provider signs " +
      "people in by mail (`mail_sign_in_token`), and again by the `renewal_token`, for 90 days on the same machine. If the identity provider does not " +
      "respond and its keys are not known, the response is UNAVAILABLE."
  }))
).middleware(Idempotency).middleware(LicenseKeyAuthorization).middleware(Envelope) {}
