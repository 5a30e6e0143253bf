import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The ledger tells how much of a use lies over the quota. */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE OR REPLACE VIEW usage_ledger AS
      SELECT id, created_at AS occurred_at, 'license.usage_recorded' AS action, license_id, feature_id, feature_code,
        amount, total_consumptions, NULL::bigint AS max_consumptions, device_id, event_id, product_id, customer_id,
        order_id, subscription_id, request_id, overage
      FROM usage_records
      UNION ALL
      SELECT id, created_at, action, license_id, feature_id, feature_code, amount, total_consumptions,
        max_consumptions, NULL, NULL, product_id, customer_id, order_id, subscription_id, request_id, NULL
      FROM usage_corrections`
})
