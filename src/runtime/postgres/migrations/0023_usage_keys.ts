import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What is left of a use that was deleted by age: enough to count its `event_id` once for ever, and to tell a repeat with
 * another amount. The digest is no UUID, but the type holds 16 bytes in a fifth less space than bytea does.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE usage_keys (
      digest uuid PRIMARY KEY,
      amount bigint NOT NULL CHECK (amount >= 1)
    )`
  yield* sql`
    COMMENT ON COLUMN usage_keys.digest IS
      'the first 16 bytes of SHA-256 of license_id, feature_id and event_id with line feeds between them'`

  yield* sql`
    ALTER TABLE pruned_tables DROP CONSTRAINT pruned_tables_name_check,
      ADD CONSTRAINT pruned_tables_name_check CHECK (name IN ('activities', 'usage_records'))`
})
