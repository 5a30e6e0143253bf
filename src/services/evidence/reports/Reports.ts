import { Context, Effect, Layer, Stream } from "effect"
import { filterFindings, reportSchemaOf } from "../../../domain/evidence/reports/Report.ts"
import type { ReportFilters } from "../../../domain/evidence/reports/Report.ts"
import { maximumSummaryRows } from "../../../domain/evidence/reports/ReportDocument.ts"
import type {
  DocumentKind,
  ReportDocuments,
  UsageEntry,
  UsageSummary
} from "../../../domain/evidence/reports/ReportDocument.ts"
import type { WrittenPage } from "../../../domain/ground/rows/WrittenRows.ts"
import type { InvalidCursor, InvalidQuery, NotFound } from "../../../domain/ground/wire/Errors.ts"
import { invalidQuery } from "../../../domain/ground/wire/FieldFindings.ts"
import type { PageRequest } from "../../../domain/ground/wire/Page.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { isNarrowed, pageLimits, timedPage } from "../../ground/persistence/KeysetPagination.ts"
import { CurrentProducts } from "../../ground/persistence/ProductLimit.ts"
import { toWire } from "../../ground/persistence/RowToWire.ts"
import { readOneSnapshot } from "../../ground/persistence/TransactionSql.ts"
import { ReportSource } from "./ReportSource.ts"
import { ledgerRows, listLedger } from "./ReportSql.ts"
import { makeUsageReports } from "./UsageReports.ts"

/** Reports without a subject that could be missing. */
type WholeKind = "usage-summary" | "purchases" | "licenses" | "adoption"

/** Live reports. */
export class Reports extends Context.Service<Reports, {
  /** Use, summed by the group and bucket of the filters. */
  readonly usage: (filters: ReportFilters<"usage-summary">) => Effect.Effect<UsageSummary, InvalidQuery>
  /** The purchases that were in effect in the window, with up to `limit` rows. */
  readonly purchases: (
    filters: ReportFilters<"purchases">,
    limit: number
  ) => Effect.Effect<ReportDocuments["purchases"], InvalidQuery>
  /** The licenses that match, with up to `limit` rows. */
  readonly licenses: (
    filters: ReportFilters<"licenses">,
    limit: number
  ) => Effect.Effect<ReportDocuments["licenses"], InvalidQuery>
  /** The versions that devices run, with up to `limit` rows. */
  readonly adoption: (
    filters: ReportFilters<"adoption">,
    limit: number
  ) => Effect.Effect<ReportDocuments["adoption"], InvalidQuery>
  /** A report about one subject, with up to `limit` rows, read from one snapshot of the database. */
  readonly read: <Kind extends Exclude<DocumentKind, WholeKind>>(
    kind: Kind,
    filters: ReportFilters<Kind>,
    limit: number
  ) => Effect.Effect<ReportDocuments[Kind], NotFound | InvalidQuery>
  /** One page of the usage ledger, newest first. */
  readonly ledger: (
    filters: ReportFilters<"usage-ledger">,
    page: PageRequest
  ) => Effect.Effect<WrittenPage<UsageEntry>, InvalidCursor | InvalidQuery>
}>()("countersign/services/evidence/reports/Reports") {
  static readonly layer = Layer.effect(
    Reports,
    Effect.gen(function*() {
      const sql = yield* Database
      const source = yield* ReportSource

      const read = Effect.fn("Reports.read")(
        <Kind extends DocumentKind>(kind: Kind, filters: ReportFilters<Kind>, limit: number) =>
          sql.withTransaction(Effect.gen(function*() {
            // One snapshot, without a transaction id, for which the sequencer would have to wait.
            yield* readOneSnapshot(sql)
            const { columns: _columns, namelessIds: _ids, rows, total, ...report } = yield* source.open(kind, filters)
            const chunks = yield* rows.pipe(Stream.flatMap(Stream.fromIterable), Stream.take(limit), Stream.runCollect)
            // Its rows are read without a check, as there may be many, and the answer is encoded by the schema.
            return toWire<ReportDocuments[Kind]>({
              schema: reportSchemaOf(kind),
              report_kind: kind,
              ...report,
              rows: chunks,
              total_rows: total,
              truncated: total > chunks.length
            })
          })).pipe(
            Effect.catchTag("VALIDATION_ERROR", ({ error }) => Effect.fail(invalidQuery(error.fields ?? [])))
          )
      )

      /** A report without a subject that could be missing. */
      const readAll = <Kind extends WholeKind>(
        kind: Kind,
        filters: ReportFilters<Kind>,
        limit: number
      ) => Effect.catchTag(read(kind, filters, limit), "NOT_FOUND", Effect.die)

      const usage = (filters: ReportFilters<"usage-summary">) => readAll("usage-summary", filters, maximumSummaryRows)

      const purchases = (filters: ReportFilters<"purchases">, limit: number) => readAll("purchases", filters, limit)

      const licenses = (filters: ReportFilters<"licenses">, limit: number) => readAll("licenses", filters, limit)

      const adoption = (filters: ReportFilters<"adoption">, limit: number) => readAll("adoption", filters, limit)

      const ledger = Effect.fn("Reports.ledger")(
        function*(filters: ReportFilters<"usage-ledger">, page: PageRequest) {
          const fields = filterFindings("usage-ledger", filters)
          if (fields.length > 0) return yield* invalidQuery(fields)
          const products = yield* CurrentProducts
          const { ledgerQuery } = makeUsageReports(sql, products)
          const isFiltered = isNarrowed(filters, products)
          return yield* timedPage({
            list: "usage-ledger",
            products: "narrowed",
            filters,
            page,
            rows: (after, limit) => {
              // The first condition uses the index on the time; the second decides by id among entries of the same
              // instant.
              const older = after === undefined ? [] : [
                sql`occurred_at <= ${new Date(after.at)}`,
                sql`(occurred_at < ${new Date(after.at)} OR id < ${after.id})`
              ]
              return listLedger(sql, ledgerQuery(filters, older), pageLimits(sql, limit, isFiltered))
            },
            write: ledgerRows
          })
        }
      )

      return Reports.of({ usage, purchases, licenses, adoption, read, ledger })
    })
  )
}
