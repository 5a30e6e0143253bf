import type { Statement } from "effect/sql"
import { dimensionOf } from "../../../domain/catalog/Dimensions.ts"
import type { ReportFilters, Window } from "../../../domain/evidence/reports/Report.ts"
import { UsageEntry } from "../../../domain/evidence/reports/ReportDocument.ts"
import type { LicenseStatus } from "../../../domain/licensing/licenses/License.ts"
import { licenseStatus } from "../../catalog/terms/TermsSql.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { timedRecords } from "../../ground/persistence/KeysetPagination.ts"
import type { PageLimits, TimedRow } from "../../ground/persistence/KeysetPagination.ts"
import type { RowOrder } from "../../ground/persistence/KeysetPaginationSql.ts"
import { isOfProducts, withinProducts } from "../../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"
import { runningConditions } from "../../ground/persistence/RunningDeviceSql.ts"
import { recordRows } from "../../ground/records/RecordCells.ts"
import { onlyFeature, overageSum, safeSum, usageAggregates } from "../../licensing/metering/UsageQuery.ts"

/** How many ids of its rows a printed report says the names of. */
export const maximumNames = 5_000

/** The filters of the report, its window filled in. */
export type PurchaseFilters = ReportFilters<"purchases"> & Window

/** An instant of the state of purchases `p`; its text has nine decimals, which PostgreSQL rounds to six. */
const instant = (sql: Database, name: "began_at" | "paid_through" | "cancel_at" | "ended_at"): Statement.Fragment =>
  sql`(p.state ->> ${sql.literal(`'${name}'`)})::timestamptz`

/** When a purchase began; what is known of it too little is there since its first event came. */
const begun = (sql: Database): Statement.Fragment => sql`coalesce(${instant(sql, "began_at")}, p.created_at)`

/** Whether some or all licenses of purchases `p`, of which there is one, meet a condition on licenses `l`. */
const licensesAre = (sql: Database, which: "bool_or" | "bool_and", condition: Statement.Fragment): Statement.Fragment =>
  sql`(SELECT ${sql.literal(which)}(${condition}) FROM purchase_licenses pl JOIN licenses l ON l.id = pl.license_id
    WHERE pl.purchase_id = p.id) IS TRUE`

/** An instant of a window, as the text that states have of theirs: both are compared as texts, by the indexes of the states. */
const asText = (sql: Database, time: string): Statement.Fragment =>
  sql`to_char(${time}::text::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"000Z"')`

/**
 * The purchases that were in effect at some time of a window. A limited caller sees those whose licenses are all of its
 * products: the amounts of another one would tell what it costs.
 */
const reported = (sql: Database, filters: PurchaseFilters, limit: ProductLimit): Statement.Fragment => {
  const { connection_id, customer_id, from, product_id, state, status, to } = filters
  return sql`purchases p WHERE ${
    sql.and([
      sql`((p.state ->> 'began_at') COLLATE "C" < ${asText(sql, to)}
        OR (p.state ->> 'began_at' IS NULL AND p.created_at < ${to}::text::timestamptz))`,
      sql`coalesce(p.state ->> 'ended_at', 'infinity') COLLATE "C" >= ${asText(sql, from)}`,
      ...(connection_id === undefined ? [] : [sql`p.connection_id = ${connection_id}`]),
      ...(status === undefined ? [] : [sql`p.status = ${status}`]),
      ...(state === undefined ? [] : [sql`p.state ->> 'state' = ${state}`]),
      ...(customer_id === undefined ? [] : [sql`p.customer_id = ${customer_id}`]),
      ...(product_id === undefined ? [] : [licensesAre(sql, "bool_or", sql`l.product_id = ${product_id}`)]),
      ...(limit === undefined ? [] : [licensesAre(sql, "bool_and", isOfProducts(sql, "l.product_id", limit))])
    ])
  }`
}

/** The purchases of a report counted, and the licenses that they give: all of them, by state, and by status. */
interface PurchaseCount {
  readonly by: "all" | "state" | "status"
  readonly state: string | null
  readonly status: string | null
  readonly purchases: bigint
  readonly licenses: bigint
}

