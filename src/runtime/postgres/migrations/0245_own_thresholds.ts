import { Effect } from "effect"
import { addColumns, createIndex } from "../OnlineMigration.ts"

/** Thresholds of usage that a license has of its own, in place of its policy's. */
export default Effect.gen(function*() {
  yield* addColumns("license_features", {
    quota_thresholds: { type: "int[]", check: "cardinality(quota_thresholds) BETWEEN 1 AND 10" },
    remaining_thresholds: { type: "bigint[]", check: "cardinality(remaining_thresholds) BETWEEN 1 AND 10" }
  })
  yield* createIndex(
    "license_features_thresholds",
    "ON license_features (feature_id, license_id) WHERE num_nonnulls(quota_thresholds, remaining_thresholds) > 0"
  )
})
