import { Effect, Stream } from "effect"
import type { ReportFilters, Window } from "../../../domain/evidence/reports/Report.ts"
import { reportColumns } from "../../../domain/evidence/reports/ReportColumns.ts"
import type { JsonObject } from "../../../domain/ground/wire/CanonicalJson.ts"
import { failing, NotFound } from "../../../domain/ground/wire/Errors.ts"
import { activityQuery } from "../audit/ActivityQuery.ts"
import type { FeedPlace } from "../../log/FeedPosition.ts"
import { usageCells } from "../../licensing/metering/UsageQuery.ts"
import type { UsageFilters } from "../../licensing/metering/UsageQuery.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"
import { toWire } from "../../ground/persistence/RowToWire.ts"
import type { OpenedReport } from "./OpenedReport.ts"
import { blockRows, openRows } from "./ReportCursor.ts"
import { idsIn } from "./ReportNames.ts"
import * as Sql from "./SubjectReportSql.ts"

const windowOf = ({ from, to }: Window): JsonObject => ({ from, to })

/** The single row of a query in wire form; NotFound when there is none. */
export const found = Effect.fnUntraced(function*(noun: string, query: Query<object>) {
  const [row] = yield* query
  return row === undefined ? yield* failing(NotFound, `No ${noun} has this id.`) : toWire<JsonObject>(row)
})

const all = (query: Query<object>) => Effect.map(query, (rows) => rows.map(toWire<JsonObject>))

/**
 * The reports about one license, customer, subscription or order, as far as a caller with this `limit` may see them, each
 * read inside its transaction. With a
 * `place` of the feed, their counts and lists cover only its events; the description of the subject is of the snapshot.
 */
export const makeSubjectReports = (sql: Database, limit: ProductLimit) => {
  const cellsOf = (window: Window, filters: UsageFilters, place: FeedPlace | undefined) =>
    usageCells(sql, window, filters, { limit, place })

  const audit = Effect.fnUntraced(function*(filters: ReportFilters<"license-audit"> & Window, place?: FeedPlace) {
    const { from, license_id, to } = filters
    const license = yield* found("license", Sql.findAudited(sql, license_id, limit))
    const actions = yield* all(Sql.countActions(sql, filters, limit, place))
    const features = yield* all(Sql.listFeatureUse(sql, cellsOf(filters, { license_id }, place)))
    const uses = features.reduce((sum, feature) => sum + Number(feature["uses"]), 0)
    const counts = uses === 0
      ? actions
      : [...actions, { action: "license.usage_recorded", result_class: "success", count: uses }]
    const total = counts.reduce((sum, entry) => sum + Number(entry["count"]), 0)
    const activities = activityQuery(sql, { license_id, from, to }, { limit, place })
    const query = Sql.auditRows(sql, activities)
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
    const subject = yield* found("customer", Sql.findSummarized(sql, customer_id, limit))
    const [holdings] = yield* all(Sql.countHoldings(sql, customer_id, limit))
    const statuses = yield* all(Sql.countStatuses(sql, customer_id, limit))
    const cells = cellsOf(filters, { customer_id }, place)
    const rows = yield* openRows(sql, Sql.holdingRows(sql, customer_id, cells, limit))
    const [totals] = yield* all(Sql.findUsageTotal(sql, cells))
    return {
      filters: { customer_id, ...windowOf(filters) },
      summary: {
        customer: subject,
        ...holdings,
        license_statuses: statuses,
        ...totals
      },
      columns: reportColumns("customer-summary", filters, { hasOverage: "overage" in totals! }),
      ...rows
    } satisfies OpenedReport
  })

  /** The subject of the settlement, with its period if it has one. */
  const settled = ({ order_id, subscription_id }: ReportFilters<"subscription-settlement">) =>
    order_id === undefined
      ? found("subscription", Sql.findSettledSubscription(sql, subscription_id ?? "", limit))
      : found("order", Sql.findSettledOrder(sql, order_id, limit))

  const settlement = Effect.fnUntraced(function*(
    filters: ReportFilters<"subscription-settlement"> & Window,
    subject: JsonObject,
    place?: FeedPlace
  ) {
    const { group_by = "feature_code", order_id, subscription_id } = filters
    const one = order_id === undefined ? { subscription_id: subscription_id! } : { order_id }
    const of: Sql.Settled = {
      ...(order_id === undefined
        ? { column: "subscription_id", id: subscription_id! }
        : { column: "order_id", id: order_id }),
      window: filters,
      limit,
      place
    }
    const [counts] = yield* all(Sql.countSettled(sql, of))
    const cells = cellsOf(filters, one, place)
    const [totals] = yield* all(Sql.findUsageTotal(sql, cells, Sql.correctionsOf(sql, of)))
    const rows = yield* openRows(sql, Sql.settledRows(sql, of, cells, group_by))
    return {
      filters: { ...one, ...windowOf(filters), group_by },
      summary: { subject, ...counts, ...totals },
      columns: reportColumns("subscription-settlement", filters, { hasOverage: "overage" in totals! }),
      ...rows
    } satisfies OpenedReport
  })

  return { audit, customer, settled, settlement }
}
