import { Context, Data } from "effect"
import type { Effect } from "effect"
import type { Claims } from "../../domain/people/ClaimRules.ts"

/** Secrets that bind the answer of a provider to its sign-in. */
export interface SignInSecrets {
  /** Comes back in the address, so that it was the same browser. */
  readonly state: string
  /** Comes back in the ID token, so that it is of this sign-in. */
  readonly nonce: string
  /** Is shown when the code is redeemed, so that nobody else redeems it (PKCE). */
  readonly verifier: string
}

/** An account that a provider vouches for. */
export interface ProviderAccount {
  readonly issuer: string
  readonly subject: string
  /** All that the provider says of it. */
  readonly claims: Claims
}

/** The provider could not be reached, or does not work. */
export class ProviderAway extends Data.TaggedError("ProviderAway")<{ readonly problem: string }> {}

/** The provider did not sign anybody in, or what it sent cannot be believed. */
export class AnswerRefused extends Data.TaggedError("AnswerRefused")<{ readonly problem: string }> {}

/** The identity provider that people sign in at (OpenID Connect, authorization code with PKCE). */
export class IdentityProvider extends Context.Service<IdentityProvider, {
  /** The address that a browser is sent to. */
  readonly begin: (secrets: SignInSecrets) => Effect.Effect<string, ProviderAway>
  /** Redeems what the browser came back with, the query of the address, and verifies the ID token. */
  readonly finish: (
    query: string,
    secrets: SignInSecrets
  ) => Effect.Effect<ProviderAccount, AnswerRefused | ProviderAway>
  /** Reads what the provider says of itself, as a sign-in would. */
  readonly discover: Effect.Effect<void, ProviderAway>
}>()("countersign/services/people/IdentityProvider") {}
