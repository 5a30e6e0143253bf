import type { PgConnection, PgPool } from "@effect/sql-pg"
import { Cause, Effect, Exit, Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/** How a pool is made, and its signs of life. */
interface RelievedPool {
  /** Makes a pool; its connections are closed with the scope, and whoever waits for one is interrupted. */
  readonly make: Effect.Effect<PgPool.PgPool, SqlError, Scope.Scope>
  /** How many wait for a connection. */
  readonly waiting: () => number
  /** Whether the pool may open one more connection. */
  readonly mayGrow: () => boolean
  /**
   * How often a connection was opened or answered. A borrower that stops waiting is no sign of life: where some have a limit
   * of time, and come again, some always stop.
   */
  readonly moves: () => number
}

/**
 * How long nothing moves before the pool is taken for stuck: longer than the driver takes for one connection at most, which is
 * 5 seconds, so that a slow server is asked for no more connections than are needed.
 */
const pause = "6 seconds"

/**
 * Makes a pool that is replaced by a new one when borrowers wait while nothing is under way. Effect 4.1.0 keeps a failed
 * acquisition as if it were a connection, for the next borrower to replace. Where several wait and what arrives is one
 * connection that is lost at once, beside one that failed, each of them finds the lost one, and lies down behind the others:
 * the pool has as many connections as it takes them to need, the failed one, and no borrower, old or new, is ever woken.
 * Those that wait go to the new pool. Those that have a connection of the old one keep it until they are done, so that for
 * this time there may be more connections than a pool opens.
 */
export const makeRelievedPool = Effect.fnUntraced(
  function*({ make, mayGrow, moves, waiting }: RelievedPool): Effect.fn.Return<PgPool.PgPool, SqlError, Scope.Scope> {
    const scope = yield* Effect.scope
    const open = Effect.gen(function*() {
      const lifetime = yield* Scope.fork(scope)
      return { lifetime, pool: yield* Scope.provide(make, lifetime) }
    })
    let current = yield* open

    const look = Effect.gen(function*() {
      const before = moves()
      yield* Effect.sleep(pause)
      if (waiting() === 0 || !mayGrow() || moves() !== before) return
      yield* Effect.logWarning(
        "Borrowers wait for connections to the database, and none is being opened: taking a new pool of connections"
      )
      const stuck = current
      current = yield* open
      yield* Effect.forkIn(Scope.close(stuck.lifetime, Exit.void), scope)
    })
    yield* Effect.forkScoped(Effect.forever(Effect.ignoreCause(look)))

    /** Borrows, and once more where the pool was replaced before it lent anything. */
    const borrow = <A, E, R>(from: (pool: PgPool.PgPool, lent: () => void) => Effect.Effect<A, E, R>) => {
      const attempt: Effect.Effect<A, E, R> = Effect.suspend(() => {
        const { pool } = current
        let isLent = false
        return Effect.catchCauseIf(
          from(pool, () => (isLent = true)),
          (cause) => !isLent && pool !== current.pool && Cause.hasInterruptsOnly(cause),
          () => attempt
        )
      })
      return attempt
    }

    const get = borrow((pool) => pool.get)
    return {
      ...current.pool,
      get,
      reserve: Effect.flatMap(get, (connection) => connection.pin),
      use: (work) =>
        borrow((pool, lent) =>
          pool.use((connection) => {
            lent()
            return work(connection)
          })
        ),
      invalidate: (connection: PgConnection.PgConnection) => current.pool.invalidate(connection)
    }
  }
)
