import type { JsonMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import type { LearnedKeys } from "../verify/KeyTrust.ts"
import { EnvelopeError } from "../verify/verifyEnvelope.ts"
import type { VerifiedOffline } from "../verify/verifyOffline.ts"
import type { mailSignIn, userSignIn } from "./SignedInUser.ts"

/** A signed answer to a request that was just sent, verified. */
export interface SignedAnswer {
  readonly data: JsonMembers
  readonly text: string
  readonly nonce: string
  readonly issuedAt: number
  readonly learned: LearnedKeys
}

/** An offline envelope that was opened: its text, what was in it, and what was learned of keys. */
export interface OpenedEnvelope {
  readonly text: string
  readonly opened: VerifiedOffline
  readonly learned: LearnedKeys
}

/** The operations that an app calls. */
export type Operation =
  | "activate"
  | "validate"
  | "consume"
  | "usage/refund"
  | "deactivate"
  | "trials"
  | "floating/checkout"
  | "floating/heartbeat"
  | "floating/checkin"
  | typeof userSignIn
  | typeof mailSignIn

/** An instant of signed data, in Unix milliseconds. Throws an {@link EnvelopeError} where there is none. */
export const instant = (data: JsonMembers, member: string): number => {
  const at = typeof data[member] === "string" ? Date.parse(data[member]) : Number.NaN
  if (Number.isNaN(at)) throw new EnvelopeError("malformed", `The signed data has no ${member}`)
  return at
}
