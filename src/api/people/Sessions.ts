import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  InvalidHeader,
  NotFound,
  PersonMismatch,
  RateLimited,
  StateConflict,
  TokenExpired,
  TokenScopeDenied,
  Unauthenticated,
  Unavailable
} from "../../domain/ground/wire/Errors.ts"
import * as Id from "../../domain/ground/wire/Id.ts"
import { InvitationShown, PasskeyChallenge, PasskeyCreate, PasskeySignIn } from "../../domain/people/Passkey.ts"
import {
  Session,
  SessionInEvent,
  SignedOut,
  SignIn,
  SignInStart,
  SignInStarted,
  SignInWays
} from "../../domain/people/Session.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { createdQuery, pathId } from "../ground/Parameters.ts"
import { bodyErrors, created, listErrors, noContent, one, page, resourceErrors } from "../ground/Responses.ts"

/** Sessions of people who are signed in. */
export class Sessions extends HttpApiGroup.make("sessions").add(
  HttpApiEndpoint.get("listSessions", "/api/v1/sessions", {
    query: { ...createdQuery, person_id: Schema.optionalKey(Id.filter("per")) },
    success: page(Session),
    error: listErrors
  }).pipe(declare({
    scope: "any",
    products: "open",
    summary: "List sessions",
    description:
      "The sessions of the caller, newest first; with `people:read` those of all people, or of `person_id`. Ended sessions are omitted."
  })),
  HttpApiEndpoint.delete("endSession", "/api/v1/sessions/:id", {
    params: { id: pathId },
    success: noContent,
    error: resourceErrors
  }).pipe(declare({
    scope: "any",
    products: "open",
    action: "session.ended",
    consequence: "The next request of the session is refused.",
    summary: "End a session",
    description:
      "Ends a session of the caller, `current` for the one that asks: this signs out. That of another person is ended " +
      "with `people:write`."
  })),
  HttpApiEndpoint.post("noteAdminSignIn", "/api/v1/sign-in/admin-token", {
    success: noContent,
    error: [StateConflict]
  }).pipe(declare({
    scope: "admin",
    products: "refused",
    action: "api_key.signed_in",
    summary: "Note an admin sign-in",
    description:
      "Writes an event about a sign-in to the console with the admin token, so that all people with access can learn of it. The " +
      "console calls it, and for no other token."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}

/** The ways in, which no credential is needed for. */
export class SignIns extends HttpApiGroup.make("sign-ins").add(
  HttpApiEndpoint.get("getSignInWays", "/api/v1/sign-in", {
    success: one(SignInWays)
  }).pipe(declare({
    scope: "none",
    summary: "Get sign-in options",
    description: "The ways to sign in that this service offers, as a page needs them before anybody is signed in."
  })),
  HttpApiEndpoint.post("beginSignIn", "/api/v1/sign-in/oidc", {
    payload: SignInStart,
    success: created(SignInStarted),
    error: [...bodyErrors, InvalidHeader, Unauthenticated, RateLimited, StateConflict, Unavailable]
  }).pipe(declare({
    scope: "none",
    action: "none",
    answerKept: "none",
    summary: "Begin an external sign-in",
    description:
      "Returns the address at the identity provider to send the browser to, and sets a cookie by which the browser is " +
      "recognized when it comes back, within 10 minutes. It is for pages of the service, as `POST /api/v1/sign-in` is. A " +
      "link to `GET /api/v1/sign-in/oidc?return_to=/console` does the same without an invitation, and leads there."
  })),
  HttpApiEndpoint.post("signIn", "/api/v1/sign-in", {
    payload: SignIn,
    success: created(SessionInEvent),
    error: [...bodyErrors, InvalidHeader, Unauthenticated, RateLimited]
  }).pipe(declare({
    scope: "none",
    action: "none",
    answerKept: "none",
    summary: "Sign in",
    description:
      "Spends an invitation and opens a session, in a cookie that no script can read. It is for pages of the " +
      "service: the browser must say so by `Sec-Fetch-Site` or `Origin`. Management operations take the cookie instead of a " +
      "token, from the same pages; with the ID of a person in the header `Countersign-Person`, only in a session of this person, " +
      "otherwise PERSON_MISMATCH."
  })),
  HttpApiEndpoint.post("signOut", "/api/v1/sign-out", {
    success: one(SignedOut),
    error: [InvalidHeader, Unauthenticated, RateLimited, TokenExpired, TokenScopeDenied, PersonMismatch, NotFound]
  }).pipe(declare({
    scope: "none",
    action: "none",
    answerKept: "none",
    summary: "Sign out",
    description:
      "Ends the session of the browser, as `DELETE /api/v1/sessions/current` does. For one that was opened at an identity provider that " +
      "takes sign-outs, it returns the address to send the browser to, unless `COUNTERSIGN_OIDC_SIGN_OUT` is `service`; the next sign-in " +
      "there asks for the account. It is for pages of the service, as `POST /api/v1/sign-in` is."
  })),
  HttpApiEndpoint.post("beginPasskeySignIn", "/api/v1/sign-in/passkey", {
    success: created(PasskeyChallenge),
    error: [InvalidHeader, Unauthenticated, RateLimited, StateConflict]
  }).pipe(declare({
    scope: "none",
    action: "none",
    answerKept: "none",
    summary: "Begin a passkey sign-in",
    description:
      "A challenge for the browser to sign with any passkey of this host, and a cookie by which the browser is recognized. It is for " +
      "pages of the service, as `POST /api/v1/sign-in` is. Refused with STATE_CONFLICT where passkeys cannot work: they need https, " +
      "or localhost."
  })),
  HttpApiEndpoint.post("finishPasskeySignIn", "/api/v1/sign-in/passkey/finish", {
    payload: PasskeySignIn,
    success: created(SessionInEvent),
    error: [...bodyErrors, InvalidHeader, Unauthenticated, RateLimited, StateConflict, TokenScopeDenied]
  }).pipe(declare({
    scope: "none",
    action: "none",
    answerKept: "none",
    summary: "Sign in with a passkey",
    description:
      "Opens a session of the person whose passkey has signed the challenge, in a cookie that no script can read. A challenge is good " +
      "once, for 5 minutes, in the browser that asked for it. Refused with TOKEN_SCOPE_DENIED for a person without a role."
  })),
  HttpApiEndpoint.post("showInvitation", "/api/v1/sign-in/invitation", {
    payload: SignIn,
    success: one(InvitationShown),
    error: [...bodyErrors, InvalidHeader, Unauthenticated, RateLimited]
  }).pipe(declare({
    scope: "none",
    action: "none",
    answerKept: "none",
    summary: "Show an invitation",
    description:
      "The person, the roles and the maker of an invitation, which is not spent. If it can add a passkey, the response has the options " +
      "for it, and a cookie by which the browser is recognized. It is for pages of the service."
  })),
  HttpApiEndpoint.post("joinWithPasskey", "/api/v1/sign-in/invitation/passkey", {
    payload: PasskeyCreate,
    success: created(SessionInEvent),
    error: [...bodyErrors, InvalidHeader, Unauthenticated, RateLimited, StateConflict, TokenScopeDenied]
  }).pipe(declare({
    scope: "none",
    action: "none",
    answerKept: "none",
    summary: "Join with a passkey",
    description:
      "Spends the invitation that was shown to this browser, gives its person the passkey that the browser has created, and opens a " +
      "session, in a cookie that no script can read. Earlier sessions of the person end."
  }))
).middleware(Envelope) {}
