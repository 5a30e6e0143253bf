import { Context, Effect, Layer } from "effect"
import { listsUses, prunedFindings } from "../../../domain/evidence/reports/PrunedWindow.ts"
import { defaultFrom, filterFindings, windowFindings } from "../../../domain/evidence/reports/Report.ts"
import type { ReportFilters, ReportKind, Window } from "../../../domain/evidence/reports/Report.ts"
import type { NotFound, ValidationError } from "../../../domain/ground/wire/Errors.ts"
import { invalidRequest } from "../../../domain/ground/wire/FieldFindings.ts"
import { readPruned } from "../audit/PrunedTables.ts"
import type { FeedPlace } from "../../log/FeedPosition.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { CurrentProducts } from "../../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"
import { requireTransaction } from "../../ground/persistence/Transaction.ts"
import { openAdoptionReport } from "./AdoptionReports.ts"
import { openLicensesReport } from "./LicenseReports.ts"
import type { OpenedReport } from "./OpenedReport.ts"
import { openPurchasesReport } from "./PurchaseReports.ts"
import { openRehearsal } from "./RehearsalReports.ts"
import { findReportTime } from "./ReportSql.ts"
import { openStatement } from "./StatementReports.ts"
import { makeSubjectReports } from "./SubjectReports.ts"
import { makeUsageReports } from "./UsageReports.ts"

/** Reads live reports from the tables. */
export class ReportSource extends Context.Service<ReportSource, {
  /**
   * Opens a report in the caller's transaction, which should be REPEATABLE READ, READ ONLY, so that head and rows are
   * of one snapshot. Dies outside a transaction. NotFound: the subject of the report does not exist. ValidationError:
   * the filters contradict each other (`filterFindings` reports this earlier, where it can). With a `place` of the
   * feed, read in the same snapshot, the report covers only the events up to that place; without one, everything that
   * is committed. Of a limited key it tells what concerns its products, and names them in its filters.
   */
  readonly open: <Kind extends ReportKind>(
    kind: Kind,
    filters: ReportFilters<Kind>,
    place?: FeedPlace
  ) => Effect.Effect<OpenedReport, NotFound | ValidationError>
}>()("countersign/services/evidence/reports/ReportSource") {
  static readonly layer = Layer.effect(
    ReportSource,
    Effect.gen(function*() {
      const sql = yield* Database
      const present = Effect.map(findReportTime(sql), (rows) => rows[0]!.now.toISOString())

      /** The window of a report; `otherwise` gives the bounds that the filters leave out. */
      const windowed = Effect.fnUntraced(function*<Filters extends { readonly from?: string; readonly to?: string }>(
        kind: ReportKind,
        filters: Filters,
        place: FeedPlace | undefined,
        otherwise: { readonly from?: string | undefined; readonly to?: string | undefined } = {}
      ) {
        const to = filters.to ?? otherwise.to ?? (yield* present)
        const from = filters.from ?? otherwise.from ?? defaultFrom(to)
        const { bucket } = filters as ReportFilters<"usage-summary">
        const fields = [
          ...windowFindings(kind, { from, to }, bucket),
          ...prunedFindings(kind, { ...filters, from, to }, yield* readPruned(sql), place?.waitingSince)
        ]
        return fields.length === 0 ? { ...filters, from, to } satisfies Filters & Window : yield* invalidRequest(fields)
      })

      type Openers = {
        readonly [Kind in ReportKind]: (
          filters: ReportFilters<Kind>,
          place?: FeedPlace
        ) => Effect.Effect<OpenedReport, NotFound | ValidationError>
      }
      /** A reader of the reports of a caller that is limited to products, or is not. */
      const openersFor = (limit: ProductLimit): Openers => {
        const usage = makeUsageReports(sql, limit)
        const subjects = makeSubjectReports(sql, limit)

        /**
         * A ledger that would list uses which are gone. Without `from` it begins with what is left, and says so: its
         * totals are of a window then, not of everything that ever was.
         */
        const ledger = Effect.fnUntraced(function*(filters: ReportFilters<"usage-ledger">, place?: FeedPlace) {
          const { activities, uses } = yield* readPruned(sql)
          if (uses === undefined || !listsUses("usage-ledger", filters)) return yield* usage.ledger(filters, place)
          const to = filters.to ?? (yield* present)
          const from = filters.from ?? (Date.parse(to) > uses.getTime() ? uses.toISOString() : defaultFrom(to))
          const fields = prunedFindings("usage-ledger", { ...filters, from, to }, { activities, uses })
          return fields.length === 0 ? yield* usage.ledger({ ...filters, from }, place) : yield* invalidRequest(fields)
        })

        const settlement = Effect.fnUntraced(function*(
          filters: ReportFilters<"subscription-settlement">,
          place?: FeedPlace
        ) {
          const subject = yield* subjects.settled(filters)
          // The period applies only as a whole: one bound of it with a default for the other would be a window that the
          // caller did not ask for.
          const period = filters.from === undefined && filters.to === undefined && subject["period_end"] !== undefined
            ? { from: String(subject["period_start"]), to: String(subject["period_end"]) }
            : {}
          return yield* subjects.settlement(
            yield* windowed("subscription-settlement", filters, place, period),
            subject,
            place
          )
        })

        return {
          "usage-summary": (filters, place) =>
            Effect.flatMap(windowed("usage-summary", filters, place), (whole) => usage.summary(whole, place)),
          "usage-ledger": ledger,
          "license-audit": (filters, place) =>
            Effect.flatMap(windowed("license-audit", filters, place), (whole) => subjects.audit(whole, place)),
          "customer-summary": (filters, place) =>
            Effect.flatMap(windowed("customer-summary", filters, place), (whole) => subjects.customer(whole, place)),
          "subscription-settlement": settlement,
          purchases: (filters, place) =>
            Effect.flatMap(windowed("purchases", filters, place), (whole) => openPurchasesReport(sql, whole, limit)),
          licenses: (filters) => openLicensesReport(sql, filters, limit),
          adoption: (filters) => openAdoptionReport(sql, filters, limit),
          rehearsal: (filters) => openRehearsal(sql, filters, limit),
          statement: (filters, place) =>
            Effect.flatMap(
              windowed("statement", filters, place),
              (whole) => openStatement(sql, { filters: whole, limit, place })
            )
        }
      }

      const open = Effect.fn("ReportSource.open")(function*<Kind extends ReportKind>(
        kind: Kind,
        filters: ReportFilters<Kind>,
        place?: FeedPlace
      ) {
        yield* requireTransaction(sql, "ReportSource.open")
        const fields = filterFindings(kind, filters)
        if (fields.length > 0) return yield* invalidRequest(fields)
        const limit = yield* CurrentProducts
        const report = yield* openersFor(limit)[kind](filters, place)
        // The filters show every reader that the report is not of everything.
        return limit === undefined ? report : { ...report, filters: { ...report.filters, product_ids: [...limit] } }
      })

      return ReportSource.of({ open })
    })
  )
}