/** Counts the purchases of a report, in one pass: all of them, by their state at the provider, and by how far the work is. */
export const countReported = (sql: Database, filters: PurchaseFilters, limit: ProductLimit): Query<PurchaseCount> =>
  sql<PurchaseCount>`
    -- name: purchases.count for report
    SELECT CASE WHEN grouping(r.state) = 0 THEN 'state' WHEN grouping(r.status) = 0 THEN 'status' ELSE 'all' END AS by,
      r.state, r.status, count(*) AS purchases, coalesce(sum(r.licenses), 0)::int8 AS licenses
    FROM (
      SELECT (p.state ->> 'state') COLLATE "C" AS state, p.status COLLATE "C" AS status,
        (SELECT count(*) FROM purchase_licenses pl WHERE pl.purchase_id = p.id AND NOT pl.is_adopted) AS licenses
      FROM ${reported(sql, filters, limit)}
    ) r
    GROUP BY GROUPING SETS ((), (r.state), (r.status)) ORDER BY 1, r.state NULLS LAST, r.status`

/** The customers of the purchases of a report, as a FROM item. */
export const reportedCustomers = (
  sql: Database,
  filters: PurchaseFilters,
  limit: ProductLimit
): Statement.Fragment => sql`(SELECT p.customer_id FROM ${reported(sql, filters, limit)}) r`

/** The purchases of a report, newest first. */
export const reportedRows = (sql: Database, filters: PurchaseFilters, limit: ProductLimit): Statement.Fragment =>
  sql`
    (SELECT p.began_at, given.product_name, given.policy_name,
      (SELECT coalesce(sum((s ->> 'quantity')::numeric), 0)::int8 FROM jsonb_array_elements(p.state -> 'slots') s
        WHERE s ->> 'dropped_at' IS NULL) AS quantity,
      given.licenses, p.state ->> 'state' AS state, p.status, coalesce(p.state ->> 'refund', 'none') AS refund,
      coalesce(p.state ->> 'dispute', 'none') AS dispute, p.state #>> '{paid,value}' AS paid,
      p.state #>> '{refunded,value}' AS refunded,
      coalesce(p.state #>> '{paid,currency}', p.state #>> '{refunded,currency}') AS currency,
      ${instant(sql, "paid_through")} AS paid_through,
      coalesce(${instant(sql, "ended_at")}, ${
    instant(sql, "cancel_at")
  }) AS ends_at, c.provider, c.name AS connection_name,
      substr(p.name, strpos(p.name, '/') + 1) AS external_id, 
      -- An erasure finds files by the customers in them: who pays is named beside a customer alone.
      CASE WHEN p.customer_id IS NOT NULL THEN p.state #>> '{payer,id}' END AS payer_id, p.customer_id,
      given.license_ids, p.id
    FROM (SELECT p.*, ${begun(sql)} AS began_at FROM ${reported(sql, filters, limit)}) p
    JOIN billing_connections c ON c.id = p.connection_id
    CROSS JOIN LATERAL (
      SELECT count(*) AS licenses, string_agg(DISTINCT r.name, ', ') AS product_name,
        string_agg(DISTINCT o.name, ', ') AS policy_name,
        nullif(array_to_string((array_agg(l.id ORDER BY pl.item, pl.index))[1:100], ' '), '') AS license_ids
      FROM purchase_licenses pl JOIN licenses l ON l.id = pl.license_id JOIN products r ON r.id = l.product_id
      JOIN policies o ON o.id = l.policy_id WHERE pl.purchase_id = p.id AND NOT pl.is_adopted
    ) given
    ORDER BY p.began_at DESC, p.id DESC)`

const tables = "licenses l JOIN policies p ON p.id = l.policy_id"

const whereAll = (sql: Database, conditions: ReadonlyArray<Statement.Fragment>): Statement.Fragment =>
  conditions.length === 0 ? sql`` : sql`WHERE ${sql.and(conditions)}`

