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
  /** All that the ID token says of it. */
  readonly claims: Claims
  /** Asks userinfo for what it says of the same account. A sign-in that needs none of it does not ask. */
  readonly userinfo: Effect.Effect<Claims, AnswerRefused | ProviderAway>
  /** The session at the provider, where it names it (`sid`). */
  readonly providerSession: string | undefined
  /** The ID token, for the sign-out there; the empty text where it is too long for an address. */
  readonly idToken: string
}

/** A session at a provider that has ended, or all of an account there (OpenID Connect Back-Channel Logout 1.0). */
export interface EndedThere {
  readonly issuer: string
  readonly subject: string | undefined
  readonly providerSession: string | undefined
  /** The ID of the logout token, which is good once. */
  readonly tokenId: string
  /** The seconds until the token is over. */
  readonly seconds: number
}

/** The provider could not be reached, or does not work. */
export class ProviderAway extends Data.TaggedError("ProviderAway")<{ readonly problem: string }> {}

/** The provider did not sign anybody in, or what it sent cannot be believed. */
export class AnswerRefused extends Data.TaggedError("AnswerRefused")<{ readonly problem: string }> {}

/** The identity provider that people sign in at (OpenID Connect, authorization code with PKCE). */
export class IdentityProvider extends Context.Service<IdentityProvider, {
  /** The address that a browser is sent to. `asksAccount`: who signed out before may be somebody else. */
  readonly begin: (
    secrets: SignInSecrets,
    options: { readonly asksAccount: boolean }
  ) => Effect.Effect<string, ProviderAway>
  /** Redeems what the browser came back with, the query of the address, and verifies the ID token. */
  readonly finish: (
    query: string,
    secrets: SignInSecrets
  ) => Effect.Effect<ProviderAccount, AnswerRefused | ProviderAway>
  /** The address where a browser signs out at the provider; undefined where the provider has none. */
  readonly signOutAt: (idToken: string, returnTo: string) => Effect.Effect<string | undefined, ProviderAway>
  /** Verifies a logout token of the provider. */
  readonly endedBy: (logoutToken: string) => Effect.Effect<EndedThere, AnswerRefused | ProviderAway>
  /** Asks the provider for all that a sign-in asks without a person: its description, its keys, and whether it takes the client. */
  readonly test: Effect.Effect<void, ProviderAway>
}>()("countersign/services/people/IdentityProvider") {}
