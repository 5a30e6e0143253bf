import { Effect } from "effect"
import { addColumns, briefly, createIndex } from "../OnlineMigration.ts"

/** How much of a use was refunded, and in which period it was counted; and the corrections that are refunds. */
export default Effect.gen(function*() {
  yield* addColumns("usage_records", {
    refunded: { type: "bigint", check: "refunded BETWEEN 1 AND amount" },
    period_start: "timestamptz"
  })
  yield* briefly(`COMMENT ON COLUMN usage_records.period_start IS
    'of the quota, when the use was counted; NULL without a period, and in records of earlier releases'`)
  yield* addColumns("usage_corrections", { refund_of: "text", grants: "jsonb" })
  yield* briefly(`COMMENT ON COLUMN usage_corrections.refund_of IS 'the event_id of the use that was refunded'`)
  yield* createIndex(
    "usage_corrections_of_feature",
    "ON usage_corrections (license_id, feature_id, created_at) WHERE amount <> 0 AND refund_of IS NULL"
  )
})
