import * as Base64 from "effect/encoding/Base64"
import { canonicalJson } from "../domain/CanonicalJson.ts"

/** Why an answer of the licensing service was refused. */
export type EnvelopeErrorCode =
  | "malformed"
  | "unsupported_algorithm"
  | "unknown_key"
  | "signature_mismatch"
  | "expired"
  | "nonce_mismatch"
  | "product_mismatch"

/** A signed answer that must not be trusted. */
export class EnvelopeError extends Error {
  override readonly name = "EnvelopeError"
  readonly code: EnvelopeErrorCode
  constructor(code: EnvelopeErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** A key as `GET /api/v1/system/public-keys` lists it. Ship the list with the app, or fetch it over a trusted way. */
export interface PublicKey {
  readonly kid: string
  readonly algorithm: string
  /** Standard base64 of the 32 raw bytes. */
  readonly public_key: string
}

/** What the answer must say beside being signed. */
export interface ExpectedEnvelope {
  /** The nonce that the request carried. Always send one where a replayed answer would do harm. */
  readonly nonce?: string
  /** The code of the product that asks, so that a license of another product is refused. */
  readonly productCode?: string
  /** The time to compare with, in Unix milliseconds. Default: this machine's clock. */
  readonly now?: number
  /** How far this machine's clock may be ahead, in seconds. Default: 60. */
  readonly clockSkewSeconds?: number
}

export interface VerifyEnvelopeOptions {
  /** The body of the answer, as text or parsed. */
  readonly body: unknown
  readonly publicKeys: ReadonlyArray<PublicKey>
  readonly expected?: ExpectedEnvelope
  /**
   * Which bytes of `data` are checked: `canonical` (the default) writes the parsed data again as RFC 8785 canonical
   * JSON; `raw` takes the bytes as they stand in the text, for which `body` must be a string. Both accept what the
   * service signed.
   */
  readonly bytes?: "canonical" | "raw"
}

/** Data that the service signed. */
export interface VerifiedEnvelope {
  readonly data: Readonly<Record<string, unknown>>
  readonly kid: string
}

type Members = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const malformed = (message: string) => new EnvelopeError("malformed", message)

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed("The answer is not JSON")
  }
}

/**
 * The text of the member `data` at the top of a JSON object that is known to parse. A second `data` is refused,
 * because parsers disagree about which of two members counts.
 */
const rawData = (text: string): string => {
  const found: Array<string> = []
  let depth = 0
  let name: string | undefined
  let start = 0
  // A token is a string or a bracket, colon or comma between strings; numbers and words need no look.
  for (const { 0: token, index } of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]/g)) {
    if (depth === 1 && (token === "," || token === "}")) {
      if (name === "data") found.push(text.slice(start, index))
      name = undefined
    } else if (depth === 1 && token === ":") {
      start = index + 1
    } else if (depth === 1 && name === undefined && token.startsWith("\"")) {
      name = JSON.parse(token)
    }
    if (token === "{" || token === "[") depth += 1
    else if (token === "}" || token === "]") depth -= 1
  }
  const [only] = found
  if (only === undefined || found.length > 1) throw malformed("The answer does not have exactly one data member")
  return only.trim()
}

const decode = (text: unknown, length: number): Uint8Array<ArrayBuffer> | undefined => {
  if (typeof text !== "string") return undefined
  const bytes = Base64.decode(text)
  return bytes._tag === "Success" && bytes.success.length === length ? Uint8Array.from(bytes.success) : undefined
}

const checkExpected = (data: Members, expected: ExpectedEnvelope): void => {
  const until = typeof data["valid_until"] === "string" ? Date.parse(data["valid_until"]) : Number.NaN
  if (Number.isNaN(until)) throw malformed("The signed data has no valid_until")
  const now = (expected.now ?? Date.now()) - (expected.clockSkewSeconds ?? 60) * 1000
  // Written so that a time that is no number refuses.
  if (!(now <= until)) throw new EnvelopeError("expired", "The answer is no longer valid")
  if (expected.nonce !== undefined && data["nonce"] !== expected.nonce) {
    throw new EnvelopeError("nonce_mismatch", "The answer belongs to another request")
  }
  if (expected.productCode !== undefined && data["product_code"] !== expected.productCode) {
    throw new EnvelopeError("product_mismatch", "The license belongs to another product")
  }
}

/**
 * Verifies a signed answer of the licensing service: `{data, signature: {alg, kid, value}}`. Checks that the key is
 * known, the algorithm is exactly Ed25519 and the signature covers `data`; then that `valid_until` is not past, and the
 * nonce and product code that were expected. Answers the data that was signed and nothing else of the answer; rejects
 * with an {@link EnvelopeError}.
 */
export const verifyEnvelope = async (options: VerifyEnvelopeOptions): Promise<VerifiedEnvelope> => {
  const { body, bytes = "canonical", expected = {}, publicKeys } = options
  if (bytes === "raw" && typeof body !== "string") throw new TypeError("Raw bytes need the body as text")
  const envelope = typeof body === "string" ? parse(body) : body
  if (!isObject(envelope) || !isObject(envelope["signature"])) throw malformed("The answer has no signature")
  const { alg, algorithm = alg, kid, value } = envelope["signature"]
  if (alg !== "Ed25519" || algorithm !== "Ed25519") {
    throw new EnvelopeError("unsupported_algorithm", "The answer is not signed with Ed25519")
  }
  const published = publicKeys.find((key) => key.kid === kid)
  if (published === undefined || published.algorithm !== "Ed25519") {
    throw new EnvelopeError("unknown_key", "The answer is signed with a key that is not among the public keys")
  }
  const rawKey = decode(published.public_key, 32)
  if (rawKey === undefined) throw new EnvelopeError("unknown_key", "The public key is not 32 bytes of base64")
  const signature = decode(value, 64)
  if (signature === undefined) throw malformed("The signature is not 64 bytes of base64")
  const text = bytes === "raw" ? rawData(body as string) : canonical(envelope["data"])
  const key = await crypto.subtle.importKey("raw", rawKey, "Ed25519", false, ["verify"])
  if (!await crypto.subtle.verify("Ed25519", key, signature, new TextEncoder().encode(text))) {
    throw new EnvelopeError("signature_mismatch", "The signature does not cover this data")
  }
  const data = parse(text)
  if (!isObject(data)) throw malformed("The data is not an object")
  checkExpected(data, expected)
  return { data, kid: published.kid }
}

const canonical = (data: unknown): string => {
  try {
    return canonicalJson(data)
  } catch {
    throw malformed("The answer has no data that can be signed")
  }
}
