import * as Base64Url from "effect/encoding/Base64Url"
import { decodeBase64Url } from "../parsing/StrictBytes.ts"
import { sealed, unsealed } from "./SealedText.ts"
import { cookieIn } from "./SessionCookie.ts"

/** How long a browser may take to answer a challenge, in seconds. */
export const passkeySeconds = 300

const purposes = ["sign-in", "add", "join"] as const

/** A challenge that waits for its answer. It is with the browser, and nowhere else. */
export interface PasskeyFlow {
  /** What the answer is for: none is good for anything else. */
  readonly purpose: typeof purposes[number]
  /** 32 random bytes, from which the challenge derives. */
  readonly seed: Uint8Array
  /** When it is over, in seconds since 1970. */
  readonly expiresAt: number
  /** The person whose passkey it makes; empty where one signs in. */
  readonly personId: string
  /** The keyed hash of the invitation that it spends. */
  readonly invitationHash: Uint8Array | undefined
}

/** A flow as the text of a cookie. `mac` authenticates what is written. */
export const writePasskeyFlow = (
  { expiresAt, invitationHash, personId, purpose, seed }: PasskeyFlow,
  mac: (text: string) => Uint8Array
): string =>
  sealed([
    purpose,
    Base64Url.encode(seed),
    String(expiresAt),
    personId,
    invitationHash === undefined ? "" : Base64Url.encode(invitationHash)
  ], mac)

/** The flow of a purpose in the text of a cookie; undefined where it was changed, is over, is for another, or was never one. */
export const readPasskeyFlow = (
  text: string,
  wanted: PasskeyFlow["purpose"],
  nowSeconds: number,
  verifies: (text: string, mac: Uint8Array) => boolean
): PasskeyFlow | undefined => {
  const [written, seed = "", expiresAt, personId = "", invitation = ""] = unsealed(text, 5, verifies) ?? []
  const purpose = purposes.find((each) => each === written)
  const seedBytes = decodeBase64Url(seed)
  if (purpose !== wanted || seedBytes === undefined || !(Number(expiresAt) > nowSeconds)) return undefined
  return {
    purpose,
    seed: seedBytes,
    expiresAt: Number(expiresAt),
    personId,
    invitationHash: invitation === "" ? undefined : decodeBase64Url(invitation)
  }
}

const nameFor = (isSecure: boolean): string => isSecure ? "__Host-countersign-passkey" : "countersign-passkey"

/** The cookie of a flow. Only pages of the service answer a challenge. */
export const passkeyCookie = (text: string, isSecure: boolean): string =>
  `${nameFor(isSecure)}=${text}; Path=/; Max-Age=${passkeySeconds}; HttpOnly; SameSite=Strict${
    isSecure ? "; Secure" : ""
  }`

/** The text of the flow's cookie in a Cookie header; undefined where there is none, or more than one. */
export const passkeyTextIn = (header: string | undefined, isSecure: boolean): string | undefined =>
  cookieIn(header, nameFor(isSecure))
