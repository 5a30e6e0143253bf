import { Context } from "effect"
import type { Effect } from "effect"
import type { TokenScopeDenied } from "../../../domain/ground/wire/Errors.ts"
import type { Scope } from "../../../domain/keys/security/ManagementKey.ts"
import type { Actor } from "../../../services/log/Provenance.ts"

/**
 * A request that another request makes, in the name of a person: to find out whether it would be done, when a second person is asked
 * for; or to do it, when one approves. It takes the way of every request, so that the operation judges and does the same.
 */
export interface Handover {
  /** Whether nothing of it is to stay: neither its effect nor its answer. */
  readonly isRehearsal: boolean
  /** Answers in whose name it is made, with the rights that it needs, and the products that others who answer for it are limited to. */
  readonly authorize: (
    needed: ReadonlyArray<Scope>
  ) => Effect.Effect<
    { readonly actor: Actor; readonly alsoWithin: ReadonlyArray<ReadonlyArray<string>> },
    TokenScopeDenied
  >
  /** Says that an operation of several steps begins, whose first one cannot be undone. Run once it was judged. */
  readonly begin: Effect.Effect<void>
  /** Runs the transaction of the operation. */
  readonly run: <A, E, R>(transaction: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** The handover that the current request is; none for one that a caller sent. */
export const CurrentHandover = Context.Reference<Handover | undefined>("countersign/http/CurrentHandover", {
  defaultValue: () => undefined
})
