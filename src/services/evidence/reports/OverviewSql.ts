import { endingDays, lateMinutes, mostCounted, overviewDays } from "../../../domain/evidence/reports/Overview.ts"
import type { Window } from "../../../domain/evidence/reports/Report.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { andWithinProducts } from "../../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"

/** The window of an overview: until now, and for some days, unless it is said otherwise. */
export const findOverviewWindow = (
  sql: Database,
  { from, to }: Partial<Window>
): Query<{ readonly from: Date; readonly to: Date }> =>
  sql<{ readonly from: Date; readonly to: Date }>`
    -- name: clock.find overview window
    SELECT until AS "to",
      coalesce(${from ?? null}::text::timestamptz, until - ${overviewDays.usual} * interval '24 hours') AS "from"
    FROM (SELECT coalesce(${to ?? null}::text::timestamptz, now()) AS until) w`

/** How often something happened on a day; `code` is the reason of refusals. */
interface DayCount {
  readonly kind: "issued" | "activations" | "refusals"
  readonly day: Date
  readonly code: string | null
  readonly count: bigint
}

/** The figures of each day of a window. Each of them is counted in an index that has nothing else. */
export const countByDay = (sql: Database, { from, to }: Window, limit: ProductLimit): Query<DayCount> => {
  const window = sql`occurred_at >= ${from}::text::timestamptz AND occurred_at < ${to}::text::timestamptz ${
    andWithinProducts(sql, "product_id", limit)
  }`
  const day = sql.literal("date_bin('1 day', occurred_at, '2000-01-01T00:00:00Z')")
  return sql<DayCount>`
    -- name: activities.count by day
    SELECT 'issued' AS kind, ${day} AS day, NULL::text AS code, count(*) AS count FROM activities
    WHERE action = 'license.created' AND result_class = 'success' AND ${window} GROUP BY 2
    UNION ALL
    SELECT 'activations', ${day}, NULL, count(*) FROM activities
    WHERE action = 'license.activated' AND result_class = 'success' AND ${window} GROUP BY 2
    UNION ALL
    SELECT 'refusals', ${day}, code, count(*) FROM activities
    WHERE result_class = 'refused' AND ${window} GROUP BY 2, 3`
}

/** How many licenses expired or were revoked on each day since the beginning of a window. */
export const countEndedByDay = (
  sql: Database,
  from: string,
  limit: ProductLimit
): Query<{ readonly day: Date; readonly count: bigint }> =>
  sql<{ readonly day: Date; readonly count: bigint }>`
    -- name: activities.count ended by day
    SELECT date_bin('1 day', occurred_at, '2000-01-01T00:00:00Z') AS day, count(*) AS count FROM activities
    WHERE action IN ('license.expired', 'license.revoked') AND result_class = 'success'
      AND occurred_at >= ${from}::text::timestamptz ${andWithinProducts(sql, "product_id", limit)}
    GROUP BY 1`

/** The features whose quotas were reached most often in a window. */
export const countQuotasReached = (
  sql: Database,
  { from, to }: Window,
  limit: ProductLimit
): Query<{ readonly feature_code: string; readonly product_id: string | null; readonly count: bigint }> =>
  sql<{ readonly feature_code: string; readonly product_id: string | null; readonly count: bigint }>`
    -- name: activities.count quotas reached
    SELECT feature_code, product_id, count(*) AS count FROM activities
    WHERE action = 'license.quota_reached' AND feature_code IS NOT NULL
      AND occurred_at >= ${from}::text::timestamptz AND occurred_at < ${to}::text::timestamptz
      ${andWithinProducts(sql, "product_id", limit)}
    GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 10`

/** How many licenses there are of some kind, up to one more than is counted. */
interface LicenseCounts {
  readonly active: bigint
  readonly ending: bigint
}

/** Counts licenses in force, and those that end soon: from both indexes only as many as are said. */
export const countLicensesInForce = (sql: Database, limit: ProductLimit): Query<LicenseCounts> => {
  const within = andWithinProducts(sql, "product_id", limit)
  return sql<LicenseCounts>`
    -- name: licenses.count in force
    SELECT (SELECT count(*) FROM (
        (SELECT 1 FROM licenses WHERE state = 'active' AND expires_at > now() ${within}
        ORDER BY expires_at LIMIT ${mostCounted.active + 1})
        UNION ALL
        (SELECT 1 FROM licenses WHERE state = 'active' AND expires_at IS NULL ${within}
        LIMIT ${mostCounted.active + 1})
      ) l) AS active,
      (SELECT count(*) FROM (
        SELECT 1 FROM licenses WHERE state = 'active' AND expires_at > now()
          AND expires_at < now() + ${endingDays} * interval '24 hours' ${within}
        ORDER BY expires_at LIMIT ${mostCounted.ending + 1}
      ) l) AS ending`
}

/** The licenses that end first, with their owners. */
export const listEnding = (sql: Database, limit: ProductLimit): Query<object> =>
  sql`
    -- name: licenses.list ending first
    SELECT l.id AS license_id, r.name AS product, p.name AS policy,
      coalesce((SELECT name FROM customers WHERE id = l.customer_id), l.customer_name, l.customer_email) AS owner,
      l.expires_at
    FROM (
      SELECT * FROM licenses
      WHERE state = 'active' AND expires_at > now() AND expires_at < now() + ${endingDays} * interval '24 hours'
        ${andWithinProducts(sql, "product_id", limit)}
      ORDER BY expires_at LIMIT 5
    ) l JOIN policies p ON p.id = l.policy_id JOIN products r ON r.id = l.product_id
    ORDER BY l.expires_at, l.id`

/** The endpoints to which nothing can be delivered, the longest first. */
export const listFailingEndpoints = (sql: Database): Query<object> =>
  sql`
    -- name: webhook_endpoints.list failing
    SELECT e.id AS webhook_id, e.name, l.failing_since
    FROM webhook_endpoints e JOIN webhook_lanes l ON l.endpoint_id = e.id
    WHERE l.failing_since IS NOT NULL AND e.is_active AND e.deleted_at IS NULL
    ORDER BY l.failing_since LIMIT 10`

/** How many mails wait for so long that the mail server does not seem to take them. */
export const countLateMails = (sql: Database): Query<{ readonly count: bigint }> =>
  sql<{ readonly count: bigint }>`
    -- name: mails.count late
    SELECT count(*) AS count FROM (
      SELECT 1 FROM mails
      -- One that the mail server refuses for the vendor's fault waits until that is mended.
      WHERE created_at < now() - ${lateMinutes} * interval '1 minute' OR last_fault = 'us' LIMIT ${
    mostCounted.waiting + 1
  }
    ) m`

/** How many purchases wait for a person. */
export const countWaitingPurchases = (sql: Database): Query<{ readonly count: bigint }> =>
  sql<{ readonly count: bigint }>`
    -- name: purchases.count waiting
    SELECT count(*) AS count FROM (
      SELECT 1 FROM purchases WHERE status IN ('waiting', 'failed') LIMIT ${mostCounted.waiting + 1}
    ) p`
