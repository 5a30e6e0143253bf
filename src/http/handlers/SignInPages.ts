import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { rateLimitHeaders } from "../../domain/admission/RateLimit.ts"
import { sessionCookie } from "../../domain/people/SessionCookie.ts"
import { beginPath, callbackPath, flowCookie, flowTextIn } from "../../domain/people/SignInFlow.ts"
import { catalog } from "../../domain/wire/Errors.ts"
import type { Code, DomainError } from "../../domain/wire/Errors.ts"
import { IdentitySignIns } from "../../services/people/IdentitySignIns.ts"
import { RefusedSignIns } from "../../services/people/RefusedSignIns.ts"
import { Sessions } from "../../services/people/Sessions.ts"
import { FormerSession } from "../../services/people/SignInAdmission.ts"
import type { SignInRefused } from "../../services/people/SignInRefused.ts"
import { Settings } from "../../services/platform/Settings.ts"
import { pageHeaders } from "../answers/StaticAnswer.ts"
import { refusedWith } from "../edge/Exchanges.ts"
import { isSecure, sessionOf } from "../middleware/OwnPages.ts"
import { escape, page } from "../pages/Layout.ts"

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
      const { url } = request
      const token = sessionOf(request, publicUrl)
      const asked = new URLSearchParams(queryOf(url)).get("return_to")
      const begun = yield* signIns.begin(asked === null ? {} : { return_to: asked }).pipe(
        Effect.provideService(FormerSession, token && sessions.formerOf(token))
      )
      return HttpServerResponse.redirect(begun.url, {
        status: 302,
        headers: { ...pageHeaders(), "set-cookie": flowCookie(begun.flow, secure) }
      })
    }).pipe(shown)
  )

  yield* router.add(
    "GET",
    callbackPath,
    Effect.gen(function*() {
      const { headers, url } = yield* HttpServerRequest.HttpServerRequest
      const { returnTo, token } = yield* signIns.finish(
        flowTextIn(headers["cookie"], secure),
        queryOf(url),
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
    }).pipe(shown)
  )
}))
