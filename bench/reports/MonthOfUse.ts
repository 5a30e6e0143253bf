import type { Effect } from "effect"
import { runSql } from "../harness/Database.ts"
import type { BenchError } from "../harness/ServiceProcess.ts"

/** Days that the uses of {@link fillMonth} are spread over. */
export const days = 30

/**
 * Writes `uses` metered uses by SQL alone, evenly over the last month and over the features of the licenses there are,
 * oldest first, with the days they add up to. The event log and the counters know nothing of them.
 */
export const fillMonth = (databaseUrl: string, uses: number): Effect.Effect<unknown, BenchError> =>
  runSql(databaseUrl, [
    [
      `WITH d AS MATERIALIZED (
         SELECT row_number() OVER (ORDER BY d.id, f.id) - 1 AS position, d.id AS device_id, d.license_id, a.feature_id,
           f.code, l.product_id, l.customer_id, l.order_id, l.subscription_id
         FROM devices d JOIN licenses l ON l.id = d.license_id JOIN license_features a ON a.license_id = l.id
         JOIN features f ON f.id = a.feature_id
       ), places AS (
         SELECT n, n::int8 * 7919 % (SELECT count(*) FROM d) AS position FROM generate_series(1, $1::int) AS n
       )
       INSERT INTO usage_records (license_id, feature_id, event_id, amount, device_id, created_at, id, feature_code,
         total_consumptions, product_id, customer_id, order_id, subscription_id, request_id)
       SELECT d.license_id, d.feature_id, 'call-' || n, n % 9 + 1, d.device_id,
         date_trunc('milliseconds', now()) - ($1::int - n) * ($2::int * interval '24 hours' / $1::int),
         'evt_' || substr(md5('e' || n), 1, 26), d.code, n, d.product_id, d.customer_id, d.order_id, d.subscription_id,
         'req_' || substr(md5('r' || n), 1, 26)
       FROM places JOIN d USING (position)
       ORDER BY n`,
      [uses, days]
    ],
    [
      `INSERT INTO usage_days (day, license_id, feature_id, customer_id, feature_code, product_id, order_id,
         subscription_id, uses, amount, first_at, last_at)
       SELECT date_trunc('day', created_at, 'UTC'), license_id, feature_id, customer_id, min(feature_code),
         min(product_id), min(order_id), min(subscription_id), count(*), sum(amount), min(created_at), max(created_at)
       FROM usage_records GROUP BY 1, 2, 3, 4`,
      []
    ],
    ["VACUUM ANALYZE", []]
  ])
