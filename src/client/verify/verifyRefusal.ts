import { isMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { refusalType, refusedRequest } from "../../domain/keys/security/RefusalFormat.ts"
import { sha256Hex } from "../notes/signature.ts"
import type { PublicKey } from "../notes/signature.ts"
import { EnvelopeError, malformed, parseAnswer, verifySigned } from "./verifyEnvelope.ts"

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
