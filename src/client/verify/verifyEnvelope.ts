import { parseInstant } from "../../domain/ground/parsing/Instant.ts"
import { isFinite, parseInternetJson } from "../../domain/ground/parsing/InternetJson.ts"
import type { InternetJsonError } from "../../domain/ground/parsing/InternetJson.ts"
import { isMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { canonicalJson } from "../../domain/ground/wire/CanonicalJson.ts"
import { refusalType, refusedRequest } from "../../domain/keys/security/RefusalFormat.ts"
import { checkSignature, sha256Hex } from "../notes/checkpoint.ts"
import type { PublicKey, SignatureErrorCode } from "../notes/checkpoint.ts"

/** The reason why an answer of the licensing service was refused. */
export type EnvelopeErrorCode =
  | SignatureErrorCode
  | "environment_mismatch"
  | "expired"
  | "nonce_mismatch"
  | "product_mismatch"
  | "license_mismatch"
  | "request_mismatch"
  | "not_in_log"

/** A signed answer that must not be trusted. */
export class EnvelopeError extends Error {
  override readonly name = "EnvelopeError"
  readonly code: EnvelopeErrorCode
  /** When the key that signed was revoked, RFC 3339; undefined unless the public keys say so. The code is `unknown_key`. */
  readonly revokedAt: string | undefined
  constructor(code: EnvelopeErrorCode, message: string, revokedAt?: string) {
    super(message)
    this.code = code
    this.revokedAt = revokedAt
  }
}

/** The conditions on the answer beside a valid signature. */
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
  /**
   * The body of the answer, preferably as the text that arrived: only a text shows that a member name appears twice
   * (RFC 7493), and such an answer is refused. A parsed object shows one of the two members alone.
   */
  readonly body: unknown
  /** With the revoked ones of the same answer, if you have them, a signature of one is refused as revoked on that date. */
  readonly publicKeys: ReadonlyArray<PublicKey>
  readonly expected?: ExpectedEnvelope
  /** Whether what the test environment signed is taken too. Only for builds that no customer gets. Default: false. */
  readonly allowTest?: boolean | undefined
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

/** The error of what has not the form of a signed answer. */
export const malformed = (message: string) => new EnvelopeError("malformed", message)

/** How deep an answer may be nested. What the service signs is at most 32 deep, and what runs over a deeper one fails anywhere. */
export const deepest = 100

/** Reads a text of which there is one reading. How precise its numbers are matters where they are signed. */
export const parseAnswer = (text: string): unknown => {
  try {
    return parseInternetJson(text, isFinite, deepest)
  } catch (error) {
    throw malformed(`The response cannot be read: ${(error as InternetJsonError).message}`)
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
  // A token is a string, or a bracket, colon or comma between strings; numbers and words are of no interest.
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
  if (only === undefined || found.length > 1) throw malformed("The response does not have exactly one data field")
  return only.trim()
}

/** A body whose bytes count, which a parsed one no longer has. */
const textOf = (body: unknown): string => {
  if (typeof body !== "string") throw new TypeError("Raw bytes need the body as text")
  return body
}

const checkExpected = (data: JsonMembers, expected: ExpectedEnvelope): void => {
  const until = parseInstant(data["valid_until"])
  if (until === undefined) throw malformed("The signed data has no valid_until")
  const now = (expected.now ?? Date.now()) - (expected.clockSkewSeconds ?? 60) * 1000
  // Negated, so that a time that is NaN is refused.
  if (!(now <= until)) throw new EnvelopeError("expired", "The response is no longer valid")
  if (expected.nonce !== undefined && data["nonce"] !== expected.nonce) {
    throw new EnvelopeError("nonce_mismatch", "The response belongs to another request")
  }
  if (expected.productCode !== undefined && data["product_code"] !== expected.productCode) {
    throw new EnvelopeError("product_mismatch", "The license belongs to another product")
  }
}

/** Whether all numbers are whole and safe, as the service signs them: nothing else is written alike in all languages. */
const hasWholeNumbers = (value: unknown, depth = 0): boolean => {
  if (typeof value === "number") return Number.isSafeInteger(value)
  if (typeof value !== "object" || value === null) return true
  if (depth === deepest) throw malformed(`The data is nested deeper than ${deepest}`)
  return Object.values(value).every((member) => hasWholeNumbers(member, depth + 1))
}

const notWhole = () => malformed("The data has a number that is not whole, or not safe")

/** The canonical text of data that is signed. A parsed value may say what no text says, or hold itself. */
export const signedText = (data: unknown): string => {
  try {
    if (!hasWholeNumbers(data)) throw notWhole()
    return canonicalJson(data)
  } catch (error) {
    throw error instanceof EnvelopeError ? error : malformed("The response has no data that can be signed")
  }
}

/**
 * Refuses what was signed in another environment than the live one, which names itself nowhere. What is of test is taken where
 * `allowTest` is true.
 */
const checkEnvironment = (what: string, data: JsonMembers, allowTest: boolean | undefined): void => {
  if (!Object.hasOwn(data, "environment")) return
  const { environment } = data
  if (environment === "test" && allowTest === true) return
  throw otherEnvironment(what, String(environment))
}

/** The error of what belongs to another environment than the live one. */
export const otherEnvironment = (what: string, environment: string) =>
  new EnvelopeError(
    "environment_mismatch",
    `The ${what} is of the ${environment} environment, which is not allowed here`
  )

/**
 * Verifies that the signature of `{data, signature}` covers `data`, by its canonical bytes or by those that `textOf` answers.
 * `what` names it. What is of the test environment is refused unless `allowTest` is true.
 */
export const verifySigned = async (
  what: string,
  envelope: unknown,
  publicKeys: ReadonlyArray<PublicKey>,
  allowTest: boolean | undefined,
  textOf: (envelope: JsonMembers) => string = ({ data }) => signedText(data)
): Promise<VerifiedEnvelope> => {
  if (!isMembers(envelope)) throw malformed(`The ${what} has no signature`)
  const claimed = envelope["data"]
  const { kid, text } = await checkSignature({
    what,
    signature: envelope["signature"],
    publicKeys,
    text: () => textOf(envelope),
    claimedEnvironment: isMembers(claimed) ? claimed["environment"] : undefined,
    refuse: (...reason) => new EnvelopeError(...reason)
  })
  const data = parseAnswer(text)
  if (!isMembers(data)) throw malformed("The data is not an object")
  if (!hasWholeNumbers(data)) throw notWhole()
  checkEnvironment(what, data, allowTest)
  return { data, kid }
}

/**
 * Verifies a signed answer of the licensing service: `{data, signature: {alg, kid, value}}`. Checks that the key is
 * known, the algorithm is exactly Ed25519 and the signature covers `data`; then that it is of the live environment, that
 * `valid_until` is not past, and the nonce and product code that were expected. Answers the data that was signed and nothing else of the answer; rejects
 * with an {@link EnvelopeError}.
 */
export const verifyEnvelope = async (options: VerifyEnvelopeOptions): Promise<VerifiedEnvelope> => {
  const { allowTest, body, bytes = "canonical", expected = {}, publicKeys } = options
  const raw = bytes === "raw" ? textOf(body) : undefined
  const envelope = typeof body === "string" ? parseAnswer(body) : body
  const verified = await verifySigned(
    "answer",
    envelope,
    publicKeys,
    allowTest,
    raw === undefined ? undefined : () => rawData(raw)
  )
  checkExpected(verified.data, expected)
  return verified
}

/** The question that was refused, as your program sent it. */
export interface RefusedQuestion {
  /** The nonce that the request carried. */
  readonly nonce: string
  /** The license key as it stood in the request; of a trial, the publishable key. */
  readonly licenseKey: string
  readonly method: string
  /** From `/api/v1/` on, with the query. */
  readonly path: string
  /** As it was sent; empty where there was none. */
  readonly body: string
}

export interface VerifyRefusalOptions {
  /** The body of the refusal, preferably as the text that arrived: only a text shows that a member name appears twice. */
  readonly body: unknown
  readonly publicKeys: ReadonlyArray<PublicKey>
  /** The request that was sent: a refusal of any other proves nothing. */
  readonly question: RefusedQuestion
  /** Whether what the test environment signed is taken too. Only for builds that no customer gets. Default: false. */
  readonly allowTest?: boolean | undefined
}

/** A refusal that the service signed. */
export interface VerifiedRefusal {
  /** The code of the error: what the error beside it says is not signed. */
  readonly code: string
  readonly detail: string | undefined
  /** All that was signed: `license_id`, `fingerprint_hash`, `issued_at` and what it is bound to. */
  readonly data: Readonly<Record<string, unknown>>
  readonly kid: string
}

/** The request of a refusal, as a program keeps it to verify the refusal again. */
export interface RefusalBinding {
  readonly nonce: string
  readonly credentialHash: string
  readonly requestHash: string
}

/** The binding of a refusal of a request. */
export const refusalBinding = async (
  { body, licenseKey, method, nonce, path }: RefusedQuestion
): Promise<RefusalBinding> => ({
  nonce,
  credentialHash: await sha256Hex(licenseKey),
  requestHash: await sha256Hex(refusedRequest(method, path, body))
})

/** Verifies `{data, signature}` of a refusal. Rejects with an {@link EnvelopeError}. */
export const verifyStatement = async (
  statement: unknown,
  publicKeys: ReadonlyArray<PublicKey>,
  { credentialHash, nonce, requestHash }: RefusalBinding,
  allowTest: boolean | undefined
): Promise<VerifiedRefusal> => {
  const { data, kid } = await verifySigned("refusal", statement, publicKeys, allowTest)
  const { code, detail } = data
  if (data["type"] !== refusalType || typeof code !== "string") throw malformed("The signed data is not a refusal")
  if (detail !== undefined && typeof detail !== "string") throw malformed("The detail of the refusal is not a text")
  if (data["nonce"] !== nonce) throw new EnvelopeError("nonce_mismatch", "The refusal belongs to another request")
  if (data["credential_hash"] !== credentialHash) {
    throw new EnvelopeError("license_mismatch", "The refusal is of another license key")
  }
  if (data["request_hash"] !== requestHash) {
    throw new EnvelopeError("request_mismatch", "The refusal is of a request that was not sent so")
  }
  return { code, detail, data, kid }
}

/** The signed part of the body of a refusal; undefined where nothing is signed. */
export const statementOf = (body: unknown): unknown => {
  const answer = typeof body === "string" ? parseAnswer(body) : body
  const meta = isMembers(answer) ? answer["meta"] : undefined
  return isMembers(meta) ? meta["refusal"] : undefined
}

/**
 * Verifies a refusal of the licensing service: `meta.refusal` of its body is signed by one of the keys, and is the refusal
 * of this very question. Answers what was signed; rejects with an {@link EnvelopeError}, and with the code `malformed`
 * where nothing is signed. Believe no refusal without it: whoever stands between can write one.
 */
export const verifyRefusal = async (
  { allowTest, body, publicKeys, question }: VerifyRefusalOptions
): Promise<VerifiedRefusal> => verifyStatement(statementOf(body), publicKeys, await refusalBinding(question), allowTest)
