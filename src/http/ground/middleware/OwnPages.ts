import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { failing, Unauthenticated } from "../../../domain/ground/wire/Errors.ts"
import { elsewhereText, isSameOrigin, sessionTokenIn } from "../../../domain/people/SessionCookie.ts"
import type { RequestSite } from "../../../domain/people/SessionCookie.ts"

/** Whether cookies go over https alone: the service is published so. */
export const isSecure = (publicUrl: string): boolean => publicUrl.startsWith("https:")

const siteOf = ({ headers }: HttpServerRequest.HttpServerRequest): RequestSite => {
  const { "sec-fetch-site": site, host, origin } = headers
  return { site, origin, host }
}

/** Whether the request comes from a page of the service. */
export const isOwnPage = (publicUrl: string) =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) => isSameOrigin(siteOf(request), publicUrl))

/** Refuses a request that comes from no page of the service. Asked before anything is told of the credential. */
export const ownPage = (publicUrl: string) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const site = siteOf(request)
    return isSameOrigin(site, publicUrl)
      ? Effect.void
      : Effect.fail(failing(Unauthenticated, elsewhereText(site, publicUrl)))
  })

/**
 * The header in which a page names the person whose page it is. A browser has one session for all its tabs, and in another one
 * somebody else may have signed in since.
 */
export const expectedPerson = "countersign-person"

/**
 * The header in which a page says that it asks by itself, and not for its person: that is no use of the session. It can only have a session
 * end sooner: without it, every request is use.
 */
export const pollHeader = "countersign-poll"

/** The secret of the session that a request is made in. A request with a token of its own is made in none. */
export const sessionOf = (
  { headers }: HttpServerRequest.HttpServerRequest,
  publicUrl: string
): string | undefined =>
  headers["authorization"] === undefined ? sessionTokenIn(headers["cookie"], isSecure(publicUrl)) : undefined

/** Takes cookies from a browser. */
export const expiring =
  (names: ReadonlyArray<string>, secure: boolean) => (response: HttpServerResponse.HttpServerResponse) =>
    names.reduce(
      (answer, name) => HttpServerResponse.expireCookieUnsafe(answer, name, { path: "/", httpOnly: true, secure }),
      response
    )
