import type { Statement } from "effect/sql"
import type { Bucket, Window } from "../../../domain/evidence/reports/Report.ts"
import { usageParts } from "../../../domain/evidence/reports/UsageParts.ts"
import type { Span } from "../../../domain/evidence/reports/UsageParts.ts"
import type { Fragments } from "../../ground/persistence/Database.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"
import { withinProducts } from "../../ground/persistence/ProductLimit.ts"
import { placedOnly } from "../../log/FeedPosition.ts"
import type { FeedPlace } from "../../log/FeedPosition.ts"

/** Which use to report on. Every member is a column of `usage_records` and of `usage_days`. */
export interface UsageFilters {
  readonly product_id?: string | undefined
  readonly customer_id?: string | undefined
  readonly license_id?: string | undefined
  readonly order_id?: string | undefined
  readonly subscription_id?: string | undefined
  readonly feature_code?: string | undefined
}

const filterColumns = [
  "product_id",
  "customer_id",
  "license_id",
  "order_id",
  "subscription_id",
  "feature_code"
] as const

/** The filters as conditions on the columns of the same names, and the products that a limited key may see. */
export const usageConditions = (
  sql: Fragments,
  filters: UsageFilters,
  limit: ProductLimit
): ReadonlyArray<Statement.Fragment> => [
  ...filterColumns.flatMap((column) => filters[column] === undefined ? [] : [sql`${sql(column)} = ${filters[column]}`]),
  ...withinProducts(sql, "product_id", limit)
]

/**
 * The sum of an SQL expression over the rows that `filter` selects. Like the counter of a license, it is limited to the
 * whole numbers that every JSON library reads exactly.
 */
export const safeSum = (sql: Fragments, expression: string, filter = "true"): Statement.Fragment => {
  const sum = `coalesce(sum(${expression}) FILTER (WHERE ${filter}), 0)`
  return sql.literal(`greatest(least(${sum}, ${Number.MAX_SAFE_INTEGER}), ${Number.MIN_SAFE_INTEGER})::int8`)
}

/** Where the bucket of an instant starts, in SQL. */
const bucketStart: Readonly<Record<Bucket, (column: string) => string>> = {
  "1h": (column) => `date_bin('1 hour', ${column}, '2000-01-01T00:00:00Z')`,
  "1d": (column) => `date_bin('1 day', ${column}, '2000-01-01T00:00:00Z')`,
  "1w": (column) => `date_trunc('week', ${column}, 'UTC')`,
  "1mo": (column) => `date_trunc('month', ${column}, 'UTC')`,
  "1y": (column) => `date_trunc('year', ${column}, 'UTC')`
}

const owners = "license_id, customer_id, feature_code, product_id, order_id, subscription_id"

/** Which parts of the uses are asked for. */
interface CellOptions {
  readonly limit: ProductLimit
  readonly bucket?: Bucket | undefined
  /** The dimension by which uses are told apart. */
  readonly dimension?: string | undefined
  readonly place?: FeedPlace | undefined
}

/**
 * From where the uses of the window [from, to) are read: the part of a statement after its select list, for the days of the
 * daily roll-up and for single uses. Full days come from the roll-up. The partial days at both ends come from the records,
 * by an index on their time; so do buckets of an hour and dimensions. With a `place` of the feed, only uses whose events have their place
 * are counted: then the days from the oldest waiting event on come from the records too.
 */
const usageSources = (
  sql: Fragments,
  window: Window,
  filters: UsageFilters,
  { bucket, dimension, limit, place }: CellOptions
): {
  readonly days: ReadonlyArray<Statement.Fragment>
  readonly records: ReadonlyArray<Statement.Fragment>
} => {
  const conditions = usageConditions(sql, filters, limit)
  const needed = usageParts(window, { bucket, dimension, waitingSince: place?.waitingSince })
  const days = ([start, end]: Span) =>
    sql`FROM usage_days WHERE ${sql.and([...conditions, sql`day >= ${new Date(start)}`, sql`day < ${new Date(end)}`])}`
  const records = ([start, end]: Span) =>
    sql`FROM usage_records WHERE ${
      sql.and([
        ...conditions,
        sql`created_at >= ${new Date(start)}`,
        sql`created_at < ${new Date(end)}`,
        ...placedOnly(sql, place, "created_at", "id")
      ])
    }`
  return { days: needed.days === undefined ? [] : [days(needed.days)], records: needed.records.map(records) }
}

