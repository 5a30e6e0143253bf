import type { Effect } from "effect"
import { runSql } from "../harness/Database.ts"
import type { BenchError } from "../harness/ServiceProcess.ts"

/**
 * Writes `rows` uses into the ledger by SQL alone, one every 1.7 seconds before now, spread over the devices there are.
 * The event log and the counters know nothing of them. Ids look random, as real ones do, so that nothing compresses
 * better than it would in service.
 */
export const fillUsage = (databaseUrl: string, rows: number): Effect.Effect<unknown, BenchError> =>
  runSql(databaseUrl, [
    [
      `INSERT INTO usage_records (license_id, feature_id, event_id, amount, device_id, created_at, id, feature_code,
         total_consumptions, product_id, customer_id, order_id, subscription_id, request_id)
       SELECT d.license_id, d.feature_id, 'call-' || n, n % 9 + 1, d.device_id,
         date_trunc('milliseconds', now()) - n * interval '1.7 seconds', 'evt_' || substr(md5('e' || n), 1, 26), d.code,
         n, d.product_id, d.customer_id, d.order_id, d.subscription_id, 'req_' || substr(md5('r' || n), 1, 26)
       FROM generate_series(1, $1::int) AS n
       JOIN (
         SELECT row_number() OVER (ORDER BY d.id) - 1 AS position, count(*) OVER () AS devices, d.id AS device_id,
           d.license_id, a.feature_id, f.code, l.product_id, l.customer_id, l.order_id, l.subscription_id
         FROM devices d JOIN licenses l ON l.id = d.license_id JOIN license_features a ON a.license_id = l.id
         JOIN features f ON f.id = a.feature_id
       ) d ON d.position = n % d.devices`,
      [rows]
    ],
    ["VACUUM ANALYZE usage_records", []]
  ])
