import { Context, Data } from "effect"
import type { Effect } from "effect"
import type { Account } from "../../../domain/licensing/users/UserSignIn.ts"

/** A key set (RFC 7517) as an issuer publishes it. */
export interface KeySet {
  readonly keys: ReadonlyArray<Readonly<Record<string, unknown>> & { readonly kty: string }>
}

/** The reason why an ID token signs nobody in. */
export type IdTokenFault =
  | "algorithm"
  | "audience"
  | "expired"
  | "issuer"
  | "malformed"
  | "nonce"
  | "not_yet_valid"
  | "signature"
  | "unknown_key"

export class IdTokenRefused extends Data.TaggedError("IdTokenRefused")<{ readonly fault: IdTokenFault }> {}

/** The expectations of an ID token. */
export interface ExpectedToken {
  readonly keys: KeySet
  readonly issuer: string
  readonly audience: string
  readonly nonce: string | undefined
}

/** Verifies ID tokens (OpenID Connect Core 3.1.3.7) by keys that are at hand; the runtime implements it. */
export class IdTokens extends Context.Service<IdTokens, {
  readonly verify: (token: string, expected: ExpectedToken) => Effect.Effect<Account, IdTokenRefused>
}>()("countersign/services/licensing/users/IdTokens") {}
