import { Effect, Schema, Stream } from "effect"
import type { Statement } from "effect/sql"
import { dimensionOf } from "../../../domain/catalog/Dimensions.ts"
import { isUsageGroup } from "../../../domain/evidence/reports/Report.ts"
import type { Bucket, ReportFilters, SeriesPoint, UsageGroup, Window } from "../../../domain/evidence/reports/Report.ts"
import { reportColumns } from "../../../domain/evidence/reports/ReportColumns.ts"
import { bucketStarts } from "../../../domain/evidence/reports/UsageParts.ts"
import type { JsonObject } from "../../../domain/ground/wire/CanonicalJson.ts"
import { bigCount, Timestamp } from "../../../domain/ground/wire/Fields.ts"
import type { Database, Fragments } from "../../ground/persistence/Database.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"
import { rowReader, toWire } from "../../ground/persistence/RowToWire.ts"
import {
  usageAggregates,
  usageCells,
  usageCellsByLicense,
  usageConditions,
  usedLicenses
} from "../../licensing/metering/UsageQuery.ts"
import { placedOnly } from "../../log/FeedPosition.ts"
import type { FeedPlace } from "../../log/FeedPosition.ts"
import { blockRows, idsIn, nameOf, openRows } from "./OpenedReport.ts"
import type { OpenedReport } from "./OpenedReport.ts"
import { countLedger, countUsedLicenses, listBuckets } from "./ReportSql.ts"

/** The sums of the use in one bucket. */
const Use = Schema.Struct({
  bucket: Schema.optionalKey(Timestamp),
  uses: bigCount(0),
  amount: Schema.Int,
  overage: Schema.optionalKey(bigCount(1)),
  first_at: Timestamp,
  last_at: Timestamp,
  feature_code: Schema.optionalKey(Schema.String)
})
type Use = typeof Use.Type

const readUse = rowReader(Use)

/** Every bucket that a window touches, with the use in it. */
const seriesOf = (
  window: Window,
  bucket: Bucket,
  buckets: ReadonlyArray<Use>
): ReadonlyArray<SeriesPoint> => {
  const amounts = new Map(buckets.map((use) => [use.bucket, use.amount]))
  return bucketStarts(window, bucket).map((start) => {
    const instant = new Date(start).toISOString()
    return { bucket: instant, value: amounts.get(instant) ?? 0 }
  })
}

/** The sum over all buckets; the amount is capped at the largest integer that every JSON library reads exactly. */
const totalOf = (buckets: ReadonlyArray<Use>): JsonObject => {
  // RFC 3339 in UTC with equal lengths, so that text order is time order.
  const firsts = buckets.map((use) => use.first_at).toSorted()
  const overage = buckets.reduce((sum, { overage = 0 }) => Math.min(sum + overage, Number.MAX_SAFE_INTEGER), 0)
  const lasts = buckets.map((use) => use.last_at).toSorted()
  const feature = buckets[0]?.feature_code
  return {
    uses: buckets.reduce((sum, { uses }) => sum + uses, 0),
    amount: buckets.reduce((sum, { amount }) => Math.min(sum + amount, Number.MAX_SAFE_INTEGER), 0),
    ...(overage === 0 ? {} : { overage }),
    ...(buckets.length === 0 ? {} : { first_at: firsts[0]!, last_at: lasts.at(-1)! }),
    ...(feature === undefined || buckets.some((use) => use.feature_code !== feature) ? {} : { feature_code: feature })
  }
}

/**
 * The name of the groups in a query whose rows `g` have `group_id`, which is unique in the table that it is looked up in:
 * none beyond the limit.
 */
export const labelOf = (sql: Fragments, group: UsageGroup, limit: ProductLimit): Statement.Fragment =>
  group === "feature_code" ? sql`NULL::text` : nameOf(sql, group, "g.group_id", limit)

/** The dimensions of an entry as the cell of a table. */
const dimensionsText = `(SELECT string_agg(d.key || '=' || d.value, ', ' ORDER BY d.key COLLATE "C")
          FROM jsonb_each_text(dimensions) d) AS dimensions`

/** The sums of cells that are in the order of licenses, in that order, so that none is made before it is fetched. */
export const sumsOfLicenses = (sql: Fragments, cells: Statement.Fragment, limit: ProductLimit): Statement.Fragment =>
  sql`
    SELECT NULL::timestamptz AS bucket, g.group_id AS "group", ${labelOf(sql, "license_id", limit)} AS label, g.uses,
      g.amount, g.overage, g.first_at, g.last_at
    FROM (
      SELECT license_id AS group_id, ${usageAggregates(sql)} FROM (${cells}) c GROUP BY 1 ORDER BY 1
    ) g
    ORDER BY g.group_id`

/**
 * The usage reports of what a caller with this `limit` may see, each read inside its transaction. With a `place` of the feed they cover only its events.
 */
