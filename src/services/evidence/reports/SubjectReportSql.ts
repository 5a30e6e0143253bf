import type { Statement } from "effect/sql"
import type { ReportFilters, Window } from "../../../domain/evidence/reports/Report.ts"
import { licenseStatus } from "../../catalog/terms/TermsSql.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { andWithinProducts, isCustomerOfProducts, withinProducts } from "../../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"
import { onlyFeature, safeSum, usageAggregates } from "../../licensing/metering/UsageQuery.ts"
import { placedOnly } from "../../log/FeedPosition.ts"
import type { FeedPlace } from "../../log/FeedPosition.ts"
import { labelOf } from "./UsageReports.ts"

const during = (sql: Database, column: string, { from, to }: Window): Statement.Fragment =>
  sql`${sql(column)} >= ${from}::text::timestamptz AND ${sql(column)} < ${to}::text::timestamptz`

/** The use in cells, in all, and the feature that all of it and of the `corrections` is of. */
export const findUsageTotal = (
  sql: Database,
  cells: Statement.Fragment,
  corrections?: Statement.Fragment
): Query<object> =>
  sql`
    -- name: usage_days.find total
    SELECT ${usageAggregates(sql)}, ${onlyFeature(sql, corrections)} FROM (${cells}) c`

/** The corrections of a settlement, as a FROM clause. */
export const correctionsOf = (sql: Database, of: Settled): Statement.Fragment =>
  sql`FROM usage_corrections WHERE ${isSettled(sql, of, "created_at", "id")}`

/** The use in cells by feature. */
export const listFeatureUse = (sql: Database, cells: Statement.Fragment): Query<object> =>
  sql`
    -- name: usage_days.list features for audit
    SELECT feature_code, ${usageAggregates(sql)} FROM (${cells}) c
    GROUP BY 1 ORDER BY feature_code COLLATE "C"`

/** The license that a report is about. */
export const findAudited = (sql: Database, id: string, limit: ProductLimit): Query<object> =>
  sql`
    -- name: licenses.find for audit
    SELECT l.id, l.product_id, l.policy_id, l.customer_id, l.order_id, l.subscription_id,
      ${sql.literal(licenseStatus)} AS status, l.license_key_prefix, l.license_key_last4, l.active_device_count,
      l.times_activated, l.times_transferred, l.total_consumptions, l.starts_at, l.expires_at, l.created_at
    FROM licenses l JOIN policies p ON p.id = l.policy_id
    WHERE l.id = ${id} ${andWithinProducts(sql, "l.product_id", limit)}`

/** The actions on a license in a window, counted by action and class of result. */
export const countActions = (
  sql: Database,
  filters: ReportFilters<"license-audit"> & Window,
  limit: ProductLimit,
  place: FeedPlace | undefined
): Query<object> =>
  sql`
    -- name: activities.count for audit
    SELECT action, result_class, count(*) AS count FROM activities
    WHERE ${
    sql.and([
      sql`license_id = ${filters.license_id}`,
      during(sql, "occurred_at", filters),
      ...withinProducts(sql, "product_id", limit),
      ...placedOnly(sql, place, "occurred_at", "audit_event_id")
    ])
  } GROUP BY 1, 2 ORDER BY 1, 2`

/** The activities of a license as its report lists them. */
export const auditRows = (sql: Database, activities: Statement.Fragment): Statement.Fragment =>
  sql`
    SELECT occurred_at, action, result_class, code, actor_type, actor_id, device_id, feature_code, amount, request_id,
      id, audit_event_id, reason
    FROM (${activities}) a`

/** The customer that a report is about. */
export const findSummarized = (sql: Database, id: string, limit: ProductLimit): Query<object> =>
  sql`
    -- name: customers.find for summary
    SELECT id, name, code, email, created_at FROM customers WHERE id = ${id} ${
    limit === undefined ? sql`` : sql`AND (${isCustomerOfProducts(sql, limit)})`
  }`

/** How much a customer holds. */
export const countHoldings = (sql: Database, id: string, limit: ProductLimit): Query<object> => {
  const within = (column: string) => andWithinProducts(sql, column, limit)
  return sql`
    -- name: licenses.count for summary
    SELECT count(*) AS licenses, coalesce(sum(l.active_device_count), 0)::int8 AS active_devices,
      (SELECT count(*) FROM orders WHERE customer_id = ${id} ${within("product_id")}) AS orders,
      (SELECT count(*) FROM subscriptions WHERE customer_id = ${id} ${within("product_id")}) AS subscriptions
    FROM licenses l WHERE l.customer_id = ${id} ${within("l.product_id")}`
}

/** The licenses of a customer, counted by their status. */
export const countStatuses = (sql: Database, id: string, limit: ProductLimit): Query<object> =>
  sql`
    -- name: licenses.count statuses for summary
    SELECT ${sql.literal(licenseStatus)} AS status, count(*) AS count
    FROM licenses l JOIN policies p ON p.id = l.policy_id
    WHERE l.customer_id = ${id} ${andWithinProducts(sql, "l.product_id", limit)} GROUP BY 1 ORDER BY 1`

