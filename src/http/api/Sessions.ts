import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Session, SessionInEvent, SignIn } from "../../domain/people/Session.ts"
import { InvalidHeader, RateLimited, Unauthenticated } from "../../domain/wire/Errors.ts"
import { Envelope, Idempotency, Management } from "./Middleware.ts"
import { declare } from "./Operation.ts"
import { createdQuery, pathId } from "./Parameters.ts"
import { bodyErrors, created, listErrors, noContent, page, resourceErrors } from "./Responses.ts"

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

/** The way in, which no credential is needed for. */
export class SignIns extends HttpApiGroup.make("sign-ins").add(
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
