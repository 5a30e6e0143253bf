import { Effect } from "effect"
import type { Scope } from "effect"

/** A pool, and its signs of life. */
export interface RelievedPool {
  /** Asks for a connection; it is given back when the scope closes. */
  readonly get: Effect.Effect<unknown, unknown, Scope.Scope>
  /** How many wait for a connection. */
  readonly waiting: () => number
  /** Whether the pool may open one more connection. */
  readonly mayGrow: () => boolean
  /**
   * How often a connection was opened or answered. A borrower that stops waiting is no sign of life: where some have a limit
   * of time, and come again, some always stop.
   */
  readonly moves: () => number
  /** How many may share a connection, times the most connections. */
  readonly places: number
}

/**
 * How long nothing moves before the pool is taken for stuck: longer than the driver takes for one connection at most, which is
 * 5 seconds, so that a slow server is asked for no more connections than are needed.
 */
const pause = "6 seconds"

/**
 * Relieves a pool in which borrowers wait while nothing is under way. Effect 4.1.0 keeps a failed acquisition as if it were a
 * connection, for the next borrower to replace. If the last connection is lost while borrowers sleep in line, the pool has as
 * many connections as it takes them to need, the failed one, and no borrower, old or new, is ever woken. More borrowers than fit
 * on its connections make it open another one, which wakes all.
 */
export const relieve = (
  { get, mayGrow, moves, places, waiting }: RelievedPool
): Effect.Effect<void, never, Scope.Scope> => {
  const crowd = Effect.forEach(
    Array.from({ length: places }),
    () => Effect.ignore(Effect.scoped(Effect.timeoutOption(get, pause))),
    { concurrency: "unbounded", discard: true }
  )
  const look = Effect.gen(function*() {
    const before = moves()
    yield* Effect.sleep(pause)
    if (waiting() === 0 || !mayGrow() || moves() !== before) return
    yield* Effect.logWarning(
      "Borrowers wait for connections to the database, and none is being opened: asking for more"
    )
    yield* crowd
  })
  return Effect.asVoid(Effect.forkScoped(Effect.forever(look)))
}
