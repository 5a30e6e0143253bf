import { Effect } from "effect"
import { addColumns, briefly } from "../OnlineMigration.ts"

/** Properties of uses by which they are grouped, such as the model, also in the ledger. */
export default Effect.gen(function*() {
  yield* addColumns("usage_records", { dimensions: "jsonb" })
  yield* briefly(`
    CREATE OR REPLACE VIEW usage_ledger AS
      SELECT id, created_at AS occurred_at, 'license.usage_recorded' AS action, license_id, feature_id, feature_code,
        amount, total_consumptions, NULL::bigint AS max_consumptions, device_id, event_id, product_id, customer_id,
        order_id, subscription_id, request_id, overage, dimensions
      FROM usage_records
      UNION ALL
      SELECT id, created_at, action, license_id, feature_id, feature_code, amount, total_consumptions,
        max_consumptions, NULL, NULL, product_id, customer_id, order_id, subscription_id, request_id, NULL, NULL
      FROM usage_corrections`)
})
