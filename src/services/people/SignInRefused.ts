import { Data } from "effect"

/**
 * Nobody is let in. `again`: another attempt may succeed; `refused`: the account itself is not let in; `away`: the identity provider
 * does not respond. The message is for whoever tries.
 */
export class SignInRefused extends Data.TaggedError("SignInRefused")<{
  readonly kind: "again" | "refused" | "away"
  readonly message: string
}> {}
