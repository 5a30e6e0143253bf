import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The time zone of the reader of an export; null where none was asked for, as in every export of before. */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE report_exports ADD COLUMN time_zone text CHECK (length(time_zone) BETWEEN 1 AND 64)`
})
