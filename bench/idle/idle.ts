import { Console, Effect } from "effect"
import type { Scope } from "effect"
import { costBetween, databaseCost } from "../deliver/DeliveryCost.ts"
import { benchDatabase, runSql, temporaryDirectory } from "../harness/Database.ts"
import type { BenchOptions } from "../harness/Options.ts"
import { figure, print } from "../harness/Report.ts"
import type { BenchError } from "../harness/ServiceProcess.ts"
import { startService } from "../harness/ServiceProcess.ts"

/** How long the service is left alone before it is measured: what follows a start is over, and its code is compiled. */
const settles = "30 seconds"

/** A statement that reached the database while nobody called the service. */
interface Looked {
  readonly name: string
  readonly calls: number
}

/**
 * The database to measure on, which counts the statements that reach it: an embedded PostgreSQL loads the library that counts
 * when it starts, so it is started once to be told so.
 */
const countingDatabase = (directory: string): Effect.Effect<string, BenchError, Scope.Scope> =>
  Effect.gen(function*() {
    if ((process.env["DATABASE_URL"] ?? "") === "") {
      yield* Effect.scoped(Effect.flatMap(benchDatabase(directory), (url) =>
        runSql(url, [["ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'", []]])))
    }
    const url = yield* benchDatabase(directory)
    yield* Effect.ignore(runSql(url, [["CREATE EXTENSION IF NOT EXISTS pg_stat_statements", []]]))
    return url
  })

/** How often each statement was run so far, by its name or its text; empty where the server does not count. */
const statements = (databaseUrl: string) =>
  runSql(databaseUrl, [[
    `SELECT coalesce(substring(query FROM '-- name: ([^\\n]+)'), left(query, 60)) AS name, sum(calls)::float8 AS calls
    FROM pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND query NOT LIKE '%pg_stat_%' GROUP BY 1`,
    []
  ]]).pipe(
    Effect.map((rows) => new Map(rows.map((row) => [String(row["name"]), Number(row["calls"])]))),
    Effect.orElseSucceed(() => new Map<string, number>())
  )

const increase = (before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>, minutes: number) =>
  [...after].map(([name, calls]): Looked => ({ name, calls: (calls - (before.get(name) ?? 0)) / minutes }))
    .filter(({ calls }) => calls > 0)
    .toSorted((one, other) => other.calls - one.calls)

/** Measures what a service that nobody calls costs in a minute: of its own processor time, of PostgreSQL's, and in statements. */
export const idle = ({ json, profile, seconds }: BenchOptions) =>
  Effect.gen(function*() {
    const directory = yield* temporaryDirectory
    const databaseUrl = yield* countingDatabase(directory)
    const service = yield* startService(databaseUrl, directory, profile)
    yield* Effect.sleep(settles)
    const counted = yield* statements(databaseUrl)
    const before = yield* databaseCost(databaseUrl, service.pid)
    const begun = performance.now()
    yield* Effect.sleep(`${seconds} seconds`)
    const minutes = (performance.now() - begun) / 60_000
    const used = costBetween(before, yield* databaseCost(databaseUrl, service.pid))
    const looks = increase(counted, yield* statements(databaseUrl), minutes)
    const found = {
      seconds,
      service: used.sender / minutes,
      database: used.store / minutes,
      statements: looks.reduce((sum, { calls }) => sum + calls, 0),
      writes: used.commits / minutes,
      wal: used.wal / minutes,
      looks
    }
    if (json) return yield* Effect.as(Console.log(JSON.stringify(found)), found)
    yield* print(
      `A service that nobody calls, each minute, over ${seconds} seconds`,
      ["", "a minute"],
      [
        ["CPU of the service, s", figure(found.service, 2)],
        ["CPU of PostgreSQL, s", figure(found.database, 2)],
        ["statements", figure(found.statements)],
        ["transactions that write", figure(found.writes)],
        ["write-ahead log, bytes", figure(found.wal)],
        ...looks.map(({ calls, name }) => [`  ${name}`, figure(calls, 1)])
      ],
      ["Statements are counted by pg_stat_statements; there are none where the server of DATABASE_URL does not load it."]
    )
    return found
  })
