import { Option, Result, Schema } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"
import { decodeBase64Url } from "../ground/parsing/StrictBytes.ts"
import { cookieIn, cookiesTooMany } from "./SessionCookie.ts"
import { sealed, unsealed } from "./SignInFlow.ts"

/** For whom passkeys are: browsers make and use them for this host name alone, on pages of this origin. */
export interface RelyingParty {
  readonly id: string
  readonly origin: string
}

const isLocal = (host: string): boolean => host === "localhost" || host.endsWith(".localhost")

/** Whether a host is an address, which no passkey can be for. */
const isAddress = (host: string): boolean => host.startsWith("[") || /^\d+(\.\d+){3}$/.test(host)

/** For whom the passkeys of a service are; or, in words, why it can have none. It goes by the address that it is published under. */
export const relyingPartyOf = (publicUrl: string): Result.Result<RelyingParty, string> => {
  const { hostname, origin, protocol } = new URL(publicUrl)
  if (protocol !== "https:" && !isLocal(hostname)) {
    return Result.fail("Passkeys need https, or localhost. Ask the operator of this service.")
  }
  return isAddress(hostname)
    ? Result.fail("Passkeys need a host name, and this service is published by an address. Ask its operator.")
    : Result.succeed({ id: hostname, origin })
}

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

/** A flow as its browser keeps it. */
export interface KeptFlow {
  readonly text: string
  /** The challenge that the answer is to. */
  readonly challenge: string
}

/** How many challenges a browser may have at a time: each is a cookie, which goes with every request. */
const mostFlows = 8

const prefixFor = (isSecure: boolean): string => isSecure ? "__Host-countersign-passkey-" : "countersign-passkey-"

/** The name of the cookie of a flow, which has the beginning of its challenge: a browser may have several, in several tabs. */
const nameFor = (challenge: string, isSecure: boolean): string => prefixFor(isSecure) + challenge.slice(0, 16)

/** The cookie of a flow. Only pages of the service answer a challenge. */
export const passkeyCookie = ({ challenge, text }: KeptFlow, isSecure: boolean): string =>
  `${nameFor(challenge, isSecure)}=${text}; Path=/; Max-Age=${passkeySeconds}; HttpOnly; SameSite=Strict${
    isSecure ? "; Secure" : ""
  }`

const readClientData = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ challenge: Schema.String })))

/** The challenge that the data of a browser, in base64url, say that they answer. They are not verified here. */
const challengeIn = (clientData: string): string | undefined => {
  const bytes = decodeBase64Url(clientData)
  return bytes === undefined
    ? undefined
    : Option.getOrUndefined(readClientData(new TextDecoder().decode(bytes)))?.challenge
}

/**
 * The text of the cookie of the flow that the data of a browser answer, in a Cookie header; undefined where there is none, or more than
 * one.
 */
export const passkeyTextIn = (
  header: string | undefined,
  clientData: string,
  isSecure: boolean
): string | undefined => {
  const challenge = challengeIn(clientData)
  return challenge !== undefined && /^[\w-]{43}$/.test(challenge)
    ? cookieIn(header, nameFor(challenge, isSecure))
    : undefined
}

/** The names of cookies of challenges that are too many with another one: the oldest, which browsers send first. */
export const passkeysTooMany = (header: string | undefined, isSecure: boolean): ReadonlyArray<string> =>
  cookiesTooMany(header, prefixFor(isSecure), mostFlows)
