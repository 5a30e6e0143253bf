import { Data, Effect, Layer } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { Vault } from "../services/Vault.ts"
import * as Database from "./Database.ts"
import { migrations } from "./migrations/index.ts"

/** The database belongs to another master key. The message says what to set. */
class MasterKeyMismatch extends Data.TaggedError("MasterKeyMismatch")<{ readonly message: string }> {}

/** The database's user may not make the tables. The message says which user and which schema. */
class SchemaRefused extends Data.TaggedError("SchemaRefused")<{ readonly message: string }> {}

/** Any fixed number that no other program uses as an advisory lock. */
const migrationLock = 0x436f756e

/** Fails when the user may not create tables, which is what a failed migration mostly comes from. */
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

/** Brings the schema up to date. The lock lets several nodes start at once: one migrates, the others wait for it. */
const migrate = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(Effect.gen(function*() {
    yield* sql`SELECT pg_advisory_xact_lock(${migrationLock})`
    yield* Migrator.make({})({ loader: Migrator.fromRecord(migrations), table: "schema_migrations" })
  })).pipe(Effect.catch((cause) => Effect.andThen(checkPrivilege, Effect.die(cause))))
})

/**
 * Refuses a master key that is not the one this database was made with, before anything is written: what is sealed
 * under one key cannot be opened with another.
 */
const checkMasterKey = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const vault = yield* Vault
  const check = vault.keyCheck()
  const rows = yield* sql<{ readonly value: Uint8Array }>`
    INSERT INTO service_state (key, value) VALUES ('master_key_check', ${check})
    ON CONFLICT (key) DO UPDATE SET value = service_state.value
    RETURNING value`.pipe(Effect.orDie)
  const stored = rows[0]!.value
  if (stored.length !== check.length || stored.some((byte, index) => byte !== check[index])) {
    return yield* new MasterKeyMismatch({
      message: "COUNTERSIGN_MASTER_KEY is not the key that this database was made with. " +
        "Set the one it was first started with; what is encrypted under it cannot be read with another."
    })
  }
})

/** The database, migrated and belonging to us. */
export const layer = Layer.effectDiscard(
  Effect.andThen(Effect.provide(migrate, Database.layerUnhurried), checkMasterKey)
)
