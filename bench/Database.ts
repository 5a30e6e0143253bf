import { Effect, Redacted } from "effect"
import type { Scope } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as EmbeddedPostgres from "../src/runtime/EmbeddedPostgres.ts"
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
