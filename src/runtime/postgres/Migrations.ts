import { Data, Effect, Layer, Runtime } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { exitCode } from "../terminal/ExitCode.ts"
import * as Database from "./Database.ts"
import { migrations } from "./migrations/index.ts"

/** The database user may not create the tables. The message says which user and which schema. */
class SchemaRefused extends Data.TaggedError("SchemaRefused")<{ readonly message: string }> {
  override readonly [Runtime.errorExitCode] = exitCode.away
}

/** A fixed number that no other program uses for an advisory lock. */
const migrationLock = 0x436f756e

/** The table that says which migrations a database has. */
const table = "schema_migrations"

const numberOf = (name: string): number => Number.parseInt(name, 10)

/** The number of the last migration. */
export const newest = Math.max(...Object.keys(migrations).map(numberOf))

/** Keeps every other migration of the database waiting until the transaction ends: no node starts meanwhile. */
export const lock = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`SELECT pg_advisory_xact_lock(${migrationLock})`
)

/** Runs the migrations that are missing, up to that number, in the transaction of the caller. */
export const migrateTo = (last: number) =>
  Migrator.make({})({
    loader: Migrator.fromRecord(
      Object.fromEntries(Object.entries(migrations).filter(([name]) => numberOf(name) <= last))
    ),
    table
  })

/** Fails when the user may not create tables, the most common cause of a failed migration. */
const checkPrivilege = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly user: string; readonly schema: string | null; readonly allowed: boolean | null }>`
    SELECT current_user AS user, current_schema() AS schema,
      has_schema_privilege(current_schema(), 'CREATE') AS allowed`.pipe(Effect.orDie)
  const { allowed, schema, user } = rows[0]!
  if (allowed === true) return
  return yield* new SchemaRefused({
    message:
      `The database user ${user} may not create tables in ${schema === null ? "any schema" : `schema ${schema}`}. ` +
      "Let it own the database that DATABASE_URL names, for example: " +
      `CREATE DATABASE countersign OWNER ${user}`
  })
})

/** Migrates the schema. The lock lets several nodes start together: one migrates, the others wait. */
const migrate = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(Effect.gen(function*() {
    yield* lock
    yield* migrateTo(newest)
  })).pipe(Effect.catch((cause) => Effect.andThen(checkPrivilege, Effect.die(cause))))
})

/** Migrates the database. Whether it belongs to our master key is checked when its data keys are read. */
export const layer = Layer.effectDiscard(Effect.provide(migrate, Database.layerUnhurried))
