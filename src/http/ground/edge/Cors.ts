import { kindOf } from "./Refusal.ts"

type Headers = Readonly<Record<string, string>>

/** The headers of a request by their names in lower case. */
type PreflightHeaders = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** Headers that a page may send: what the operations read and the Fetch standard guards, and what tracers send with it. */
const requestHeaders = [
  "Authorization",
  "Content-Type",
  "Idempotency-Key",
  "If-None-Match",
  "X-Nonce",
  "X-User-Token",
  "X-Request-Id",
  "traceparent",
  "tracestate",
  "b3"
].join(", ")

/** Headers of answers that a page could not read otherwise. */
const answerHeaders = [
  "X-Request-Id",
  "Retry-After",
  "RateLimit",
  "RateLimit-Policy",
  "Idempotency-Replayed",
  "ETag",
  "Allow",
  "WWW-Authenticate"
].join(", ")

/** Caches must tell answers to different origins apart, and those to none; not where all are the same. */
const vary: Headers = { vary: "Origin" }

/** For how long a browser may remember a preflight, in seconds: as long as Chromium does at most. */
const remembered = "7200"

/**
 * Tells browsers which pages may read an answer (the CORS protocol of the Fetch standard). Only what apps ask has these
 * headers: runtime operations and public keys, never management. Cookies play no part, so credentials mode is not
 * allowed: a page sends its license key by itself.
 */
export interface Cors {
  /** The headers of every answer to a request of `origin` for `path`, errors included; preflights aside. */
  readonly headersFor: (path: string, origin: string | undefined) => Headers
  /** The headers that allow what a preflight asks for; undefined where it asks for anything else, or is none. */
  readonly preflight: (path: string, requested: PreflightHeaders) => Headers | undefined
  /** The headers that an answer varies by, after those in `own`; undefined where none is added. */
  readonly varyOf: (path: string, own: string | undefined) => string | undefined
}

const isForPages = (path: string): boolean => kindOf(path) !== "management"

/**
 * The {@link Cors} of a service that allows these origins, serialized as browsers send them, or any by `*`; undefined
 * where it allows none, so that nothing is asked of it then.
 */
export const makeCors = (
  origins: ReadonlyArray<string>,
  methodsOf: (path: string) => ReadonlyArray<string>
): Cors | undefined => {
  if (origins.length === 0) return undefined
  const allowed = new Set(origins)
  const isAny = allowed.has("*")

  const allowing = (origin: unknown): Headers | undefined => {
    if (isAny) return { "access-control-allow-origin": "*" }
    return typeof origin === "string" && allowed.has(origin)
      ? { "access-control-allow-origin": origin, ...vary }
      : undefined
  }

  return {
    headersFor: (path, origin) => {
      if (!isForPages(path)) return {}
      const headers = allowing(origin)
      return headers === undefined ? vary : { ...headers, "access-control-expose-headers": answerHeaders }
    },
    preflight: (path, { "access-control-request-method": method, origin }) => {
      if (typeof method !== "string" || origin === undefined || !isForPages(path)) return undefined
      const headers = allowing(origin)
      const methods = headers === undefined ? [] : methodsOf(path)
      return methods.includes(method)
        ? {
          ...headers,
          "access-control-allow-methods": methods.join(", "),
          "access-control-allow-headers": requestHeaders,
          "access-control-max-age": remembered
        }
        : undefined
    },
    varyOf: (path, own) => own === undefined || isAny || !isForPages(path) ? undefined : `${own}, Origin`
  }
}
