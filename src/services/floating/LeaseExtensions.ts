import { Effect, Exit, Option } from "effect"
import { makeQuestionGroups } from "../admission/QuestionGroups.ts"
import { Database } from "../persistence/Database.ts"
import { extendManyQuery, extendQuery, rotateQuery } from "./LeaseSql.ts"
import type { ExtendedLease, ExtendedRow, OpenLease } from "./LeaseSql.ts"

/** A lease to be kept for another period. */
export interface Extension {
  /** As it was read: a lease that was changed since is not extended. */
  readonly lease: OpenLease
  /** The period. */
  readonly minutes: number
  /** The hash of the next token; undefined keeps the token. */
  readonly next: Uint8Array | undefined
}

const noToken = new Uint8Array(0)

/**
 * Answers a function that extends a live lease and answers when it then expires; undefined if the lease was changed
 * since it was read, or ran out. Outside of transactions, leases that are extended in one turn share a statement.
 */
export const makeLeaseExtensions = Effect.gen(function*() {
  const sql = yield* Database

  /** Extends one lease, and waits for whoever has locked it. */
  const one = ({ lease, minutes, next }: Extension): Effect.Effect<Date | undefined> =>
    Effect.map(
      next === undefined
        ? sql.unsafe<ExtendedRow>(extendQuery, [minutes, lease.id, lease.generation])
        : sql.unsafe<ExtendedRow>(rotateQuery, [next, minutes, lease.id, lease.generation]),
      ([row]) => row?.expires_at
    )

  const many = (extensions: ReadonlyArray<Extension>) =>
    Effect.map(
      sql.client.unsafe<ExtendedLease>(extendManyQuery, [
        extensions.map(({ next }) => next ?? noToken),
        extensions.map(({ minutes }) => minutes),
        extensions.map(({ lease }) => lease.id),
        extensions.map(({ lease }) => lease.generation)
      ]),
      (rows) => {
        const extended = new Map(rows.map((row) => [row.id, row]))
        return extensions.map(({ lease, next }) => {
          const row = extended.get(lease.id)
          // Of two heartbeats of one lease, the other one may have decided about the token.
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
