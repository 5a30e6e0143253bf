import * as Base64Url from "effect/encoding/Base64Url"

/** The name of the cookie: with the prefix, a browser takes it from this host alone, over https, for all paths. */
const nameFor = (isSecure: boolean): string => isSecure ? "__Host-countersign" : "countersign"

/** A secret of 32 random bytes, behind letters that tell what it opens. */
export const secretOf = (
  kind: "clt" | "cml" | "cms" | "cpb" | "cpl" | "csi" | "csp" | "css",
  random: Uint8Array
): string => {
  if (random.length !== 32) throw new RangeError(`A secret needs 32 random bytes, not ${random.length}`)
  return `${kind}_${Base64Url.encode(random)}`
}

/** The secret of a session. Throws a RangeError when there are not exactly 32 bytes. */
export const formatSessionToken = (random: Uint8Array): string => secretOf("css", random)

/** The secret of an invitation. Throws a RangeError when there are not exactly 32 bytes. */
export const formatInvitation = (random: Uint8Array): string => secretOf("csi", random)

/** Whether a text has the shape of the secret of a session. */
export const isSessionToken = (text: string): boolean => /^css_[A-Za-z0-9_-]{43}$/.test(text)

/** Whether a text has the shape of an invitation. */
export const isInvitation = (text: string): boolean => /^csi_[A-Za-z0-9_-]{43}$/.test(text)

/** The cookie of a session that ends after some seconds at the latest: no script reads it, and no other site sends it. */
export const sessionCookie = (token: string, isSecure: boolean, seconds: number): string =>
  `${nameFor(isSecure)}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`

/**
 * The value of a cookie in a Cookie header; undefined where there is none. Where there are several of the name, one of them was
 * planted, and none is taken.
 */
export const cookieIn = (header: string | undefined, name: string): string | undefined => {
  if (header === undefined) return undefined
  const found = header.split(";").map((part) => part.trim()).filter((part) => part.startsWith(`${name}=`))
  return found.length === 1 ? found[0]!.slice(name.length + 1) : undefined
}

/** The names of cookies that begin so and are too many, where a browser may have `most` with another one: the oldest, which it sends first. */
export const cookiesTooMany = (header: string | undefined, prefix: string, most: number): ReadonlyArray<string> =>
  (header ?? "").split(";").map((part) => part.trim().split("=", 1)[0]!)
    .filter((name) => name.startsWith(prefix) && /^[\w-]+$/.test(name))
    .slice(0, -(most - 1))

/** The secret of a session in a Cookie header; undefined where there is none. */
export const sessionTokenIn = (header: string | undefined, isSecure: boolean): string | undefined =>
  cookieIn(header, nameFor(isSecure))

/** What a browser says of where a request comes from. */
export interface RequestSite {
  /** `Sec-Fetch-Site`, which no page can set. */
  readonly site: string | undefined
  readonly origin: string | undefined
  readonly host: string | undefined
}

/**
 * Whether a request comes from a page of the service itself. A page of the address that the service is published under is one,
 * whatever Host a proxy passes on: nginx's `$host` has no port. Under another name of the service the browser's own word is asked
 * for beside its Host; where it has none, because it is old or the address is neither https nor localhost, only the published
 * address counts.
 */
export const isSameOrigin = ({ host, origin, site }: RequestSite, publicUrl: string): boolean => {
  if (site !== undefined && site !== "same-origin") return false
  if (origin === undefined) return site === "same-origin"
  if (origin === new URL(publicUrl).origin) return true
  return site === "same-origin" && URL.canParse(origin) && new URL(origin).host === host
}

/** The longest origin that a refusal repeats, in characters: strangers write it. */
const longestOrigin = 200

/** The reason, in words, that a request is not made from a page of the service. It names both addresses where it has both. */
export const elsewhereText = ({ host, origin }: RequestSite, publicUrl: string): string => {
  const rule = "A session works only from pages of this service, over https or on localhost."
  if (origin === undefined || !URL.canParse(origin)) return `${rule} Send a token instead.`
  const reached = [new URL(origin).origin, `Host ${host ?? ""}`].map((text) => text.slice(0, longestOrigin))
  return `${rule} The service is published at ${
    new URL(publicUrl).origin
  } (COUNTERSIGN_PUBLIC_URL), and this request came from ` +
    `a page of ${reached.join(" with ")}. Open the published address, or set it to the one that people open.`
}
