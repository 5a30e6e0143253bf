import * as Crockford from "../ground/wire/Crockford.ts"
import { cookieIn, secretOf } from "../people/SessionCookie.ts"

/** How long a link is good, in minutes: a mailed one from when a mail server took it. */
export const linkMinutes = 15

/** How long the mail with a link may wait for a mail server, in minutes. Until then nobody knows the link. */
export const linkWaitMinutes = 120

/** How many codes may be tried for a link, of 2^40 that there are. */
export const mostTries = 10

/** The secret of a link. Throws a RangeError when there are not exactly 32 bytes. */
export const formatPortalLink = (random: Uint8Array): string => secretOf("cpl", random)

/** The secret of a browser that asked for a link. Throws a RangeError when there are not exactly 32 bytes. */
export const formatAskingBrowser = (random: Uint8Array): string => secretOf("cpb", random)

/** The name of the cookie: with the prefix, a browser takes it from this host alone, over https, for all paths. */
const nameFor = (isSecure: boolean): string => isSecure ? "__Host-countersign-portal-link" : "countersign-portal-link"

/** The cookie of a browser that asked for a link: codes of that link work in it alone. */
export const askingCookie = (token: string, isSecure: boolean): string =>
  `${nameFor(isSecure)}=${token}; Path=/; Max-Age=${(linkWaitMinutes + linkMinutes) * 60}; HttpOnly; SameSite=Strict${
    isSecure ? "; Secure" : ""
  }`

/** The secret of a browser that asked for a link, in a Cookie header; undefined where there is none. */
export const askingBrowserIn = (header: string | undefined, isSecure: boolean): string | undefined =>
  cookieIn(header, nameFor(isSecure))

/** A code, to be typed on another device than the one with the mail. Throws a RangeError when there are not exactly 5 bytes. */
export const formatPortalCode = (random: Uint8Array): string => {
  if (random.length !== 5) throw new RangeError(`A code needs 5 random bytes, not ${random.length}`)
  return Crockford.encode(random).replace(/^.{4}/, "$&-")
}

/** A code as people type it, in the form that {@link formatPortalCode} writes: case, spaces, dashes, O/0 and I/L/1 are forgiven. */
export const readPortalCode = (text: string): string =>
  text.normalize("NFKC").toUpperCase().replace(/[\s\p{Pd}]/gu, "").replaceAll("O", "0").replace(/[IL]/g, "1")
    .replace(/^.{4}/, "$&-")
