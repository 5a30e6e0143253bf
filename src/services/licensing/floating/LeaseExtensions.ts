import { Effect, Exit, Option } from "effect"
import { makeQuestionGroups } from "../../ground/admission/QuestionGroups.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { updateExtended, updateExtendedMany } from "./LeaseSql.ts"
import type { Extension } from "./LeaseSql.ts"

/**
 * Answers a function that extends a live lease and answers when it then expires; undefined if the lease was changed
 * since it was read, or ran out. Outside of transactions, leases that are extended in one turn share a statement.
 */
export const makeLeaseExtensions = Effect.gen(function*() {
  const sql = yield* Database

  const one = (extension: Extension): Effect.Effect<Date | undefined> =>
    Effect.map(updateExtended(sql, extension), ([row]) => row?.expires_at)

  const many = (extensions: ReadonlyArray<Extension>) =>
    Effect.map(
      updateExtendedMany(sql, extensions).fallible,
      (rows) => {
        const extended = new Map(rows.map((row) => [row.id, row]))
        return extensions.map(({ lease, next }) => {
          const row = extended.get(lease.id)
          // The other one of two heartbeats of a lease may have decided about the token.
          return row?.generation === lease.generation + (next === undefined ? 0n : 1n) ? row.expires_at : undefined
        })
      }
    )

  // One of them may be at fault for a failure, so each is then tried alone.
  const submit = yield* makeQuestionGroups<Extension, Date | undefined>((extensions) =>
    Effect.map(
      Effect.orElseSucceed(many(extensions), (): ReadonlyArray<undefined> => []),
      (expiries) => extensions.map((_, index) => Exit.succeed(expiries[index]))
    )
  )

  return Effect.fnUntraced(function*(extension: Extension) {
    const isInside = Option.isSome(yield* Effect.serviceOption(sql.transactionService))
    const together = isInside ? undefined : yield* submit(extension)
    // A group passes over a lease that somebody has locked, so that nobody in it waits for that.
    return together ?? (yield* one(extension))
  })
})
