import { environmentOfPath } from "../../../domain/ground/environments/Environment.ts"
import type { EnvironmentName } from "../../../domain/ground/environments/EnvironmentName.ts"
import { verifyPath } from "../pages/Console.ts"
import { alwaysOpen } from "./Refusal.ts"

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
