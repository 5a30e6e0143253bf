import { Effect } from "effect"
import { addColumns, briefly } from "../OnlineMigration.ts"

/** Shares of a quota at which a license says how much it has used. NULL where a policy names none, as all did before. */
export default Effect.gen(function*() {
  yield* addColumns("policy_features", {
    quota_thresholds: { type: "int[]", check: "cardinality(quota_thresholds) BETWEEN 1 AND 10" }
  })
  yield* addColumns("license_features", {
    announced_threshold: { type: "int", check: "announced_threshold >= 1" },
    announced_period_start: "timestamptz"
  })
  yield* briefly(`COMMENT ON COLUMN license_features.announced_threshold IS
    'the highest percentage that was announced in the period that began at announced_period_start'`)
})
