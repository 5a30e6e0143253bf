import { Effect } from "effect"
import { addColumns, briefly } from "../OnlineMigration.ts"

/**
 * The instant at which a use or a correction was counted, with its license locked: `created_at` is that at which its transaction
 * began, before it waited for the lock, and two of them may be counted in the other order. NULL in records of earlier releases.
 */
export default Effect.gen(function*() {
  for (const table of ["usage_records", "usage_corrections"]) {
    yield* addColumns(table, { counted_at: "timestamptz" })
    // A default that comes with its column would be written to each row that is there.
    yield* briefly(`ALTER TABLE ${table} ALTER COLUMN counted_at SET DEFAULT clock_timestamp()`)
  }
  yield* briefly(`COMMENT ON COLUMN usage_records.period_start IS
    'of the quota, when the use was counted; -infinity without a period, NULL in records of earlier releases'`)
})
