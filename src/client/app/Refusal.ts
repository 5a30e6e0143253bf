import type { RefusalProof } from "../license/LicenseRecord.ts"
import { reasonOf } from "../license/States.ts"
import type { AppProblem, Reason } from "../license/States.ts"
import { CountersignError } from "../transport/CountersignError.ts"
import type { LearnedKeys } from "../verify/KeyTrust.ts"
import { EnvelopeError } from "../verify/verifyEnvelope.ts"
import { OfflineError } from "../verify/verifyOffline.ts"

/** A signed answer, or the kept copy of one, is for another device. */
export class OtherDevice extends Error {
  override readonly name = "OtherDevice"
  readonly code = "device_mismatch"
}

/** A refusal that a trusted key signed, of the very request that was sent: its code and its detail are the signed ones. */
export class ProvenRefusal extends CountersignError {
  readonly #proof: RefusalProof
  readonly #learned: LearnedKeys
  constructor(
    error: CountersignError,
    code: string,
    detail: string | undefined,
    proof: RefusalProof,
    learned: LearnedKeys
  ) {
    const { body, docUrl, fields, message, requestId, retryAfterMs, status } = error
    super({ code, message, detail, status, requestId, fields, docUrl, retryAfterMs, body, cause: error.cause })
    this.#proof = proof
    this.#learned = learned
  }
  get proof(): RefusalProof {
    return this.#proof
  }
  get learned(): LearnedKeys {
    return this.#learned
  }
}

/** The decision of an error about the license; undefined where there is none, as of every unsigned one. */
export const decisionOf = (error: unknown): Reason | undefined =>
  error instanceof ProvenRefusal ? reasonOf(error) : undefined

/** Whether an error says that a license is of another environment than the app may run on. */
export const isOtherEnvironment = (error: unknown): boolean =>
  error instanceof EnvelopeError && error.code === "environment_mismatch"

/** A failed request or verification as the app is told of it. Any other error is no problem of a license, and is thrown on. */
export const problemOf = (error: unknown): AppProblem => {
  const isKnown = error instanceof CountersignError || error instanceof EnvelopeError ||
    error instanceof OfflineError || error instanceof OtherDevice
  if (!isKnown) throw error
  const detail = error instanceof CountersignError ? error.detail : undefined
  return { code: error.code, message: error.message, ...(detail === undefined ? {} : { detail }) }
}
