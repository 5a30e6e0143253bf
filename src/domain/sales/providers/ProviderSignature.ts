import * as Result from "effect/Result"
import { joinedBytes } from "../../ground/parsing/ByteTexts.ts"
import { decodeBase64, decodeHex } from "../../ground/parsing/StrictBytes.ts"
import type { Provider } from "./Provider.ts"

/** HMAC-SHA-256, 32 bytes. The key stands for its UTF-8 bytes; the data are bytes, for a body need not be UTF-8. */
export type BytesHmac = (key: string, data: Uint8Array) => Uint8Array

/** A request of a provider, as it arrived. */
export interface SignedRequest {
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The raw bytes. */
  readonly body: Uint8Array
  /** The live secrets of the connection: during an overlap, more than one. Those of Chargebee are `user:password`. */
  readonly secrets: ReadonlyArray<string>
  /** Unix milliseconds. */
  readonly now: number
}

/** Why a request is not accepted. */
interface SignatureRefusal {
  readonly code:
    | "signature_missing"
    | "signature_malformed"
    | "signature_too_old"
    | "signature_in_future"
    | "no_secret"
    | "signature_mismatch"
  /** For the vendor, with the cure. */
  readonly message: string
}

/** How far the time in a signature may be from the service's clock, in seconds. */
export const toleranceSeconds = 300

/** The header that holds the credential of each provider, in lower case. */
export const signatureHeaders: Readonly<Record<Provider, string>> = {
  stripe: "stripe-signature",
  paddle: "paddle-signature",
  lemon_squeezy: "x-signature",
  fastspring: "x-fs-signature",
  chargebee: "authorization"
}

const utf8 = new TextEncoder()

/** Whether bytes are the same, in a time that does not tell where they differ. */
const areSame = (a: Uint8Array, b: Uint8Array): boolean => {
  if (a.length !== b.length) return false
  let difference = 0
  for (let at = 0; at < a.length; at++) difference |= a[at]! ^ b[at]!
  return difference === 0
}

type Verdict = Result.Result<void, SignatureRefusal>

const refusal = (code: SignatureRefusal["code"], message: string): Verdict => Result.fail({ code, message })

const accepted: Verdict = Result.succeed(undefined)

/** The longest header that is read. */
const longestHeader = 4096

/** The members of a header such as `t=1,v1=ab,v1=cd`; undefined of what has another form. */
const members = (header: string, separator: string): ReadonlyArray<readonly [string, string]> | undefined => {
  const pairs = header.split(separator).map((part) => {
    const at = part.indexOf("=")
    return [part.slice(0, at).trim(), part.slice(at + 1).trim()] as const
  })
  return pairs.every(([name]) => name !== "") ? pairs : undefined
}

/** The forms of a signature that says its time, as the two providers that have one publish them. */
const timed = {
  stripe: { separator: ",", time: "t", scheme: "v1", between: "." },
  paddle: { separator: ";", time: "ts", scheme: "h1", between: ":" }
} as const

const judgeTimed = (
  { between, scheme, separator, time }: (typeof timed)[keyof typeof timed],
  header: string,
  request: SignedRequest,
  hmac: BytesHmac
): Verdict => {
  const parts = members(header, separator) ?? []
  const times = parts.filter(([name]) => name === time).map(([, value]) => value)
  // An unknown scheme, and a signature of another form, is passed over: a later one may stand beside it.
  const given = parts.filter(([name]) => name === scheme).map(([, value]) => decodeHex(value, 32))
    .filter((bytes) => bytes !== undefined)
  const [at] = times
  if (times.length !== 1 || !/^\d{1,12}$/.test(at!) || given.length === 0) {
    return refusal(
      "signature_malformed",
      `The signature must be ${time}=<seconds>${separator}${scheme}=<64 hex digits>: send the provider's header as it came.`
    )
  }
  const signed = joinedBytes([utf8.encode(`${at}${between}`), request.body])
  const isSigned = request.secrets.some((secret) => {
    const expected = hmac(secret, signed)
    // Every signature is compared, so that no order of secrets or signatures can be told by its time.
    return given.filter((bytes) => areSame(bytes, expected)).length > 0
  })
  if (!isSigned) return mismatch
  const age = Math.floor(request.now / 1000) - Number(at)
  if (age > toleranceSeconds) {
    return refusal(
      "signature_too_old",
      `The signature is ${age} s old, and at most ${toleranceSeconds} s are accepted.`
    )
  }
  return age < -toleranceSeconds
    ? refusal("signature_in_future", `The signature is of ${-age} s ahead: check the clock of this service.`)
    : accepted
}

const mismatch = refusal(
  "signature_mismatch",
  "No secret of the connection made this signature over these bytes: check the secret, and that nothing on the way " +
    "reads and writes the body again."
)

const judgePlain = (given: Uint8Array | undefined, form: string, request: SignedRequest, hmac: BytesHmac): Verdict => {
  if (given === undefined) return refusal("signature_malformed", `The signature must be ${form}.`)
  return request.secrets.some((secret) => areSame(hmac(secret, request.body), given)) ? accepted : mismatch
}

/** The credential of a `Basic` authorization, `user:password` in UTF-8; undefined of another form. */
const basicCredential = (header: string): Uint8Array | undefined => {
  const [, encoded] = /^basic +(\S+)$/i.exec(header) ?? []
  return decodeBase64(encoded)
}

const judgeBasic = (header: string, request: SignedRequest, hmac: BytesHmac): Verdict => {
  const given = basicCredential(header)
  if (given === undefined) {
    return refusal(
      "signature_malformed",
      "The Authorization header must be Basic, with the user and password of the connection."
    )
  }
  // Digests are compared, so that not even the length of a password can be told.
  const digest = hmac("basic", given)
  return request.secrets.some((secret) => areSame(hmac("basic", utf8.encode(secret)), digest)) ? accepted : refusal(
    "signature_mismatch",
    "The user and password of the webhook are not those of the connection."
  )
}

/**
 * Judges the credential of a request by the rule that its provider publishes, over the raw bytes, with each live secret and
 * each signature of the header. A time that is signed may be 300 s off either way. Lemon Squeezy and FastSpring sign no
 * time, Chargebee signs nothing: there the identity of the event alone keeps a replay from having an effect.
 */
export const verifySignature = (provider: Provider, request: SignedRequest, hmac: BytesHmac): Verdict => {
  const header = request.headers[signatureHeaders[provider]]
  if (header === undefined || header === "") {
    return refusal("signature_missing", `The request has no header ${signatureHeaders[provider]}.`)
  }
  if (header.length > longestHeader) return refusal("signature_malformed", "The signature is too long.")
  if (request.secrets.length === 0) return refusal("no_secret", "The connection has no secret: give it the provider's.")
  switch (provider) {
    case "stripe":
    case "paddle":
      return judgeTimed(timed[provider], header, request, hmac)
    case "lemon_squeezy":
      return judgePlain(decodeHex(header, 32), "64 hex digits", request, hmac)
    case "fastspring":
      return judgePlain(decodeBase64(header, 32), "32 bytes in base64", request, hmac)
    case "chargebee":
      return judgeBasic(header, request, hmac)
  }
}
