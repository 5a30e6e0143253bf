import type { Statement } from "effect/sql"
import type { ReportFilters } from "../../../domain/evidence/reports/Report.ts"
import { UsageEntry } from "../../../domain/evidence/reports/ReportDocument.ts"
import { onlyFeature, overageSum, safeSum, usageAggregates } from "../../licensing/metering/UsageQuery.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { timedRecords } from "../../ground/persistence/KeysetPagination.ts"
import type { PageLimits, TimedRow } from "../../ground/persistence/KeysetPagination.ts"
import { recordRows } from "../../ground/records/RecordRows.ts"
import { maximumNames } from "./OpenedReport.ts"

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
  bucket: ReportFilters<"usage-summary">["bucket"]
): Query<object> =>
  sql`
    -- name: usage_days.list buckets
    SELECT bucket, ${usageAggregates(sql)}, ${
    bucket === "1h" ? sql`NULL AS feature_code` : onlyFeature(sql)
  } FROM (${cells}) c
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
