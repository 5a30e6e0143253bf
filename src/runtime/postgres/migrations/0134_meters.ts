import { Effect } from "effect"
import { addColumns, briefly } from "../OnlineMigration.ts"

/**
 * What is measured of the uses of a feature where it is not their sum. A use then counts what it changes of that, which may be
 * nothing, and keeps the amount that its caller named beside it.
 */
export default Effect.gen(function*() {
  yield* addColumns("features", {
    meter: { type: "text", check: "meter IN ('max', 'last', 'unique')" },
    meter_dimension: { type: "text", check: "(meter_dimension IS NULL) = (meter IS DISTINCT FROM 'unique')" }
  })
  yield* addColumns("usage_records", { measured: { type: "bigint", check: "measured >= 1" } })
  yield* briefly(
    `COMMENT ON COLUMN usage_records.measured IS 'the amount that the caller named; NULL where it is the amount that counts'`
  )
  yield* briefly(`
    ALTER TABLE usage_records DROP CONSTRAINT IF EXISTS usage_records_amount_check,
      DROP CONSTRAINT IF EXISTS usage_records_counted_check,
      ADD CONSTRAINT usage_records_counted_check CHECK (amount >= 1 OR measured IS NOT NULL) NOT VALID`)
  yield* briefly(`
    CREATE TABLE IF NOT EXISTS usage_values (
      license_id text COLLATE "C" NOT NULL REFERENCES licenses,
      feature_id text COLLATE "C" NOT NULL REFERENCES features,
      period_start timestamptz NOT NULL,
      digest uuid NOT NULL,
      PRIMARY KEY (license_id, feature_id, digest, period_start)
    )`)
  yield* briefly(`COMMENT ON TABLE usage_values IS
    'the values of a dimension that uses of a period had, of features that count them; digests by usage_key()'`)
  yield* briefly(`
    CREATE OR REPLACE VIEW usage_ledger AS
      SELECT id, created_at AS occurred_at, 'license.usage_recorded' AS action, license_id, feature_id, feature_code,
        amount, total_consumptions, NULL::bigint AS max_consumptions, device_id, event_id, product_id, customer_id,
        order_id, subscription_id, request_id, overage, dimensions, measured
      FROM usage_records
      UNION ALL
      SELECT id, created_at, action, license_id, feature_id, feature_code, amount, total_consumptions,
        max_consumptions, NULL, NULL, product_id, customer_id, order_id, subscription_id, request_id, NULL, NULL, NULL
      FROM usage_corrections`)
})
