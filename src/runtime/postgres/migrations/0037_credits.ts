import { Effect } from "effect"
import { addColumns, briefly } from "../OnlineMigration.ts"

/**
 * Credits beside a quota, whoever granted that. They belong to the period that they were added in, and end with it.
 * Both columns are NULL where nothing was added; sums that were stored as quotas of licenses stay as they are.
 */
export default Effect.gen(function*() {
  yield* addColumns("license_features", {
    credits: { type: "bigint", check: "credits > 0" },
    credits_start: "timestamptz"
  })
  yield* briefly(`COMMENT ON COLUMN license_features.credits_start IS
    'when the period began that the credits were added in; NULL where the quota had no period'`)
})
