import { Effect } from "effect"
import type { Conflict } from "../../domain/ground/wire/Errors.ts"

/**
 * Creates a record that its billing system names, or changes the one that has the name. Two at once make one: the second
 * waits for the first, and then changes what that one made. To be run in a transaction.
 */
export const putBy = Effect.fnUntraced(function*<A, E1, E2, R>(
  find: Effect.Effect<A | undefined, never, R>,
  create: Effect.Effect<A, E1 | Conflict, R>,
  change: (found: A) => Effect.Effect<A, E2, R>
) {
  const found = yield* find
  if (found !== undefined) return yield* change(found)
  const made = yield* Effect.result(create)
  if (made._tag === "Success") return made.success
  const other = yield* find
  return yield* other === undefined ? Effect.fail(made.failure) : change(other)
})