export const makeUsageReports = (sql: Database, limit: ProductLimit) => {
  /**
   * The use of each license. Licenses may be a million, of which an answer has the first: they are counted from indexes
   * alone, and the sums of those are made that are fetched.
   */
  const licenseRows = Effect.fnUntraced(function*(
    filters: ReportFilters<"usage-summary"> & Window,
    place: FeedPlace | undefined
  ) {
    const [licenses] = yield* countUsedLicenses(sql, usedLicenses(sql, filters, filters, { limit, place }))
    return yield* openRows(
      sql,
      sumsOfLicenses(sql, usageCellsByLicense(sql, filters, filters, { limit, place }), limit),
      Number(licenses!.count)
    )
  })

  const summary = Effect.fnUntraced(function*(filters: ReportFilters<"usage-summary"> & Window, place?: FeedPlace) {
    const { bucket, group_by: group } = filters
    const dimension = dimensionOf(group)
    const cells = usageCells(sql, filters, filters, { bucket, dimension, limit, place })
    const buckets = (yield* listBuckets(sql, cells, filters)).map(readUse)
    const totals = totalOf(buckets)
    const rows = group === undefined
      ? { total: buckets.length, rows: Stream.make(buckets.map(({ feature_code: _feature, ...row }) => row)) }
      : group === "license_id" && bucket === undefined
      ? yield* licenseRows(filters, place)
      : yield* openRows(
        sql,
        sql`
          (SELECT g.bucket, g.group_id AS "group", ${
          isUsageGroup(group) ? labelOf(sql, group, limit) : sql`NULL::text`
        } AS label, g.uses, g.amount, g.overage,
            g.first_at, g.last_at, g.total_rows
          FROM (
            -- In order in here, so that labels are looked up for the rows alone that are fetched.
            SELECT bucket, ${sql(dimension === undefined ? group : "dimension")} COLLATE "C" AS group_id, ${
          usageAggregates(sql)
        },
              count(*) OVER () AS total_rows
            FROM (${cells}) c GROUP BY 1, 2 ORDER BY 1, 2 NULLS LAST
          ) g
          ORDER BY g.bucket, g.group_id NULLS LAST)`
      )
    return {
      filters: { ...filters },
      summary: totals,
      columns: reportColumns("usage-summary", filters, { hasOverage: "overage" in totals }),
      ...(bucket === undefined ? {} : { series: seriesOf(filters, bucket, buckets) }),
      ...rows
    } satisfies OpenedReport
  })

  /** The SQL conditions for the filters of the ledger. */
  const ledgerConditions = ({ action, from, to, ...filters }: ReportFilters<"usage-ledger">) => [
    ...usageConditions(sql, filters, limit),
    ...(action === undefined ? [] : [sql`action = ${action}`]),
    ...(from === undefined ? [] : [sql`occurred_at >= ${from}::text::timestamptz`]),
    ...(to === undefined ? [] : [sql`occurred_at < ${to}::text::timestamptz`])
  ]

  /** The entries of the ledger, newest first; `more` adds conditions. */
  const ledgerQuery = (
    filters: ReportFilters<"usage-ledger">,
    more: ReadonlyArray<Statement.Fragment> = [],
    dimensions = "dimensions"
  ): Statement.Fragment => {
    const conditions = [...ledgerConditions(filters), ...more]
    return sql`
      SELECT id, occurred_at, action, license_id, feature_id, feature_code, amount, total_consumptions,
        max_consumptions, device_id, event_id, product_id, customer_id, order_id, subscription_id, request_id, overage, measured,
        ${sql.literal(dimensions)}
      FROM usage_ledger ${conditions.length === 0 ? sql`` : sql`WHERE ${sql.and(conditions)}`}
      ORDER BY occurred_at DESC, id DESC`
  }

  const ledger = Effect.fnUntraced(function*(filters: ReportFilters<"usage-ledger">, place?: FeedPlace) {
    const placed = placedOnly(sql, place, "occurred_at", "id")
    const conditions = [...ledgerConditions(filters), ...placed]
    const entries = sql`usage_ledger ${conditions.length === 0 ? sql`` : sql`WHERE ${sql.and(conditions)}`}`
    const [counted] = yield* countLedger(sql, entries)
    const { hasDimensions, hasMeasured, ...totals } = counted!
    const query = ledgerQuery(filters, placed, dimensionsText)
    const columns = reportColumns("usage-ledger", filters, {
      hasDimensions,
      hasMeasured,
      hasOverage: totals.overage !== null
    })
    return {
      filters: { ...filters },
      summary: toWire<JsonObject>(totals),
      columns,
      total: Number(totals.entries),
      rows: Stream.unwrap(Effect.map(openRows(sql, query, Number(totals.entries)), ({ rows }) => rows)),
      blocks: blockRows(sql, query, columns),
      namelessIds: idsIn(sql, ["product_id", "customer_id", "license_id", "order_id", "subscription_id"], entries)
    } satisfies OpenedReport
  })

  return { summary, ledger, ledgerQuery }
}
