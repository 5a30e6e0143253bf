import { PgConnection } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import type { Scope } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as EmbeddedPostgres from "../../src/runtime/postgres/EmbeddedPostgres.ts"
import { BenchError } from "./ServiceProcess.ts"

/** A directory that goes with the scope. */
export const temporaryDirectory: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "countersign-bench-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

/** The URL of the database to measure on: `DATABASE_URL`, otherwise an embedded PostgreSQL, durable as in service. */
export const benchDatabase = (directory: string): Effect.Effect<string, BenchError, Scope.Scope> => {
  const given = process.env["DATABASE_URL"] ?? ""
  if (given !== "") return Effect.succeed(given)
  return EmbeddedPostgres.start({ directory }).pipe(
    Effect.map(({ url }) => Redacted.value(url)),
    Effect.mapError(({ message }) => new BenchError({ message }))
  )
}

/** Runs statements, one after the other, on a connection of their own; answers the rows of the last one. */
export const runSql = (
  databaseUrl: string,
  statements: ReadonlyArray<readonly [sql: string, parameters: ReadonlyArray<unknown>]>
) =>
  Effect.scoped(Effect.gen(function*() {
    const connection = yield* PgConnection.make({ url: Redacted.make(databaseUrl) })
    const results = yield* Effect.forEach(statements, ([sql, parameters]) => connection.query(sql, parameters))
    return results.at(-1)?.rows ?? []
  })).pipe(Effect.mapError((error) => new BenchError({ message: `${error.message}: ${String(error.cause)}` })))

/** Waits until every event has its place. */
export const sequenced = (databaseUrl: string) =>
  Effect.gen(function*() {
    while (true) {
      const [row] = yield* runSql(databaseUrl, [[
        "SELECT EXISTS (SELECT FROM event_pending) OR (SELECT tree_size < last_sequence FROM event_chain) AS waits",
        []
      ]])
      if (row?.["waits"] === false) return
      yield* Effect.sleep("100 millis")
    }
  })
