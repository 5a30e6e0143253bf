import type { LoadKind } from "../../../domain/ground/admission/LoadControl.ts"
import { environmentOfPath } from "../../../domain/ground/environments/Environment.ts"
import type { EnvironmentName } from "../../../domain/ground/environments/EnvironmentName.ts"
import { docUrl } from "../../../domain/ground/guides/ErrorGuide.ts"
import { catalog } from "../../../domain/ground/wire/Errors.ts"
import type { Code } from "../../../domain/ground/wire/Errors.ts"
import { isRequestId } from "../../../domain/ground/wire/Fields.ts"
import { verifyPath } from "../pages/Markdown.ts"
import { documentHeaders, securityHeaders } from "./SecurityHeaders.ts"

/** Paths that are always answered: probes and metrics. */
export const alwaysOpen: ReadonlySet<string> = new Set(["/health", "/healthz", "/readyz", "/metrics"])

/** The request id given by the caller, if it is fit for logs and events. */
export const offeredRequestId = (offered: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof offered === "string" && isRequestId(offered) ? offered : undefined

/** Whether a path is of the operations that apps ask with a license key. */
export const isOfApps = (path: string): boolean => path.startsWith("/api/v1/license/")

/** The kind of a request, by its path alone. */
export const kindOf = (path: string): LoadKind => {
  if (isOfApps(path)) {
    return path === "/api/v1/license/validate" || path === "/api/v1/license/check" ? "question" : "runtime"
  }
  return path === "/api/v1/system/public-keys" || path.startsWith("/.well-known/") ? "runtime" : "management"
}

/** Whether the answer to a request may be a file of an export. */
export const isDownload = (method: string | undefined, path: string): boolean =>
  method === "GET" && /^\/api\/v1\/reports\/exports\/[^/]+\/(download|snapshot)$/.test(path)

/** The message for a caller when no place for a large answer is free. */
export const noPlace = "Too many large responses are being sent. Try again when one has finished."

/** A refusal made without running any operation: status, headers and a body in the common envelope. */
export interface Refusal {
  readonly code: Code
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: (requestId: string, timestamp: string) => string
}

/** Prepares a refusal, so that producing it costs next to nothing. */
export const prepareRefusal = (
  code: Code,
  message: string,
  publicUrl: string,
  headers: Readonly<Record<string, string>> = {}
): Refusal => {
  const error = JSON.stringify({ code, message, doc_url: docUrl(publicUrl, code) })
  return {
    code,
    status: catalog[code].status,
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      ...securityHeaders(publicUrl),
      ...documentHeaders,
      ...(code === "UNAVAILABLE" ? { "retry-after": "1" } : {}),
      ...headers
    },
    body: (requestId, timestamp) => `{"error":${error},"meta":{"request_id":"${requestId}","timestamp":"${timestamp}"}}`
  }
}

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

/** The target of a request, as everything that judges or answers it reads it. */
export interface RequestTarget {
  /** The path in its one spelling; what is encoded in a parameter stays so. */
  readonly path: string
  /** The query with its question mark; empty where there is none. */
  readonly query: string
  /** The environment whose addresses it is among. */
  readonly environment: EnvironmentName
}

/** The path of a target that is spelt in another way than the one that counts: no rule knows it, and nothing has it. */
export const noPath = ""

/** The message for {@link noPath}. */
export const otherSpelling = "A path is written in one way: it begins with a slash, has no empty segment and no dot " +
  "segments, and encodes nothing outside of a parameter. GET /openapi.yaml lists all of them."

// RFC 9112 section 3.2: origin-form, or absolute-form, which a server must take and whose authority the Host field says
// again. RFC 3986 section 3.3: of what a segment may hold, the semicolon is left out, at which the router would cut the
// path off.
const form = /^(?:https?:\/\/[^/?#\s\\]+)?((?:\/(?:[\w.~!$&'()*+,=:@-]|%[0-9a-f]{2})*)+)(\?[^#]*)?$/i

const hasOddSegment = /\/(?:\/|\.{1,2}(?:\/|$))/

/** A path with what is encoded in it, but for what separates segments, as the router reads it; undefined for no UTF-8. */
const decoded = (path: string): string | undefined => {
  try {
    return decodeURI(path)
  } catch {
    return undefined
  }
}

/** Whether what is encoded stands in parameters alone, and the path is of the same operation when it is decoded. */
const isEncodedInParameters = (path: string, routeOf: (path: string) => string | undefined): boolean => {
  const route = routeOf(path)
  const plain = decoded(path)
  return route !== undefined && plain !== undefined && !hasOddSegment.test(plain) && routeOf(plain) === route
}

// C2SP tlog-tiles: the index of a tile in elements of three digits, and the width of a partial one.
const tile = /^((?:\/[a-z]+)?\/api\/v1\/log\/[^/]+\/tile\/[^/]+\/)((?:x\d{3}\/)*\d{3}(?:\.p\/\d+)?)$/

/** A path with the name of a tile as one parameter, which it is: the standard spells it with slashes. */
const withTileName = (path: string): string =>
  path.includes("/tile/") ? path.replace(tile, (_, before, name) => before + name.replaceAll("/", "%2F")) : path

/**
 * Reads the target of a request, before anything else of it is judged. Router, limits, labels and proxies must not take
 * one path for two, so there is one spelling of each; undefined for any other.
 */
export const makeTargetReader =
  (routeOf: (path: string) => string | undefined) => (target: string): RequestTarget | undefined => {
    const [, sent, query = ""] = form.exec(target) ?? []
    if (sent === undefined || hasOddSegment.test(sent)) return undefined
    const whole = withTileName(sent)
    const prefixed = environmentOfPath(whole)
    // Documents and operations alone: probes and metrics are those of the process, and a crawler starts nothing.
    const isThere = !alwaysOpen.has(prefixed.path) &&
      (routeOf(prefixed.path) !== undefined || prefixed.path === verifyPath || prefixed.path.startsWith("/docs/"))
    const { name: environment, path } = isThere ? prefixed : { name: "live" as const, path: whole }
    if (path.includes("%") && !isEncodedInParameters(path.length > 1 ? path.replace(/\/$/, "") : path, routeOf)) {
      return undefined
    }
    return { path, query, environment }
  }

/** Where a path with a slash at its end leads instead, relative to it; undefined for a path that has none. */
export const withoutSlash = ({ path, query }: RequestTarget): string | undefined =>
  path.length > 1 && path.endsWith("/")
    ? `../${path.slice(path.lastIndexOf("/", path.length - 2) + 1, -1)}${query}`
    : undefined

/** The path of a target that was read; {@link noPath} of any other. */
export const pathOf = (url: string): string => {
  const end = url.indexOf("?")
  return end === -1 ? url : url.slice(0, end)
}

/**
 * The name of a query parameter that cannot be read: what is encoded in it is no UTF-8, or bytes stand there that had to be
 * encoded (RFC 3986 section 2.1). Undefined where all can.
 */
export const unreadableParameter = (url: string): string | undefined => {
  const query = url.slice(pathOf(url).length + 1)
  if (!/[^\x21-\x24\x26-\x7e]/.test(query)) return undefined
  return query.split("&").find((pair) => {
    try {
      decodeURIComponent(pair)
      return /[^\x21-\x7e]/.test(pair)
    } catch {
      return true
    }
  })?.replace(/=.*$/s, "")
}

/** The path of a target that was read, with its parameters as they are meant. */
export const decodedPathOf = (url: string): string => {
  const path = pathOf(url)
  if (!path.includes("%")) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
