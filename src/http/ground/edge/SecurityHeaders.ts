type Headers = Readonly<Record<string, string>>

/** How long a browser asks a host by https alone once it was told to, in seconds: a year. */
const remembered = 31_536_000

/**
 * A browser that knows the host by its https address never asks it without (HSTS, RFC 6797). The host alone: what else a
 * vendor runs under its name is not ours to bind. Browsers ignore it in an answer that came without TLS.
 */
const transportSecurity = (publicUrl: string): Headers =>
  publicUrl.startsWith("https:") ? { "strict-transport-security": `max-age=${remembered}` } : {}

/** Headers of every answer, those of apps too, which are kept short: no browser guesses another type of content. */
export const securityHeaders = (publicUrl: string): Headers => ({
  "x-content-type-options": "nosniff",
  ...transportSecurity(publicUrl)
})

/**
 * Headers of an answer that a browser may open by an address alone: shown as a document it does nothing and is in no
 * frame (CSP level 3), and pages of other origins do not get it into their process (Cross-Origin-Resource-Policy of the
 * Fetch standard). Requests in CORS mode, which are all that pages may read, do not look at the latter.
 */
export const documentHeaders: Headers = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin"
}

/** How an answer is reached, which decides what its headers must say. */
export type AnswerKind = "app" | "document" | "unchanged"

/**
 * Completes the headers of an answer; what it says itself stays. An app asks by POST with an Authorization header, so no
 * address in a browser leads to its answer, and it has none of {@link documentHeaders}. Neither has an answer of what is
 * `unchanged` (304): a browser would write them over those of the page that it has (RFC 9111 section 3.2).
 */
export const makeAnswerHeaders = (publicUrl: string) => {
  const short: Headers = { "cache-control": "no-store", ...securityHeaders(publicUrl) }
  const whole: Headers = { ...short, ...documentHeaders }
  return (requestId: string, own: Headers, kind: AnswerKind): Headers => ({
    ...(kind === "document" ? whole : short),
    ...own,
    "x-request-id": requestId
  })
}
