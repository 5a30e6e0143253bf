import { Effect } from "effect"
import { addColumns, createIndex } from "../OnlineMigration.ts"

/**
 * Values that features carry for the app: of which type at the feature, set by policies, overridden by licenses. All are NULL where
 * there is none, so that rows, and the events that tell of them, stay as they are.
 */
export default Effect.gen(function*() {
  yield* addColumns("features", {
    value_type: { type: "text", check: "value_type IN ('boolean', 'integer', 'string', 'enum', 'list')" },
    enum_options: { type: `text[] COLLATE "C"`, check: "cardinality(enum_options) > 0" }
  })
  yield* addColumns("policy_features", { value: { type: "jsonb", check: "value <> 'null'" } })
  yield* addColumns("license_features", { value: { type: "jsonb", check: "value <> 'null'" } })
  // Whether an option may go is asked of the licenses that have a value of the feature, and not of all that have the feature.
  yield* createIndex("license_features_valued", "ON license_features (feature_id) WHERE value IS NOT NULL")
})
