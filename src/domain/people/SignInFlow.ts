import * as Base64Url from "effect/encoding/Base64Url"
import { decodeBase64Url } from "../ground/parsing/StrictBytes.ts"
import { sealed, unsealed } from "./SealedText.ts"
import { cookieIn, cookiesTooMany } from "./SessionCookie.ts"

/** How long somebody may take at the identity provider, in seconds. */
export const flowSeconds = 600

/** The path that begins a sign-in by a link, and the one that the identity provider sends browsers back to. */
export const beginPath = "/api/v1/sign-in/oidc"
export const callbackPath = `${beginPath}/callback` as const

/** The path that the identity provider tells of ended sessions at, and the page that it sends browsers back to that signed out. */
export const logoutPath = `${beginPath}/back-channel-logout` as const
export const signedOutPath = "/console/sign-in"

/** For how long a browser is known to have signed out, in seconds: 30 days. */
const signedOutSeconds = 30 * 24 * 60 * 60

/** The path of the console, where a sign-in ends that asks for no other page. */
const consolePath = "/console"

/** How long the path may be that a sign-in returns to. */
export const longestReturn = 1024

/**
 * The page of the console that a text names, as a path of the service; undefined where it names anything else. It is read as a browser
 * would read it, which knows `//host`, `\`, dots and control characters.
 */
export const returnPath = (text: string | undefined): string | undefined => {
  if (text === undefined || text === "") return consolePath
  if (text.length > longestReturn || !/^\/(?![/\\])[\x21-\x7e]*$/.test(text)) return undefined
  const base = "https://service.invalid"
  const url = URL.canParse(text, base) ? new URL(text, base) : undefined
  if (url?.origin !== base || !/^\/console(\/|$)/.test(url.pathname) || /%2f|%5c|\/\//i.test(url.pathname)) {
    return undefined
  }
  return url.pathname + url.search + url.hash
}

/** A sign-in that was begun and is not over. */
export interface SignInFlow {
  /** 32 random bytes. All else that is secret of it derives from them. */
  readonly seed: Uint8Array
  /** When it is over, in seconds since 1970. */
  readonly expiresAt: number
  /** The keyed hash of the invitation that it spends. */
  readonly invitationHash: Uint8Array | undefined
  /** The keyed hash of the session that the browser has: its cookie does not come back from another site. */
  readonly formerHash: Uint8Array | undefined
  /** The page of the console that it ends at. */
  readonly returnTo: string
}

/** How many sign-ins a browser may have under way: each is a cookie, which goes with every request. */
const mostFlows = 8

const prefixFor = (isSecure: boolean): string => isSecure ? "__Host-countersign-sign-in-" : "countersign-sign-in-"

/** The name of the cookie of a flow, which has the beginning of its state: a browser may have begun several, in several tabs. */
const nameFor = (state: string, isSecure: boolean): string => prefixFor(isSecure) + state.slice(0, 16)

/** A flow as its browser keeps it. */
interface BegunFlow {
  readonly flow: string
  readonly state: string
}

/** A flow as the text of a cookie. `mac` authenticates what is written. */
export const writeFlow = (
  { expiresAt, formerHash, invitationHash, returnTo, seed }: SignInFlow,
  mac: (text: string) => Uint8Array
): string =>
  sealed([
    Base64Url.encode(seed),
    String(expiresAt),
    invitationHash === undefined ? "" : Base64Url.encode(invitationHash),
    Base64Url.encode(new TextEncoder().encode(returnTo)),
    // Left out where there is none: a node of the version before reads such a flow.
    ...(formerHash === undefined ? [] : [Base64Url.encode(formerHash)])
  ], mac)

/** The flow in the text of a cookie; undefined where it was changed, is over, or was never one. */
export const readFlow = (
  text: string,
  nowSeconds: number,
  verifies: (text: string, mac: Uint8Array) => boolean
): SignInFlow | undefined => {
  const parts = unsealed(text, 4, verifies) ?? unsealed(text, 5, verifies) ?? []
  const [seed = "", expiresAt, invitation = "", returnTo = "", former = ""] = parts
  const seedBytes = decodeBase64Url(seed)
  const returnBytes = decodeBase64Url(returnTo)
  if (seedBytes === undefined || returnBytes === undefined || !(Number(expiresAt) > nowSeconds)) return undefined
  return {
    seed: seedBytes,
    expiresAt: Number(expiresAt),
    invitationHash: invitation === "" ? undefined : decodeBase64Url(invitation),
    formerHash: former === "" ? undefined : decodeBase64Url(former),
    returnTo: new TextDecoder().decode(returnBytes)
  }
}

/**
 * The cookie of a flow. The identity provider sends the browser back from another site, which a cookie with SameSite=Strict would not
 * come with.
 */
export const flowCookie = ({ flow, state }: BegunFlow, isSecure: boolean): string =>
  `${nameFor(state, isSecure)}=${flow}; Path=/; Max-Age=${flowSeconds}; HttpOnly; SameSite=Lax${
    isSecure ? "; Secure" : ""
  }`

/** The text of the cookie of the flow with a state in a Cookie header; undefined where there is none, or more than one. */
export const flowTextIn = (header: string | undefined, state: string | null, isSecure: boolean): string | undefined =>
  state !== null && /^[\w-]{43}$/.test(state) ? cookieIn(header, nameFor(state, isSecure)) : undefined

/** The names of cookies of flows that are too many with another one: the oldest, which browsers send first. */
export const flowsTooMany = (header: string | undefined, isSecure: boolean): ReadonlyArray<string> =>
  cookiesTooMany(header, prefixFor(isSecure), mostFlows)

/** The cookie of a browser that signed out: the next sign-in asks the provider to ask for the account. */
export const signedOutName = (isSecure: boolean): string =>
  isSecure ? "__Host-countersign-signed-out" : "countersign-signed-out"

export const signedOutCookie = (isSecure: boolean): string =>
  `${signedOutName(isSecure)}=1; Path=/; Max-Age=${signedOutSeconds}; HttpOnly; SameSite=Lax${
    isSecure ? "; Secure" : ""
  }`

/** Whether a browser has signed out since the last sign-in. */
export const hasSignedOut = (header: string | undefined, isSecure: boolean): boolean =>
  cookieIn(header, signedOutName(isSecure)) !== undefined
