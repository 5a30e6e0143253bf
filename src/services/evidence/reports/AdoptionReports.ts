import { Effect, Stream } from "effect"
import type { ReportFilters } from "../../../domain/evidence/reports/Report.ts"
import { reportColumns } from "../../../domain/evidence/reports/ReportColumns.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"
import { adoptionRows, countAdoption, countAdoptionRows } from "./AdoptionReportSql.ts"
import type { OpenedReport } from "./OpenedReport.ts"
import { openRows } from "./ReportCursor.ts"

/** Opens the report of what devices run, as far as a caller with this `limit` may see them, inside the caller's transaction. */
export const openAdoptionReport = Effect.fnUntraced(
  function*(sql: Database, filters: ReportFilters<"adoption">, limit: ProductLimit) {
    const question = { filters, limit }
    const [totals] = yield* countAdoption(sql, question)
    const [rows] = yield* countAdoptionRows(sql, question)
    const total = Number(rows!.count)
    const { customers, devices, licenses } = totals!
    return {
      filters: { ...filters },
      summary: { devices: Number(devices), licenses: Number(licenses), customers: Number(customers) },
      columns: reportColumns("adoption", filters),
      total,
      rows: Stream.unwrap(Effect.map(openRows(sql, adoptionRows(sql, question), total), ({ rows }) => rows))
    } satisfies OpenedReport
  }
)
