import { PgConnection } from "@effect/sql-pg"
import { Effect, Redacted, Schedule } from "effect"
import type { Scope } from "effect"
import { usageOf } from "../harness/ProcessUsage.ts"
import { BenchError } from "../harness/ServiceProcess.ts"

/** A transaction that had an id for longer than it may. */
interface LongTransaction {
  /** How long it had been open when it was last seen, in seconds. */
  readonly seconds: number
  readonly query: string
}

/** What is seen of a service and its database while they work. */
export interface SoakWatch {
  /** Resident memory, once a second: when, in seconds since the watch began, and how much, in MiB. */
  readonly memory: ReadonlyArray<readonly [at: number, mebibytes: number]>
  readonly longTransactions: () => ReadonlyArray<LongTransaction>
  /** Deadlocks of the database since the watch began. */
  readonly deadlocks: Effect.Effect<number, BenchError>
}

/** No transaction may have an id for longer than this: nobody's events have their places before it ends. */
const limit = "1 second"

const sampleEvery = "100 millis"

const longOnes =
  "SELECT pid, xact_start::text AS began, extract(epoch FROM clock_timestamp() - xact_start)::float8 AS seconds, " +
  "left(query, 160) AS query FROM pg_stat_activity WHERE datname = current_database() " +
  "AND application_name LIKE 'countersign%' AND backend_xid IS NOT NULL " +
  `AND xact_start < clock_timestamp() - interval '${limit}'`

/** Watches until the scope closes. */
export const soakWatch = (databaseUrl: string, pid: number): Effect.Effect<SoakWatch, BenchError, Scope.Scope> =>
  Effect.gen(function*() {
    const connection = yield* PgConnection.make({ url: Redacted.make(databaseUrl), applicationName: "soak" })
    const count = connection.query(
      "SELECT deadlocks::int AS n FROM pg_stat_database WHERE datname = current_database()"
    ).pipe(Effect.map(({ rows }) => Number(rows[0]?.["n"])))
    const before = yield* count
    const found = new Map<string, LongTransaction>()
    const memory: Array<readonly [number, number]> = []
    const begun = performance.now()
    yield* connection.query(longOnes).pipe(
      Effect.map(({ rows }) => {
        for (const { began, pid, query, seconds } of rows) {
          found.set(`${String(pid)} ${String(began)}`, { seconds: Number(seconds), query: String(query) })
        }
      }),
      Effect.repeat(Schedule.spaced(sampleEvery)),
      Effect.forkScoped
    )
    yield* Effect.sync(() => memory.push([(performance.now() - begun) / 1000, usageOf(pid).rss])).pipe(
      Effect.repeat(Schedule.spaced("1 second")),
      Effect.forkScoped
    )
    return {
      memory,
      longTransactions: () => [...found.values()].toSorted((a, b) => b.seconds - a.seconds),
      deadlocks: Effect.map(count, (now) => now - before).pipe(Effect.mapError(failed))
    }
  }).pipe(Effect.mapError(failed))

const failed = (cause: unknown): BenchError =>
  new BenchError({ message: `The watch of the database: ${String(cause)}` })