/** How many licenses of a report there are with each status. */
export const countByStatus = (
  sql: Database,
  conditions: ReadonlyArray<Statement.Fragment>
): Query<{ readonly status: LicenseStatus; readonly count: bigint }> =>
  sql<{ readonly status: LicenseStatus; readonly count: bigint }>`
    -- name: licenses.count by status
    SELECT ${sql.literal(licenseStatus)} AS status, count(*) AS count FROM ${sql.literal(tables)}
    ${whereAll(sql, conditions)} GROUP BY 1 ORDER BY 1`

/** The licenses of a report, in its order. */
export const reportedLicenses = (
  sql: Database,
  conditions: ReadonlyArray<Statement.Fragment>,
  { by, direction }: RowOrder
): Statement.Fragment =>
  sql`
    (SELECT l.id, ${sql.literal(licenseStatus)} AS status,
      coalesce(l.customer_name, (SELECT name FROM customers WHERE id = l.customer_id)) AS owner, l.customer_email AS email,
      (SELECT name FROM products WHERE id = l.product_id) AS product_name, p.name AS policy_name,
      l.license_key_prefix || '…' || l.license_key_last4 AS key, l.created_at AS issued_at, l.expires_at,
      l.active_device_count, array_to_string(l.tags, ', ') AS tags, l.customer_id
    FROM ${sql.literal(tables)} ${whereAll(sql, conditions)}
    ORDER BY ${by === undefined ? sql`` : sql`${by.key} ${direction}, `}l.id ${direction})`

/** The devices of a report: whose, and what they run. */
interface AdoptionQuestion {
  readonly filters: ReportFilters<"adoption">
  readonly limit: ProductLimit
}

/** Devices `d` with a seat, and their licenses `l`. */
const devicesOf = (
  sql: Database,
  { filters: { app_version, customer_id, os, policy_id, product_id }, limit }: AdoptionQuestion
): Statement.Fragment =>
  sql`devices d JOIN licenses l ON l.id = d.license_id WHERE ${
    sql.and([
      sql`d.status = 'active'`,
      ...(product_id === undefined ? [] : [sql`l.product_id = ${product_id}`]),
      ...(policy_id === undefined ? [] : [sql`l.policy_id = ${policy_id}`]),
      ...(customer_id === undefined ? [] : [sql`l.customer_id = ${customer_id}`]),
      ...runningConditions(sql, { app_version, os }),
      ...withinProducts(sql, "l.product_id", limit)
    ])
  }`

const numbers = "count(*) AS devices, count(DISTINCT l.id) AS licenses, count(DISTINCT l.customer_id) AS customers"

/** The numbers of devices, licenses and customers. */
interface AdoptionTotals {
  readonly devices: bigint
  readonly licenses: bigint
  readonly customers: bigint
}

/** Counts the devices of a report. */
export const countAdoption = (sql: Database, question: AdoptionQuestion): Query<AdoptionTotals> =>
  sql<AdoptionTotals>`
    -- name: devices.count adoption
    SELECT ${sql.literal(numbers)} FROM ${devicesOf(sql, question)}`

/** The rows of a report: by product, version and system, the most devices first. */
export const adoptionRows = (sql: Database, question: AdoptionQuestion): Statement.Fragment => {
  const isByLicense = question.filters.group_by === "license_id"
  const ids = sql.literal(isByLicense ? "l.id AS license_id, l.customer_id," : "")
  const by = sql.literal(isByLicense ? ", l.id, l.customer_id" : "")
  return sql`
    (SELECT (SELECT name FROM products WHERE id = l.product_id) AS product_name, d.app_version,
      nullif(split_part(d.os, ' ', 1), '') AS os, ${ids} ${sql.literal(numbers)}, max(d.last_seen_at) AS last_seen_at
    FROM ${devicesOf(sql, question)}
    GROUP BY l.product_id, d.app_version, nullif(split_part(d.os, ' ', 1), '') ${by}
    ORDER BY count(*) DESC, l.product_id, d.app_version COLLATE "C", nullif(split_part(d.os, ' ', 1), '') COLLATE "C" ${by})`
}

