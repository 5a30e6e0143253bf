import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * A feature whose code changes during a day has two rows for that day, one for each code: use under the old code stays
 * under it, as in the uses and their events. Days that were summed under a single code are summed again from the uses.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  const [old] = yield* sql<{ readonly name: string }>`
    SELECT conname AS name FROM pg_constraint WHERE conrelid = 'usage_days'::regclass AND contype = 'u'`
  yield* sql`ALTER TABLE usage_days DROP CONSTRAINT ${sql(old!.name)}`
  yield* sql`
    ALTER TABLE usage_days ADD CONSTRAINT usage_days_once
      UNIQUE NULLS NOT DISTINCT (license_id, day, feature_id, customer_id, feature_code)`

  yield* sql`
    CREATE TEMPORARY TABLE days_of_many_codes ON COMMIT DROP AS
    SELECT license_id, date_trunc('day', created_at, 'UTC') AS day, feature_id, customer_id
    FROM usage_records GROUP BY 1, 2, 3, 4 HAVING min(feature_code) <> max(feature_code)`
  yield* sql`
    DELETE FROM usage_days d USING days_of_many_codes m
    WHERE d.license_id = m.license_id AND d.day = m.day AND d.feature_id = m.feature_id
      AND d.customer_id IS NOT DISTINCT FROM m.customer_id`
  yield* sql`
    INSERT INTO usage_days (day, license_id, feature_id, customer_id, feature_code, product_id, order_id,
      subscription_id, uses, amount, first_at, last_at)
    SELECT m.day, u.license_id, u.feature_id, u.customer_id, u.feature_code, min(u.product_id), min(u.order_id),
      min(u.subscription_id), count(*), sum(u.amount), min(u.created_at), max(u.created_at)
    FROM days_of_many_codes m JOIN usage_records u
      ON u.license_id = m.license_id AND u.feature_id = m.feature_id AND u.customer_id IS NOT DISTINCT FROM m.customer_id
        AND u.created_at >= m.day AND u.created_at < m.day + interval '24 hours'
    GROUP BY 1, 2, 3, 4, 5`
})
