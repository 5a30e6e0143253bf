import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  Conflict,
  IdTokenInvalid,
  InvalidHeader,
  LicenseExpired,
  LicenseInactive,
  LicenseKeyInvalid,
  MailboxNotProven,
  StateConflict,
  Unavailable,
  UserLimitExceeded,
  UserNotAllowed,
  UserSignInRequired
} from "../../domain/ground/wire/Errors.ts"
import { optional, text } from "../../domain/ground/wire/Fields.ts"
import { LicenseUser, LicenseUserInvite, LicenseUserStatus } from "../../domain/licensing/users/LicenseUser.ts"
import {
  LicenseUserErasure,
  UserIssuer,
  UserMailSignIn,
  UserMailSignInRequest,
  UserSignIn,
  UserSignInRequest
} from "../../domain/licensing/users/UserSignIn.ts"
import { Envelope, Idempotency, LicenseKeyAuthorization, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { createdQuery, pathId } from "../ground/Parameters.ts"
import { bodyErrors, created, listErrors, one, page, resourceErrors, signed } from "../ground/Responses.ts"
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

const params = { id: pathId, user_id: pathId }

/** The people who use a license. */
export class LicenseUsers extends HttpApiGroup.make("license-users").add(
  HttpApiEndpoint.get("listLicenseUsers", "/api/v1/licenses/:id/users", {
    params: { id: pathId },
    query: {
      ...createdQuery,
      status: optional(LicenseUserStatus, "Only users with this status.", "active"),
      q: optional(text(1, 255), "Only users whose name or address contains this text; not case-sensitive.", "ada")
    },
    success: page(LicenseUser),
    error: [...resourceErrors, ...listErrors]
  }).pipe(declare({
    scope: "license:read",
    products: { of: "license" },
    summary: "List a license's users",
    description:
      "The people who use a license or are invited to, newest first unless `order` is set, with those who were removed."
  })),
  HttpApiEndpoint.post("inviteLicenseUser", "/api/v1/licenses/:id/users", {
    params: { id: pathId },
    payload: LicenseUserInvite,
    success: created(LicenseUser),
    error: [...resourceErrors, ...bodyErrors, Conflict, StateConflict]
  }).pipe(declare({
    scope: "license:write",
    products: { of: "license" },
    action: "license.user_invited",
    summary: "Invite a user",
    consequence: "The person can sign in and takes a seat with the first sign-in, if one is free.",
    undo: "removeLicenseUser",
    description:
      "Invites a person to use a license, by an email address or by an account. The terms need `max_users`. An invitation " +
      "holds no seat. An address or account that the license has is CONFLICT; one that was removed can be invited " +
      "again. A license has at most 10,000 users and invitations; more is STATE_CONFLICT."
  })),
  HttpApiEndpoint.get("getLicenseUser", "/api/v1/licenses/:id/users/:user_id", {
    params,
    success: one(LicenseUser),
    error: resourceErrors
  }).pipe(declare({
    scope: "license:read",
    products: { of: "license" },
    summary: "Read a user",
    description: "One user of a license."
  })),
  HttpApiEndpoint.post("removeLicenseUser", "/api/v1/licenses/:id/users/:user_id/remove", {
    params,
    success: one(LicenseUser),
    error: resourceErrors
  }).pipe(declare({
    scope: "license:write",
    products: { of: "license" },
    action: "license.user_removed",
    summary: "Remove a user",
    consequence: "The person loses the seat at the next request, and the person's devices lose theirs.",
    description:
      "Takes the seat or the invitation of a user away and resets the user's devices. The person can come back by a new " +
      "invitation alone. Repeating it succeeds."
  })),
  HttpApiEndpoint.post("eraseLicenseUser", "/api/v1/licenses/:id/users/:user_id/erase", {
    params,
    success: one(LicenseUserErasure),
    error: resourceErrors
  }).pipe(declare({
    scope: "admin",
    products: { of: "license" },
    action: "license.user_removed",
    answerKept: "last-step",
    summary: "Erase a user's personal data",
    consequence:
      "The user loses the seat, and the personal data of the user is removed from the license, its devices and events.",
    risk: "final",
    description:
      "Removes a user, and erases the personal data in the service and in its history: the name, email address and account, and the names, " +
      "hostnames and network addresses of the user's devices, which are reset. All of these are erased from past events too, and so are the " +
      "reasons of the invitation and the removal. The events keep commitments, so that the hash chain and every proof remain valid. The IDs and " +
      "the reason of the erasure itself stay. The person is not recognized afterwards: where the license admits all accounts of an identity " +
      "provider, a sign-in takes a seat again. Repeatable."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