/** Counts the rows of a report. */
export const countAdoptionRows = (sql: Database, question: AdoptionQuestion): Query<{ readonly count: bigint }> =>
  sql<{ readonly count: bigint }>`
    -- name: devices.count adoption rows
    SELECT count(*) AS count FROM ${adoptionRows(sql, question)} r`

/** An instant just after every event so far: an event's time is rounded to the millisecond, perhaps up. */
export const findReportTime = (sql: Database): Query<{ readonly now: Date }> =>
  sql<{ readonly now: Date }>`
    -- name: clock.find report time
    SELECT date_trunc('milliseconds', clock_timestamp()) + interval '2 milliseconds' AS now`

/**
 * The use in each bucket that has some, summed over the cells of a report, with the only feature of each. Buckets of an hour tell no feature:
 * they are added up from an index that does not know it.
 */
export const listBuckets = (
  sql: Database,
  cells: Statement.Fragment,
  { bucket, group_by }: ReportFilters<"usage-summary">
): Query<object> =>
  sql`
    -- name: usage_days.list buckets
    SELECT bucket, ${usageAggregates(sql)}, ${
    // Hours are added up in an index, without their rows, unless these are read for a dimension.
    bucket === "1h" && dimensionOf(group_by) === undefined
      ? sql`NULL AS feature_code`
      : onlyFeature(sql)} FROM (${cells}) c
    GROUP BY bucket HAVING count(*) > 0 ORDER BY bucket`

/** How many licenses a query finds. */
export const countUsedLicenses = (sql: Database, licenses: Statement.Fragment): Query<{ readonly count: bigint }> =>
  sql<{ readonly count: bigint }>`
    -- name: usage_days.count licenses
    SELECT count(*) AS count FROM (${licenses}) u`

/** The counts and sums of entries of the ledger. */
export interface LedgerTotals {
  readonly entries: bigint
  readonly overage: bigint | null
  readonly hasDimensions: boolean
  readonly hasMeasured: boolean
}

/** The totals of entries of the ledger, which are given as a FROM item. */
export const countLedger = (sql: Database, entries: Statement.Fragment): Query<LedgerTotals> =>
  sql<LedgerTotals>`
    -- name: usage_ledger.count
    SELECT count(*) AS entries, count(*) FILTER (WHERE action = 'license.usage_recorded') AS uses,
      ${safeSum(sql, "amount", "action = 'license.usage_recorded'")} AS amount,
      ${safeSum(sql, "amount", "action <> 'license.usage_recorded'")} AS adjusted,
      ${overageSum(sql)} AS overage, count(dimensions) > 0 AS "hasDimensions",
      count(measured) > 0 AS "hasMeasured"
    FROM ${entries}`

/** Rows of the ledger. */
export const ledgerRows = recordRows(UsageEntry)

/** The first rows of a query of the ledger. */
export const listLedger = (
  sql: Database,
  query: Statement.Fragment,
  { read, returned }: PageLimits
): Query<TimedRow> =>
  sql<TimedRow>`
    -- name: usage_ledger.list
    ${timedRecords(sql, ledgerRows, sql`${query} ${read}`, returned)}`

/** The distinct ids in a column of what a query reads, a null last. */
export const listIds = (
  sql: Database,
  column: string,
  from: Statement.Fragment
): Query<{ readonly id: string | null }> =>
  sql<{ readonly id: string | null }>`
    -- name: activities.list ids of report
    SELECT DISTINCT ${sql(column)} AS id FROM ${from} ORDER BY 1 NULLS LAST LIMIT ${maximumNames}`

/** An id, and what it is called. */
export interface NamedRow {
  readonly id: string
  readonly name: string
}

/** The rows of queries that each find ids with their names. */
export const listNames = (sql: Database, queries: ReadonlyArray<Statement.Fragment>): Query<NamedRow> =>
  sql<NamedRow>`
    -- name: customers.list names of report
    ${queries.reduce((all, query) => sql`${all} UNION ALL ${query}`)}`
