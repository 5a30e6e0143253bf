import { PgPool } from "@effect/sql-pg"
import type { PgConnection } from "@effect/sql-pg"
import { Cause, Context, Effect, Exit, Metric, Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Duplex } from "node:stream"
import { fromStart, fromStartBy, readGauge } from "../../services/ground/platform/SeriesFromStart.ts"
import { makeRelievedPool } from "./PoolRelief.ts"
import { statementName } from "./StatementName.ts"

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
