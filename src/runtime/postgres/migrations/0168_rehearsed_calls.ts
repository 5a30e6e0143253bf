import { Effect } from "effect"
import { addColumns, createIndex } from "../OnlineMigration.ts"

/**
 * What decisions read beside the class of a device: who was signed in, and of which feature how much was asked for and left. NULL in
 * rows of before and of nodes of the version before. And indexes by which licenses are found by what their devices run.
 */
export default Effect.gen(function*() {
  yield* addColumns("decided_calls", {
    user_id: "text",
    feature_code: "text",
    amount: "bigint",
    remaining: "bigint"
  })
  yield* createIndex(
    "devices_by_version",
    `ON devices ((app_version COLLATE "C"), license_id) WHERE status = 'active' AND app_version IS NOT NULL`
  )
  yield* createIndex(
    "devices_by_system",
    `ON devices ((lower(os) COLLATE "C"), license_id) WHERE status = 'active' AND os IS NOT NULL`
  )
})
