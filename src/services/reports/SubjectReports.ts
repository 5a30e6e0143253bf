import { Effect, Stream } from "effect"
import type { Statement } from "effect/sql"
import type { ReportFilters, Window } from "../../domain/reports/Report.ts"
import { reportColumns } from "../../domain/reports/Report.ts"
import type { JsonObject } from "../../domain/wire/CanonicalJson.ts"
import { failing, NotFound } from "../../domain/wire/Errors.ts"
import { activityQuery } from "../audit/ActivityQuery.ts"
import { placedOnly } from "../events/FeedPosition.ts"
import type { FeedPlace } from "../events/FeedPosition.ts"
import { safeSum, usageAggregates, usageCells } from "../metering/UsageQuery.ts"
import type { UsageFilters } from "../metering/UsageQuery.ts"
import type { Database, Query } from "../persistence/Database.ts"
import { andWithinProducts, isCustomerOfProducts, withinProducts } from "../persistence/ProductLimit.ts"
import type { ProductLimit } from "../persistence/ProductLimit.ts"
import { toWire } from "../persistence/RowToWire.ts"
import { effectiveGrace } from "../terms/TermsSql.ts"
import type { OpenedReport } from "./OpenedReport.ts"
import { blockRows, openRows } from "./ReportCursor.ts"
import { idsIn } from "./ReportNames.ts"
import { labelOf } from "./UsageReports.ts"

// The status as callers see it: first what management decided, then the clock.
const licenseStatus = `
  CASE WHEN l.state <> 'active' THEN l.state WHEN l.expires_at IS NULL OR l.expires_at > now() THEN 'active'
    WHEN l.expires_at + ${effectiveGrace} > now() THEN 'grace_period' ELSE 'expired' END`

const windowOf = ({ from, to }: Window): JsonObject => ({ from, to })

/**
 * The reports about one license, customer, subscription or order, as far as a caller with this `limit` may see them, each
 * read inside its transaction. With a
 * `place` of the feed, their counts and lists cover only its events; the description of the subject is of the snapshot.
 */
