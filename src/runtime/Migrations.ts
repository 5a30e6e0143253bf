import { Data, Effect, Layer } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { Vault } from "../services/Vault.ts"
import { migrations } from "./migrations/index.ts"

/** The database belongs to another master key. The message says what to set. */
export class MasterKeyMismatch extends Data.TaggedError("MasterKeyMismatch")<{ readonly message: string }> {}

/** Any fixed number that no other program uses as an advisory lock. */
const migrationLock = 0x436f756e

/** Brings the schema up to date. The lock lets several nodes start at once: one migrates, the others wait for it. */
export const migrate = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(Effect.gen(function*() {
    yield* sql`SET LOCAL statement_timeout = 0`
    yield* sql`SELECT pg_advisory_xact_lock(${migrationLock})`
    yield* Migrator.make({})({ loader: Migrator.fromRecord(migrations), table: "schema_migrations" })
  }))
}).pipe(Effect.orDie)

/**
 * Refuses a master key that is not the one this database was made with, before anything is written: what is sealed
 * under one key cannot be opened with another.
 */
export const checkMasterKey = Effect.gen(function*() {
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
export const layer = Layer.effectDiscard(Effect.andThen(migrate, checkMasterKey))
