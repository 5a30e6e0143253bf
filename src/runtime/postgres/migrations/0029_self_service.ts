import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Self-service: how many seats of a license whoever has its key gave back, as a counter that belongs to its period.
 * Both columns are NULL until the first.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE licenses
      ADD COLUMN self_service_start timestamptz,
      ADD COLUMN self_service_resets integer CHECK (self_service_resets > 0)`
  yield* sql`COMMENT ON COLUMN licenses.self_service_start IS
    'when the period began that self_service_resets was counted in; in a later one it counts as 0'`
})