export const makeSubjectReports = (sql: Database, limit: ProductLimit) => {
  /** A condition of a limited key at the end of a WHERE clause. */
  const within = (column: string) => andWithinProducts(sql, column, limit)

  const during = (column: string, { from, to }: Window): Statement.Fragment =>
    sql`${sql(column)} >= ${from}::text::timestamptz AND ${sql(column)} < ${to}::text::timestamptz`

  /** The single row of a query in wire form; NotFound when there is none. */
  const found = Effect.fnUntraced(function*(noun: string, query: Query<object>) {
    const [row] = yield* query
    return row === undefined ? yield* failing(NotFound, `No ${noun} has this id.`) : toWire<JsonObject>(row)
  })

  const all = (query: Query<object>) => Effect.map(query, (rows) => rows.map(toWire<JsonObject>))

  const used = (window: Window, filters: UsageFilters, place: FeedPlace | undefined) =>
    Effect.map(
      all(sql`
        -- name: usage_days.find total
        SELECT ${usageAggregates(sql)} FROM (${usageCells(sql, window, filters, { limit, place })}) c`),
      ([totals]) => totals!
    )

  const audit = Effect.fnUntraced(function*(filters: ReportFilters<"license-audit"> & Window, place?: FeedPlace) {
    const { license_id } = filters
    const license = yield* found(
      "license",
      sql`
        -- name: licenses.find for audit
        SELECT l.id, l.product_id, l.policy_id, l.customer_id, l.order_id, l.subscription_id,
          ${sql.literal(licenseStatus)} AS status, l.license_key_prefix, l.license_key_last4, l.active_device_count,
          l.times_activated, l.times_transferred, l.total_consumptions, l.starts_at, l.expires_at, l.created_at
        FROM licenses l JOIN policies p ON p.id = l.policy_id WHERE l.id = ${license_id} ${within("l.product_id")}`
    )
    const actions = yield* all(sql`
      -- name: activities.count for audit
      SELECT action, result_class, count(*) AS count FROM activities
      WHERE ${
      sql.and([
        sql`license_id = ${license_id}`,
        during("occurred_at", filters),
        ...withinProducts(sql, "product_id", limit),
        ...placedOnly(sql, place, "occurred_at", "audit_event_id")
      ])
    } GROUP BY 1, 2 ORDER BY 1, 2`)
    const features = yield* all(sql`
      -- name: usage_days.list features for audit
      SELECT feature_code, ${usageAggregates(sql)} FROM (${
      usageCells(sql, filters, { license_id }, { limit, place })
    }) c
      GROUP BY 1 ORDER BY feature_code COLLATE "C"`)
    const uses = features.reduce((sum, feature) => sum + Number(feature["uses"]), 0)
    const counts = uses === 0
      ? actions
      : [...actions, { action: "license.usage_recorded", result_class: "success", count: uses }]
    const total = counts.reduce((sum, entry) => sum + Number(entry["count"]), 0)
    const { from, to } = filters
    const activities = activityQuery(sql, { license_id, from, to }, { limit, place })
    const query: Statement.Fragment = sql`
      SELECT occurred_at, action, result_class, code, actor_type, actor_id, device_id, feature_code, amount, request_id,
        id, audit_event_id, reason
      FROM (${activities}) a`
    const columns = reportColumns("license-audit", filters)
    return {
      filters: { license_id, ...windowOf(filters) },
      summary: { license, activities: total, actions: counts, features },
      columns,
      total,
      rows: Stream.unwrap(Effect.map(openRows(sql, query, total), ({ rows }) => rows)),
      blocks: blockRows(sql, query, columns),
      namelessIds: idsIn(sql, ["actor_id"], sql`(${activities}) a`)
    } satisfies OpenedReport
  })

  const customer = Effect.fnUntraced(function*(filters: ReportFilters<"customer-summary"> & Window, place?: FeedPlace) {
    const { customer_id } = filters
    const subject = yield* found(
      "customer",
      sql`
        -- name: customers.find for summary
        SELECT id, name, code, email, created_at FROM customers WHERE id = ${customer_id} ${
        limit === undefined ? sql`` : sql`AND (${isCustomerOfProducts(sql, limit)})`
      }`
    )
    const [holdings] = yield* all(sql`
      -- name: licenses.count for summary
      SELECT count(*) AS licenses, coalesce(sum(l.active_device_count), 0)::int8 AS active_devices,
        (SELECT count(*) FROM orders WHERE customer_id = ${customer_id} ${within("product_id")}) AS orders,
        (SELECT count(*) FROM subscriptions WHERE customer_id = ${customer_id} ${within("product_id")}) AS subscriptions
      FROM licenses l WHERE l.customer_id = ${customer_id} ${within("l.product_id")}`)
    const statuses = yield* all(sql`
      -- name: licenses.count statuses for summary
      SELECT ${sql.literal(licenseStatus)} AS status, count(*) AS count
      FROM licenses l JOIN policies p ON p.id = l.policy_id
      WHERE l.customer_id = ${customer_id} ${within("l.product_id")} GROUP BY 1 ORDER BY 1`)
    const cells = usageCells(sql, filters, { customer_id }, { limit, place })
    const rows = yield* openRows(
      sql,
      // Use before a license was transferred stays with the customer who owned it then.
      sql`
        (SELECT l.id AS license_id, l.license_key_prefix || '…' || l.license_key_last4 AS key, l.product_id,
          r.name AS product_name, ${sql.literal(licenseStatus)} AS status,
          CASE WHEN l.customer_id = ${customer_id} THEN 'current' ELSE 'former' END AS ownership, l.expires_at,
          l.active_device_count, coalesce(u.uses, 0) AS uses, coalesce(u.amount, 0) AS amount, u.overage,
          u.first_at, u.last_at,
          count(*) OVER () AS total_rows
        FROM (SELECT license_id, ${usageAggregates(sql)} FROM (${cells}) c GROUP BY 1) u
        FULL JOIN (SELECT id FROM licenses WHERE customer_id = ${customer_id}) o ON o.id = u.license_id
        JOIN licenses l ON l.id = coalesce(o.id, u.license_id) ${within("l.product_id")}
        JOIN policies p ON p.id = l.policy_id
        JOIN products r ON r.id = l.product_id
        ORDER BY l.id)`
    )
    const totals = yield* used(filters, { customer_id }, place)
    return {
      filters: { customer_id, ...windowOf(filters) },
      summary: {
        customer: subject,
        ...holdings,
        license_statuses: statuses,
        ...totals
      },
      columns: reportColumns("customer-summary", filters, { hasOverage: "overage" in totals }),
      ...rows
    } satisfies OpenedReport
  })

  /** The subject of the settlement, with its period if it has one. */
  const settled = ({ order_id, subscription_id }: ReportFilters<"subscription-settlement">) =>
    order_id === undefined
      ? found(
        "subscription",
        sql`
          -- name: subscriptions.find for settlement
          SELECT 'subscription' AS type, id, product_id, customer_id, external_system, external_id, status,
            current_period_start AS period_start, current_period_end AS period_end
          FROM subscriptions WHERE id = ${subscription_id ?? ""} ${within("product_id")}`
      )
      : found(
        "order",
        sql`
          -- name: orders.find for settlement
          SELECT 'order' AS type, id, product_id, customer_id, subscription_id, external_system, external_id, status,
            period_start, period_end
          FROM orders WHERE id = ${order_id} ${within("product_id")}`
      )

  const settlement = Effect.fnUntraced(function*(
    filters: ReportFilters<"subscription-settlement"> & Window,
    subject: JsonObject,
    place?: FeedPlace
  ) {
    const { group_by = "feature_code", order_id, subscription_id } = filters
    const [column, id] = order_id === undefined ? ["subscription_id", subscription_id!] : ["order_id", order_id]
    const one = { [column]: id }
    const of = (time: string, event: string) =>
      sql.and([
        sql`${sql(column)} = ${id}`,
        during(time, filters),
        ...withinProducts(sql, "product_id", limit),
        ...placedOnly(sql, place, time, event)
      ])
    const [counts] = yield* all(sql`
      -- name: licenses.count for settlement
      SELECT (SELECT count(*) FROM licenses WHERE ${sql(column)} = ${id} ${within("product_id")}) AS licenses,
        (SELECT count(*) FROM activities
          WHERE action = 'license.renewed' AND result_class = 'success' AND ${
      of("occurred_at", "audit_event_id")
    }) AS renewals,
        (SELECT ${safeSum(sql, "amount")} FROM usage_corrections WHERE ${of("created_at", "id")}) AS adjusted`)
    const totals = yield* used(filters, one, place)
    const rows = yield* openRows(
      sql,
      sql`
        (SELECT g.group_id AS "group", ${
        labelOf(sql, group_by, limit)
      } AS label, g.uses, g.amount, g.overage, g.first_at,
          g.last_at,
          g.adjusted, count(*) OVER () AS total_rows
        FROM (
          SELECT ${sql(group_by)} AS group_id, ${usageAggregates(sql)}, ${safeSum(sql, "adjusted")} AS adjusted
          FROM (
            SELECT license_id, feature_code, uses, amount, overage, first_at, last_at, 0 AS adjusted
            FROM (${usageCells(sql, filters, one, { limit, place })}) u
            UNION ALL
            SELECT license_id, feature_code, 0, 0, NULL, NULL, NULL, amount FROM usage_corrections
            WHERE ${of("created_at", "id")}
          ) c
          GROUP BY 1
        ) g
        ORDER BY g.group_id COLLATE "C")`
    )
    return {
      filters: { ...one, ...windowOf(filters), group_by },
      summary: { subject, ...counts, ...totals },
      columns: reportColumns("subscription-settlement", filters, { hasOverage: "overage" in totals }),
      ...rows
    } satisfies OpenedReport
  })

  return { audit, customer, settled, settlement }
}
