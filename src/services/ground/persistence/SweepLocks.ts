import { Data, Effect } from "effect"
import type { Database } from "./Database.ts"
import { lockSwept, updateLockTimeout } from "./TransactionSql.ts"

/** How long a sweep waits for a busy license, and how many such waits one sweep makes. */
const patience = "100ms"
const maximumWaits = 10

/** A license that stayed locked for as long as a sweep waits. The transaction that waited has failed. */
class StillLocked extends Data.TaggedError("StillLocked") {}

const isStillLocked = (error: unknown): error is StillLocked => error instanceof StillLocked

/** Licenses that a sweep skipped because they were locked. */
export interface Passed {
  /** Never empty, because the driver cannot infer the type of an empty array. */
  readonly ids: Array<string>
  waits: number
}

/**
 * Locks licenses for a sweep. A locked license does not delay the others: the sweep skips it and retries it in the next
 * sweep. A license that is always busy would never be found free, so the sweep waits briefly for a few of them.
 */
export const makeSweepLocks = (sql: Database) => {
  const lockPatiently = (id: string) =>
    Effect.andThen(updateLockTimeout(sql, patience), lockSwept(sql, [id], true).fallible).pipe(
      Effect.catchTag(
        "SqlError",
        (error) => error.reason._tag === "LockTimeoutError" ? Effect.fail(new StillLocked()) : Effect.die(error)
      )
    )

  /** Locks one license and runs the work in the same transaction; undefined when the license was skipped. */
  const one = Effect.fnUntraced(function*<A, E, R>(id: string, passed: Passed, work: Effect.Effect<A, E, R>) {
    const isPatient = passed.waits < maximumWaits
    const done = yield* sql.withTransaction(Effect.gen(function*() {
      const locked = yield* (isPatient ? lockPatiently(id) : lockSwept(sql, [id], false))
      return locked.length === 0 ? undefined : { value: yield* work }
    })).pipe(Effect.catchIf(isStillLocked, () => Effect.undefined))
    if (done !== undefined) return done.value
    if (isPatient) passed.waits += 1
    passed.ids.push(id)
    return undefined
  })

  /** Locks the free licenses and runs the work on them in one transaction, then on each other license in its own. */
  const each = Effect.fnUntraced(function*<E, R>(
    ids: ReadonlyArray<string>,
    passed: Passed,
    work: (locked: ReadonlyArray<string>) => Effect.Effect<unknown, E, R>
  ) {
    const free = new Set(
      yield* sql.withTransaction(Effect.gen(function*() {
        const locked = (yield* lockSwept(sql, ids, false)).map(({ id }) => id)
        yield* work(locked)
        return locked
      }))
    )
    for (const id of ids) {
      if (free.has(id)) continue
      if (passed.waits < maximumWaits) yield* one(id, passed, work([id]))
      else passed.ids.push(id)
    }
  })

  return { one, each, passed: (): Passed => ({ ids: [""], waits: 0 }) }
}
