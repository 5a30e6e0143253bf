import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Session, SessionInEvent, SignIn, SignInStart, SignInStarted, SignInWays } from "../../domain/people/Session.ts"
import { InvalidHeader, RateLimited, StateConflict, Unauthenticated, Unavailable } from "../../domain/wire/Errors.ts"
import { Envelope, Idempotency, Management } from "./Middleware.ts"
import { declare } from "./Operation.ts"
import { createdQuery, pathId } from "./Parameters.ts"
import { bodyErrors, created, listErrors, noContent, one, page, resourceErrors } from "./Responses.ts"

/** Sessions of people who are signed in. */
export class Sessions extends HttpApiGroup.make("sessions").add(
  HttpApiEndpoint.get("listSessions", "/api/v1/sessions", {
    query: createdQuery,
    success: page(Session),
    error: listErrors
  }).pipe(declare({
    scope: "any",
    products: "open",
    summary: "List sessions",
    description:
      "The sessions of the caller, newest first; with `people:read` those of all people. Ended sessions are omitted."
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
    description: "Ends a session of the caller: this signs out. That of another person is ended with `people:write`."
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
      "token, from the same pages."
  }))
).middleware(Envelope) {}
