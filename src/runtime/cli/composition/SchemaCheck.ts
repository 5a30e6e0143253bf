import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { newest, refuseBeforeBase } from "../../postgres/Migrations.ts"
import { Away } from "../../terminal/ExitCode.ts"

/**
 * Reads the schema and never migrates it: tables of another version would show differences that only that version can
 * explain.
 */
export const checkSchema = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [present] = yield* sql<{ readonly present: boolean }>`
    SELECT to_regclass('schema_migrations') IS NOT NULL AS present`
  const [schema] = present!.present
    ? yield* sql<{ readonly version: number | null }>`SELECT max(migration_id)::int AS version FROM schema_migrations`
    : []
  yield* refuseBeforeBase
  if (schema?.version === newest) return
  return yield* new Away({
    message: schema?.version == null
      ? "The database has no Countersign tables yet. Start the service once (npm start)"
      : `The tables are of schema ${schema.version}, this version needs ${newest}. Start the service once, or use ` +
        "the version that it runs"
  })
}).pipe(Effect.catchTag("SqlError", Effect.die))
