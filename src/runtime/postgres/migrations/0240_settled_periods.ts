import { Effect } from "effect"
import { addColumns, briefly } from "../OnlineMigration.ts"

/**
 * From when on a correction sets what was used, and to how much: it is of one period, where the quota has one, and not of those
 * before.
 */
export default Effect.gen(function*() {
  yield* addColumns("usage_corrections", { settles_from: "timestamptz", settled_count: "bigint" })
  yield* briefly(`COMMENT ON COLUMN usage_corrections.settles_from IS
    'the start of the period whose count it set, -infinity where it set all; NULL in refunds and in rows of earlier releases'`)
})
