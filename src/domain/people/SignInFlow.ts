import * as Base64Url from "effect/encoding/Base64Url"
import { decodeBase64Url } from "../parsing/StrictBytes.ts"
import { sealed, unsealed } from "./SealedText.ts"
import { cookieIn } from "./SessionCookie.ts"

/** How long somebody may take at the identity provider, in seconds. */
export const flowSeconds = 600

/** The path that begins a sign-in by a link, and the one that the identity provider sends browsers back to. */
export const beginPath = "/api/v1/sign-in/oidc"
export const callbackPath = `${beginPath}/callback` as const

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

const nameFor = (isSecure: boolean): string => isSecure ? "__Host-countersign-sign-in" : "countersign-sign-in"

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
export const flowCookie = (text: string, isSecure: boolean): string =>
  `${nameFor(isSecure)}=${text}; Path=/; Max-Age=${flowSeconds}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`

/** The text of the flow's cookie in a Cookie header; undefined where there is none, or more than one. */
export const flowTextIn = (header: string | undefined, isSecure: boolean): string | undefined =>
  cookieIn(header, nameFor(isSecure))
