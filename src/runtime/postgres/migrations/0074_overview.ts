import { Effect } from "effect"
import { createIndex, replaceIndex } from "../OnlineMigration.ts"

/**
 * The figures of the overview, each counted in an index alone: what was issued, activated and refused by day, the refusals by
 * reason, and quotas that were reached. Licenses without an end are counted apart from those that an index has by their ends.
 */
export default Effect.gen(function*() {
  yield* replaceIndex(
    "activities_refused",
    "ON activities (occurred_at) INCLUDE (code, product_id) WHERE result_class = 'refused'"
  )
  yield* createIndex(
    "activities_issued",
    `ON activities (occurred_at) INCLUDE (product_id)
     WHERE action = 'license.created' AND result_class = 'success'`
  )
  yield* createIndex(
    "activities_activated",
    `ON activities (occurred_at) INCLUDE (product_id)
     WHERE action = 'license.activated' AND result_class = 'success'`
  )
  yield* createIndex(
    "activities_quota_reached",
    "ON activities (occurred_at) INCLUDE (feature_code, product_id) WHERE action = 'license.quota_reached'"
  )
  yield* createIndex(
    "licenses_without_end",
    "ON licenses (product_id) WHERE state = 'active' AND expires_at IS NULL"
  )
})