/**
 * The licenses of a customer with the use in cells. Use before a license was transferred stays with the customer who owned
 * it then.
 */
export const holdingRows = (
  sql: Database,
  id: string,
  cells: Statement.Fragment,
  limit: ProductLimit
): Statement.Fragment =>
  sql`
    (SELECT l.id AS license_id, l.license_key_prefix || '…' || l.license_key_last4 AS key, l.product_id,
      r.name AS product_name, ${sql.literal(licenseStatus)} AS status,
      CASE WHEN l.customer_id = ${id} THEN 'current' ELSE 'former' END AS ownership, l.expires_at,
      l.active_device_count, coalesce(u.uses, 0) AS uses, coalesce(u.amount, 0) AS amount, u.overage,
      u.first_at, u.last_at,
      count(*) OVER () AS total_rows
    FROM (SELECT license_id, ${usageAggregates(sql)} FROM (${cells}) c GROUP BY 1) u
    FULL JOIN (SELECT id FROM licenses WHERE customer_id = ${id}) o ON o.id = u.license_id
    JOIN licenses l ON l.id = coalesce(o.id, u.license_id) ${andWithinProducts(sql, "l.product_id", limit)}
    JOIN policies p ON p.id = l.policy_id
    JOIN products r ON r.id = l.product_id
    ORDER BY l.id)`

/** The subscription that a settlement is about, with its period if it has one. */
export const findSettledSubscription = (sql: Database, id: string, limit: ProductLimit): Query<object> =>
  sql`
    -- name: subscriptions.find for settlement
    SELECT 'subscription' AS type, id, product_id, customer_id, external_system, external_id, status,
      current_period_start AS period_start, current_period_end AS period_end
    FROM subscriptions WHERE id = ${id} ${andWithinProducts(sql, "product_id", limit)}`

/** The order that a settlement is about, with its period if it has one. */
export const findSettledOrder = (sql: Database, id: string, limit: ProductLimit): Query<object> =>
  sql`
    -- name: orders.find for settlement
    SELECT 'order' AS type, id, product_id, customer_id, subscription_id, external_system, external_id, status,
      period_start, period_end
    FROM orders WHERE id = ${id} ${andWithinProducts(sql, "product_id", limit)}`

/** The scope of a settlement: an order or a subscription, by the column that refers to it, in a window. */
export interface Settled {
  readonly column: "order_id" | "subscription_id"
  readonly id: string
  readonly window: Window
  readonly limit: ProductLimit
  readonly place: FeedPlace | undefined
}

/** The condition that a row with an event at `time` belongs to a settlement. */
const isSettled = (sql: Database, { column, id, limit, place, window }: Settled, time: string, event: string) =>
  sql.and([
    sql`${sql(column)} = ${id}`,
    during(sql, time, window),
    ...withinProducts(sql, "product_id", limit),
    ...placedOnly(sql, place, time, event)
  ])

/** The licenses of a settlement, their renewals, and what was adjusted of their use. */
export const countSettled = (sql: Database, of: Settled): Query<object> =>
  sql`
    -- name: licenses.count for settlement
    SELECT (SELECT count(*) FROM licenses WHERE ${sql(of.column)} = ${of.id} ${
    andWithinProducts(sql, "product_id", of.limit)
  }) AS licenses,
      (SELECT count(*) FROM activities
        WHERE action = 'license.renewed' AND result_class = 'success' AND ${
    isSettled(sql, of, "occurred_at", "audit_event_id")
  }) AS renewals,
      (SELECT ${safeSum(sql, "amount")} ${correctionsOf(sql, of)})
        AS adjusted`

/** The use in cells and the adjustments of a settlement, by one of its groups. */
export const settledRows = (
  sql: Database,
  of: Settled,
  cells: Statement.Fragment,
  groupBy: NonNullable<ReportFilters<"subscription-settlement">["group_by"]>
): Statement.Fragment =>
  sql`
    (SELECT g.group_id AS "group", ${labelOf(sql, groupBy, of.limit)} AS label, g.uses, g.amount, g.overage, g.first_at,
      g.last_at, g.adjusted, count(*) OVER () AS total_rows
    FROM (
      SELECT ${sql(groupBy)} AS group_id, ${usageAggregates(sql)}, ${safeSum(sql, "adjusted")} AS adjusted
      FROM (
        SELECT license_id, feature_code, uses, amount, overage, first_at, last_at, 0 AS adjusted
        FROM (${cells}) u
        UNION ALL
        SELECT license_id, feature_code, 0, 0, NULL, NULL, NULL, amount ${correctionsOf(sql, of)}
      ) c
      GROUP BY 1
    ) g
    ORDER BY g.group_id COLLATE "C")`
