import { Effect } from "effect"
import { addColumns, briefly } from "../OnlineMigration.ts"

/** Numbers of units left at which a license says so. NULL where a policy names none, as all did before. */
export default Effect.gen(function*() {
  yield* addColumns("policy_features", {
    remaining_thresholds: { type: "int8[]", check: "cardinality(remaining_thresholds) BETWEEN 1 AND 10" }
  })
  yield* addColumns("license_features", {
    announced_remaining: { type: "int8", check: "announced_remaining >= 1" }
  })
  yield* briefly(`COMMENT ON COLUMN license_features.announced_remaining IS
    'the lowest number of units left that was announced in the period that began at announced_period_start'`)
})
