import { Effect, Stream } from "effect"
import { reportColumns } from "../../../domain/evidence/reports/ReportColumns.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"
import type { OpenedReport } from "./OpenedReport.ts"
import { countReported, reportedCustomers, reportedRows } from "./PurchaseReportSql.ts"
import type { PurchaseFilters } from "./PurchaseReportSql.ts"
import { blockRows, openRows } from "./ReportCursor.ts"
import { idsIn } from "./ReportNames.ts"

/**
 * Opens the report of purchases as far as a caller with this `limit` may see it, inside the caller's transaction. It is of
 * the tables as they are in the snapshot: what a provider says of a payment is not in the feed.
 */
export const openPurchasesReport = Effect.fnUntraced(
  function*(sql: Database, filters: PurchaseFilters, limit: ProductLimit) {
    const counts = yield* countReported(sql, filters, limit)
    const all = counts.find(({ by }) => by === "all")!
    const total = Number(all.purchases)
    const query = reportedRows(sql, filters, limit)
    const columns = reportColumns("purchases", filters)
    return {
      filters: { ...filters },
      summary: {
        purchases: total,
        licenses: Number(all.licenses),
        states: counts.filter(({ by }) => by === "state").map(({ purchases, state }) =>
          state === null ? { count: Number(purchases) } : { state, count: Number(purchases) }
        ),
        statuses: counts.filter(({ by }) => by === "status").map(({ purchases, status }) => ({
          status: status!,
          count: Number(purchases)
        }))
      },
      columns,
      total,
      rows: Stream.unwrap(Effect.map(openRows(sql, query, total), ({ rows }) => rows)),
      blocks: blockRows(sql, query, columns),
      namelessIds: idsIn(sql, ["customer_id"], reportedCustomers(sql, filters, limit))
    } satisfies OpenedReport
  }
)
