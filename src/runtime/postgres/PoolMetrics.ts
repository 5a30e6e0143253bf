import { PgPool } from "@effect/sql-pg"
import type { PgConnection } from "@effect/sql-pg"
import { Cause, Context, Effect, Exit, Metric, Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Duplex } from "node:stream"
import { fromStart, fromStartBy, readGauge } from "../../services/ground/platform/SeriesFromStart.ts"
import { statementName } from "./StatementName.ts"

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

/** The pools of connections, by the name in metrics. */
const pools = ["api", "groups", "questions", "delivery", "unhurried"] as const
export type PoolName = (typeof pools)[number]

// The names are those of OpenTelemetry: https://opentelemetry.io/docs/specs/semconv/database/database-metrics/
const attributesOf = (pool: PoolName) => ({ db_client_connection_pool_name: pool })
const connectionCount = (pool: PoolName, state: "used" | "idle") =>
  fromStart(Metric.gauge("db_client_connection_count", {
    description: "Open connections to the database, by pool and by whether a statement or a transaction has them.",
    attributes: { ...attributesOf(pool), db_client_connection_state: state }
  }))
const used = fromStartBy(pools, (pool) => connectionCount(pool, "used"))
const idle = fromStartBy(pools, (pool) => connectionCount(pool, "idle"))
const most = fromStartBy(pools, (pool) =>
  Metric.gauge("db_client_connection_max", {
    description: "How many connections a pool opens at most.",
    attributes: attributesOf(pool)
  }))
const pending = fromStartBy(pools, (pool) =>
  Metric.gauge("db_client_connection_pending_requests", {
    description: "Statements and transactions that wait for a connection of a pool.",
    attributes: attributesOf(pool)
  }))
const waitTime = fromStartBy(pools, (pool) =>
  Metric.histogram("db_client_connection_wait_time_seconds", {
    description: "From asking a pool for a connection to having it, in seconds.",
    boundaries: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
    attributes: attributesOf(pool)
  }))
const failures = fromStart(Metric.counter("countersign_database_connection_failures_total", {
  description: "Connections to the database that were needed and could not be had.",
  incremental: true
}))

const durationOf = (operation: string) =>
  Metric.histogram("db_client_operation_duration_seconds", {
    description: "Time of a query until its response has arrived, in seconds, by statement and table.",
    boundaries: [0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 2.5, 30],
    attributes: { operation }
  })
const durations = new Map(
  ["BEGIN", "COMMIT", "ROLLBACK"].map((name) => [name, fromStart(durationOf(name))])
)

const ofStatement = (text: string): Metric.Histogram<number> => {
  const name = statementName(text).summary
  const known = durations.get(name)
  if (known !== undefined) return known
  const made = durationOf(name)
  durations.set(name, made)
  return made
}

/** Runs a statement and records its duration, whatever its result. */
export const timed = <A, E, R>(text: string, run: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const begun = performance.now()
    return Effect.onExitPrimitive(run, () => {
      ofStatement(text).updateUnsafe((performance.now() - begun) / 1000, fiber.context)
      return undefined
    })
  })

/** A pool says how many connections it opens, and how. */
interface MeteredPoolOptions extends PgPool.Config {
  readonly maxConnections: number
  readonly stream: () => Duplex
}

/**
 * Makes a pool whose connections are counted, and the waits for them. A connection counts as used while anything has it,
 * be it one statement, a transaction or several statements that share it.
 */
export const makeMeteredPool = Effect.fnUntraced(function*(
  name: PoolName,
  { stream: connect, ...options }: MeteredPoolOptions
): Effect.fn.Return<PgPool.PgPool, SqlError, Scope.Scope> {
  let open = 0
  let waiting = 0
  let moves = 0
  /** The connections that are used, and by how many. */
  const holders = new Map<PgConnection.PgConnection, number>()
  const context = yield* Effect.context<never>()
  const wait = waitTime[name]
  yield* readGauge(used[name], () => holders.size)
  // A connection that cancels a statement is open beside those of the pool.
  yield* readGauge(idle[name], () => Math.max(0, Math.min(open, options.maxConnections) - holders.size))
  yield* readGauge(most[name], () => options.maxConnections)
  yield* readGauge(pending[name], () => waiting)

  const pool = yield* makeRelievedPool({
    make: PgPool.make({
      ...options,
      stream: () => {
        const socket = connect()
        open += 1
        moves += 1
        socket.once("close", () => (open -= 1))
        return socket
      }
    }),
    waiting: () => waiting,
    mayGrow: () => open < options.maxConnections,
    moves: () => moves
  })

  /** Asks for a connection. It is answered once, and what was answered is given back once. */
  const ask = () => {
    const begun = performance.now()
    let held: PgConnection.PgConnection | undefined
    waiting += 1
    return {
      take: (connection: PgConnection.PgConnection) => {
        waiting -= 1
        moves += 1
        held = connection
        holders.set(connection, (holders.get(connection) ?? 0) + 1)
        wait.updateUnsafe((performance.now() - begun) / 1000, context)
      },
      leave: (exit: Exit.Exit<unknown, unknown>): undefined => {
        if (held === undefined) {
          waiting -= 1
          if (Exit.isFailure(exit) && Cause.hasFails(exit.cause)) failures.updateUnsafe(1, context)
          return
        }
        const left = holders.get(held)! - 1
        if (left === 0) holders.delete(held)
        else holders.set(held, left)
      }
    }
  }

  const get: PgPool.PgPool["get"] = Effect.withFiber((fiber) => {
    const acquisition = ask()
    const scope = Context.get(fiber.context as Context.Context<Scope.Scope>, Scope.Scope)
    return Effect.onExitPrimitive(pool.get, (exit) => {
      if (Exit.isFailure(exit)) return acquisition.leave(exit)
      acquisition.take(exit.value)
      return Scope.addFinalizer(scope, Effect.sync(() => acquisition.leave(exit)))
    })
  })

  return {
    ...pool,
    get,
    reserve: Effect.flatMap(get, (connection) => connection.pin),
    use: (work) =>
      Effect.suspend(() => {
        const acquisition = ask()
        return Effect.onExitPrimitive(
          pool.use((connection) => {
            acquisition.take(connection)
            return work(connection)
          }),
          acquisition.leave
        )
      })
  }
})
