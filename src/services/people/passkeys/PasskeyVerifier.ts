import { Context, Data } from "effect"
import type { Effect } from "effect"
import type { PasskeyAlgorithm, PasskeyCreate, PasskeySignIn } from "../../../domain/people/Passkey.ts"
import type { RelyingParty } from "../../../domain/people/RelyingParty.ts"

/** An answer of a browser that cannot be believed. The problem is for the log. */
export class PasskeyRefused extends Data.TaggedError("PasskeyRefused")<{ readonly problem: string }> {}

/** The question that an answer must be to. */
export interface Asked {
  /** The challenge, in base64url. */
  readonly challenge: string
  readonly party: RelyingParty
}

/** A passkey that was verified as it was made. */
export interface VerifiedPasskey {
  readonly credentialId: Uint8Array
  /** COSE key. */
  readonly publicKey: Uint8Array
  readonly counter: number
  readonly isSynced: boolean
}

/** Verifies what browsers answer to challenges (Web Authentication). */
export class PasskeyVerifier extends Context.Service<PasskeyVerifier, {
  /** The algorithms of keys that are taken, the best first. */
  readonly algorithms: ReadonlyArray<PasskeyAlgorithm>
  readonly created: (answer: PasskeyCreate, asked: Asked) => Effect.Effect<VerifiedPasskey, PasskeyRefused>
  /** Answers the counter of the authenticator. */
  readonly signed: (
    answer: PasskeySignIn,
    asked: Asked,
    publicKey: Uint8Array
  ) => Effect.Effect<number, PasskeyRefused>
}>()("countersign/services/people/passkeys/PasskeyVerifier") {}
