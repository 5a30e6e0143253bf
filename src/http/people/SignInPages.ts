import { Effect, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { rateLimitHeaders } from "../../domain/ground/admission/RateLimit.ts"
import { catalog } from "../../domain/ground/wire/Errors.ts"
import type { Code, DomainError } from "../../domain/ground/wire/Errors.ts"
import { sessionCookie } from "../../domain/people/SessionCookie.ts"
import {
  beginPath,
  callbackPath,
  flowCookie,
  flowsTooMany,
  flowTextIn,
  hasSignedOut,
  logoutPath,
  signedOutName
} from "../../domain/people/SignInFlow.ts"
import { Settings } from "../../services/ground/platform/Settings.ts"
import { IdentitySignIns } from "../../services/people/IdentitySignIns.ts"
import { ProviderSignOuts } from "../../services/people/ProviderSignOuts.ts"
import { FormerSession, RefusedSignIns } from "../../services/people/RefusedSignIns.ts"
import type { SignInRefused } from "../../services/people/RefusedSignIns.ts"
import { Sessions } from "../../services/people/Sessions.ts"
import { refusedWith } from "../ground/edge/Exchanges.ts"
import { pageHeaders } from "../ground/edge/StaticAnswer.ts"
import { expiring, isSecure, sessionOf } from "../ground/middleware/OwnPages.ts"
import { escape, page } from "../ground/pages/Markdown.ts"

const html = "text/html; charset=utf-8"

/** The code of a refusal in the log, and by that its status. */
const codes = {
  again: "UNAUTHENTICATED",
  refused: "TOKEN_SCOPE_DENIED",
  away: "UNAVAILABLE"
} as const satisfies Readonly<
  Record<string, Code>
>

/** A refusal as a page for whoever tries. */
const refusedPage = (code: Code, message: string, headers: Readonly<Record<string, string>> = {}) =>
  Effect.as(
    refusedWith(code),
    HttpServerResponse.text(
      page({
        title: "Not signed in · Countersign",
        main: `<h1>You are not signed in</h1>\n<p class="lead">${
          escape(message)
        }</p>\n<p><a href="/console">Console</a></p>`
      }),
      { status: catalog[code].status, contentType: html, headers: { ...pageHeaders(), ...headers } }
    )
  )

/** A domain error in a sentence about this request. */
const sentenceOf = ({ error: { fields, message } }: DomainError): string =>
  fields?.[0] === undefined ? message : `${fields[0].path} ${fields[0].message}.`

const shown = Effect.catch((error: DomainError | SignInRefused) =>
  error._tag === "SignInRefused"
    ? refusedPage(codes[error.kind], error.message)
    : refusedPage(error._tag, sentenceOf(error), error._tag === "RATE_LIMITED" ? rateLimitHeaders(error) : {})
)

/**
 * The end of a sign-in. It is a page, and no redirect: the browser was sent here by another site, and sends a cookie with
 * SameSite=Strict only once a page of this service asks for the next one.
 */
const enteredPage = (url: string): string =>
  page({
    title: "Signed in · Countersign",
    more: `<meta http-equiv="refresh" content="0; url=${escape(url)}">`,
    main: `<h1>You are signed in</h1>\n<p class="lead"><a href="${escape(url)}">Continue</a></p>`
  })

/** Takes cookies of sign-ins that are too many from a browser. */
export const withoutOldFlows = (header: string | undefined, secure: boolean) =>
  expiring(flowsTooMany(header, secure), secure)

/**
 * Forgets that the browser has signed out once the provider has asked for the account, and where it has refused to: some do not know how,
 * and the next sign-in then goes without.
 */
const askedAccount = (secure: boolean) => (response: HttpServerResponse.HttpServerResponse) =>
  Effect.map(HttpServerRequest.HttpServerRequest, ({ headers, url }) => {
    const failure = new URLSearchParams(queryOf(url)).get("error")
    const isOver = response.status === 200 || (failure !== null && failure !== "access_denied")
    return isOver && hasSignedOut(headers["cookie"], secure)
      ? expiring([signedOutName(secure)], secure)(response)
      : response
  })

const LogoutForm = Schema.Struct({ logout_token: Schema.String.check(Schema.isBetweenLength(1, 16_384)) })

/** An answer to the provider, which no cache keeps (OpenID Connect Back-Channel Logout 1.0, 2.8). */
const toProvider = (status: number, body: object | undefined, headers: Readonly<Record<string, string>> = {}) => {
  const options = { status, headers: { "cache-control": "no-store", ...headers } }
  return body === undefined ? HttpServerResponse.empty(options) : HttpServerResponse.jsonUnsafe(body, options)
}

const refusedLogout = toProvider(400, { error: "invalid_request", error_description: "The logout token is not valid." })

/** The provider tells of a session there that has ended. */
const loggedOut = ({ endedThere }: ProviderSignOuts["Service"]) =>
  Effect.gen(function*() {
    const form = yield* Effect.option(HttpServerRequest.schemaBodyUrlParams(LogoutForm))
    yield* endedThere(form._tag === "Some" ? form.value.logout_token : "")
    return toProvider(200, undefined)
  }).pipe(Effect.catchTags({
    AnswerRefused: () => Effect.as(refusedWith("UNAUTHENTICATED"), refusedLogout),
    ProviderAway: () => Effect.as(refusedWith("UNAVAILABLE"), toProvider(503, { error: "temporarily_unavailable" })),
    RATE_LIMITED: (error) =>
      Effect.as(refusedWith("RATE_LIMITED"), toProvider(429, { error: "slow_down" }, rateLimitHeaders(error)))
  }))

const queryOf = (url: string): string => {
  const at = url.indexOf("?")
  return at < 0 ? "" : url.slice(at + 1)
}

/** Sign-in at the identity provider, as browsers walk through it. */
export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const signIns = yield* IdentitySignIns
  const sessions = yield* Sessions
  const { note } = yield* RefusedSignIns
  const { publicUrl, sessionHours } = yield* Settings
  const secure = isSecure(publicUrl)

  yield* router.add(
    "GET",
    beginPath,
    Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { headers: { cookie }, url } = request
      const token = sessionOf(request, publicUrl)
      const asked = new URLSearchParams(queryOf(url)).get("return_to")
      const begun = yield* signIns.begin(asked === null ? {} : { return_to: asked }, {
        asksAccount: hasSignedOut(cookie, secure)
      }).pipe(Effect.provideService(FormerSession, token && sessions.formerOf(token)))
      return HttpServerResponse.redirect(begun.url, {
        status: 302,
        headers: { ...pageHeaders(), "set-cookie": flowCookie(begun, secure) }
      }).pipe(withoutOldFlows(cookie, secure))
    }).pipe(shown)
  )

  yield* router.add(
    "GET",
    callbackPath,
    Effect.gen(function*() {
      const { headers, url } = yield* HttpServerRequest.HttpServerRequest
      const query = queryOf(url)
      const { returnTo, token } = yield* signIns.finish(
        flowTextIn(headers["cookie"], new URLSearchParams(query).get("state"), secure),
        query,
        headers["user-agent"]
      ).pipe(
        Effect.tapError((error) =>
          error._tag === "SignInRefused" && error.kind !== "away" ? note("openid_connect", error.message) : Effect.void
        )
      )
      return HttpServerResponse.text(enteredPage(publicUrl + returnTo), {
        contentType: html,
        headers: { ...pageHeaders(), "set-cookie": sessionCookie(token, secure, sessionHours * 3600) }
      })
    }).pipe(shown, Effect.flatMap(askedAccount(secure)))
  )

  yield* router.add("POST", logoutPath, loggedOut(yield* ProviderSignOuts))
}))
