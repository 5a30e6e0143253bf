import { Effect } from "effect"
import { createIndex } from "../OnlineMigration.ts"

/**
 * Indexes of the ends of licenses, which the overview counts back from what is in force, and of what people and keys reported,
 * which a filter by them finds without a look at what apps used.
 */
export default Effect.gen(function*() {
  yield* createIndex(
    "activities_ended",
    `ON activities (occurred_at) INCLUDE (product_id)
     WHERE action IN ('license.expired', 'license.revoked') AND result_class = 'success'`
  )
  yield* createIndex(
    "usage_records_by_actor_type",
    "ON usage_records (actor_type, created_at) WHERE actor_id IS NOT NULL"
  )
})
