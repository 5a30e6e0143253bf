import { Effect, Stream } from "effect"
import { reportColumns } from "../../domain/reports/ReportColumns.ts"
import type { JsonObject } from "../../domain/wire/CanonicalJson.ts"
import type { Database, Query } from "../persistence/Database.ts"
import type { ProductLimit } from "../persistence/ProductLimit.ts"
import { toWire } from "../persistence/RowToWire.ts"
import type { OpenedReport } from "./OpenedReport.ts"
import { countReported, countStates, countStatuses, reportedCustomers, reportedRows } from "./PurchaseReportSql.ts"
import type { PurchaseFilters } from "./PurchaseReportSql.ts"
import { blockRows, openRows } from "./ReportCursor.ts"
import { idsIn } from "./ReportNames.ts"

const all = (query: Query<object>) => Effect.map(query, (rows) => rows.map(toWire<JsonObject>))

/**
 * Opens the report of purchases as far as a caller with this `limit` may see it, inside the caller's transaction. It is of
 * the tables as they are in the snapshot: what a provider says of a payment is not in the feed.
 */
export const openPurchasesReport = Effect.fnUntraced(
  function*(sql: Database, filters: PurchaseFilters, limit: ProductLimit) {
    const [counts] = yield* all(countReported(sql, filters, limit))
    const states = yield* all(countStates(sql, filters, limit))
    const statuses = yield* all(countStatuses(sql, filters, limit))
    const total = Number(counts!["purchases"])
    const query = reportedRows(sql, filters, limit)
    const columns = reportColumns("purchases", filters)
    return {
      filters: { ...filters },
      summary: { ...counts, states, statuses },
      columns,
      total,
      rows: Stream.unwrap(Effect.map(openRows(sql, query, total), ({ rows }) => rows)),
      blocks: blockRows(sql, query, columns),
      namelessIds: idsIn(sql, ["customer_id"], reportedCustomers(sql, filters, limit))
    } satisfies OpenedReport
  }
)
