import { Effect, Stream } from "effect"
import type { ReportFilters } from "../../../domain/evidence/reports/Report.ts"
import { reportColumns } from "../../../domain/evidence/reports/ReportColumns.ts"
import { licenseKeys } from "../../licensing/licenses/LicenseOrderSql.ts"
import { licenseConditions } from "../../licensing/licenses/LicenseSearch.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import { orderOf } from "../../ground/persistence/KeysetPaginationSql.ts"
import { withinProducts } from "../../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"
import { countByStatus, reportedLicenses } from "./LicenseReportSql.ts"
import type { OpenedReport } from "./OpenedReport.ts"
import { openRows } from "./ReportCursor.ts"

/** Opens the report of licenses as far as a caller with this `limit` may see them, inside the caller's transaction. */
export const openLicensesReport = Effect.fnUntraced(
  function*(sql: Database, { order, ...filters }: ReportFilters<"licenses">, limit: ProductLimit) {
    const conditions = [...yield* licenseConditions(sql, filters), ...withinProducts(sql, "l.product_id", limit)]
    const sorted = orderOf(sql, order === undefined ? {} : { order }, { alias: "l.", keys: licenseKeys(sql) })
    const statuses = (yield* countByStatus(sql, conditions))
      .map(({ count, status }) => ({ status, count: Number(count) }))
    const total = statuses.reduce((sum, { count }) => sum + count, 0)
    return {
      filters: { ...filters, ...(order === undefined ? {} : { order }) },
      summary: { licenses: total, statuses },
      columns: reportColumns("licenses", {}),
      total,
      rows: Stream.unwrap(
        Effect.map(openRows(sql, reportedLicenses(sql, conditions, sorted), total), ({ rows }) => rows)
      )
    } satisfies OpenedReport
  }
)