const joined = (
  sql: Fragments,
  parts: ReadonlyArray<Statement.Fragment>,
  operator: "UNION" | "UNION ALL"
): Statement.Fragment => parts.reduce((all, part) => sql`${all} ${sql.literal(operator)} ${part}`)

/**
 * The uses of a window, as rows to add up: `bucket`, whose they are, a `dimension` that is asked for, `uses`, `amount`, `overage`, `first_at` and `last_at`.
 */
export const usageCells = (
  sql: Fragments,
  window: Window,
  filters: UsageFilters,
  options: CellOptions
): Statement.Fragment => {
  const { bucket, dimension } = options
  const named = dimension === undefined ? sql`` : sql`dimensions ->> ${dimension} AS dimension, `
  // The very expression of the extended statistics, by which the planner knows how few hours there are.
  const bucketOf = (column: string) =>
    sql.literal(
      bucket === undefined
        ? "NULL::timestamptz AS bucket"
        : `${bucketStart[bucket](column)} AS bucket`
    )
  const { days, records } = usageSources(sql, window, filters, options)
  return joined(sql, [
    ...days.map((source) =>
      sql`
        SELECT ${bucketOf("day")}, ${sql.literal(owners)}, uses, amount, overage, first_at, last_at ${source}`
    ),
    ...records.map((source) =>
      sql`
        SELECT ${bucketOf("created_at")}, ${
        sql.literal(owners)
      }, ${named}1 AS uses, amount, overage, created_at AS first_at,
          created_at AS last_at ${source}`
    )
  ], "UNION ALL")
}

/**
 * The {@link usageCells} without buckets in the order of licenses, which an index of the days has: they are merged, so that
 * who reads the first sums waits for no others. PostgreSQL merges what is of the same types and ordered part by part.
 */
export const usageCellsByLicense = (
  sql: Fragments,
  window: Window,
  filters: UsageFilters,
  options: Omit<CellOptions, "bucket">
): Statement.Fragment => {
  const { days, records } = usageSources(sql, window, filters, options)
  const parts = [
    ...days.map((source) => sql`SELECT license_id, uses, amount, overage, first_at, last_at ${source}`),
    ...records.map((source) =>
      sql`
        SELECT license_id, 1::int8 AS uses, amount::numeric AS amount, overage::numeric AS overage, created_at AS first_at,
          created_at AS last_at ${source}`
    )
  ]
  return sql`
    SELECT * FROM (${joined(sql, parts.map((part) => sql`(${part} ORDER BY license_id)`), "UNION ALL")}) u
    ORDER BY license_id`
}

/** The licenses with uses in a window. */
export const usedLicenses = (
  sql: Fragments,
  window: Window,
  filters: UsageFilters,
  options: Omit<CellOptions, "bucket">
): Statement.Fragment => {
  const { days, records } = usageSources(sql, window, filters, options)
  return joined(sql, [...days, ...records].map((source) => sql`SELECT DISTINCT license_id ${source}`), "UNION")
}

/** How much of the amount lies over quotas; NULL where none does. */
export const overageSum = (sql: Fragments): Statement.Fragment => sql`nullif(${safeSum(sql, "overage")}, 0)`

/** The feature of all rows that have one, `also` of those of another source; null where there are several. */
export const onlyFeature = (sql: Fragments, also?: Statement.Fragment): Statement.Fragment => {
  const least = sql`min(feature_code COLLATE "C")`
  const most = sql`max(feature_code COLLATE "C")`
  // Where one of the two sources has no rows, least and greatest answer what the other one has.
  return also === undefined
    ? sql`CASE WHEN ${least} = ${most} THEN ${least} END AS feature_code`
    : sql`CASE WHEN least(${least}, (SELECT ${least} ${also})) = greatest(${most}, (SELECT ${most} ${also}))
        THEN least(${least}, (SELECT ${least} ${also})) END AS feature_code`
}

/** The aggregates `uses`, `amount`, `overage`, `first_at` and `last_at` over {@link usageCells}. */
export const usageAggregates = (sql: Fragments): Statement.Fragment =>
  sql`${safeSum(sql, "uses")} AS uses, ${safeSum(sql, "amount")} AS amount, ${
    overageSum(sql)
  } AS overage, min(first_at) AS first_at,
    max(last_at) AS last_at`
