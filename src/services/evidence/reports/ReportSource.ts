import { Context, Effect, Layer, Stream } from "effect"
import { dimensionOf } from "../../../domain/catalog/Dimensions.ts"
import { defaultFrom, filterFindings, windowFindings } from "../../../domain/evidence/reports/Report.ts"
import type { ReportFilters, ReportKind, Window } from "../../../domain/evidence/reports/Report.ts"
import { reportColumns } from "../../../domain/evidence/reports/ReportColumns.ts"
import { listsUses, prunedFindings } from "../../../domain/evidence/reports/UsageParts.ts"
import type { Pruned } from "../../../domain/evidence/reports/UsageParts.ts"
import type { JsonObject } from "../../../domain/ground/wire/CanonicalJson.ts"
import { failing, NotFound } from "../../../domain/ground/wire/Errors.ts"
import type { ValidationError } from "../../../domain/ground/wire/Errors.ts"
import { invalidRequest } from "../../../domain/ground/wire/FieldFindings.ts"
import { Database, requireTransaction } from "../../ground/persistence/Database.ts"
import type { Query } from "../../ground/persistence/Database.ts"
import { orderOf } from "../../ground/persistence/KeysetPaginationSql.ts"
import { CurrentProducts, withinProducts } from "../../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"
import { toWire } from "../../ground/persistence/RowToWire.ts"
import { licenseKeys } from "../../licensing/licenses/LicenseOrderSql.ts"
import { licenseConditions } from "../../licensing/licenses/LicenseSearch.ts"
import { usageCells } from "../../licensing/metering/UsageQuery.ts"
import type { UsageFilters } from "../../licensing/metering/UsageQuery.ts"
import type { FeedPlace } from "../../log/FeedPosition.ts"
import { activityQuery } from "../audit/ActivityQuery.ts"
import { listPrunedTables } from "../audit/LogBaselineSql.ts"
import { blockRows, idsIn, openRows } from "./OpenedReport.ts"
import type { OpenedReport } from "./OpenedReport.ts"
import { openRehearsal } from "./RehearsalReports.ts"
import {
  adoptionRows,
  countAdoption,
  countAdoptionRows,
  countByStatus,
  countReported,
  findReportTime,
  reportedCustomers,
  reportedLicenses,
  reportedRows
} from "./ReportSql.ts"
import type { PurchaseFilters } from "./ReportSql.ts"
import { countOwned, listFeatureSums, listGroups, statedProducts, statementRows } from "./StatementSql.ts"
import type { StatementScope } from "./StatementSql.ts"
import { findAudited, findSummarized } from "./SubjectReportSql.ts"
import * as Sql from "./SubjectReportSql.ts"
import { makeUsageReports } from "./UsageReports.ts"

const windowOf = ({ from, to }: Window): JsonObject => ({ from, to })

/** The single row of a query in wire form; NotFound when there is none. */
const found = Effect.fnUntraced(function*(noun: string, query: Query<object>) {
  const [row] = yield* query
  return row === undefined ? yield* failing(NotFound, `No ${noun} has this id.`) : toWire<JsonObject>(row)
})

const all = (query: Query<object>) => Effect.map(query, (rows) => rows.map(toWire<JsonObject>))

/**
 * The reports about one license, customer, subscription or order, as far as a caller with this `limit` may see them, each
 * read inside its transaction. With a
 * `place` of the feed, their counts and lists cover only its events; the description of the subject is of the snapshot.
 */
const makeSubjectReports = (sql: Database, limit: ProductLimit) => {
  const cellsOf = (window: Window, filters: UsageFilters, place: FeedPlace | undefined) =>
    usageCells(sql, window, filters, { limit, place })

  const audit = Effect.fnUntraced(function*(filters: ReportFilters<"license-audit"> & Window, place?: FeedPlace) {
    const { from, license_id, to } = filters
    const license = yield* found("license", Sql.findAudited(sql, license_id, limit))
    const actions = yield* all(Sql.countActions(sql, filters, limit, place))
    const features = yield* all(Sql.listFeatureUse(sql, cellsOf(filters, { license_id }, place)))
    const uses = features.reduce((sum, feature) => sum + Number(feature["uses"]), 0)
    const counts = uses === 0
      ? actions
      : [...actions, { action: "license.usage_recorded", result_class: "success", count: uses }]
    const total = counts.reduce((sum, entry) => sum + Number(entry["count"]), 0)
    const activities = activityQuery(sql, { license_id, from, to }, { limit, place })
    const query = Sql.auditRows(sql, activities)
    const columns = reportColumns("license-audit", filters)
    return {
      filters: { license_id, ...windowOf(filters) },
      summary: { license, activities: total, actions: counts, features },
      columns,
      total,
      rows: Stream.unwrap(Effect.map(openRows(sql, query, total), ({ rows }) => rows)),
      blocks: blockRows(sql, query, columns),
      namelessIds: idsIn(sql, ["actor_id"], sql`(${activities}) a`)
    } satisfies OpenedReport
  })

  const customer = Effect.fnUntraced(function*(filters: ReportFilters<"customer-summary"> & Window, place?: FeedPlace) {
    const { customer_id } = filters
    const subject = yield* found("customer", Sql.findSummarized(sql, customer_id, limit))
    const [holdings] = yield* all(Sql.countHoldings(sql, customer_id, limit))
    const statuses = yield* all(Sql.countStatuses(sql, customer_id, limit))
    const cells = cellsOf(filters, { customer_id }, place)
    const rows = yield* openRows(sql, Sql.holdingRows(sql, customer_id, cells, limit))
    const [totals] = yield* all(Sql.findUsageTotal(sql, cells))
    return {
      filters: { customer_id, ...windowOf(filters) },
      summary: {
        customer: subject,
        ...holdings,
        license_statuses: statuses,
        ...totals
      },
      columns: reportColumns("customer-summary", filters, { hasOverage: "overage" in totals! }),
      ...rows
    } satisfies OpenedReport
  })

  /** The subject of the settlement, with its period if it has one. */
  const settled = ({ order_id, subscription_id }: ReportFilters<"subscription-settlement">) =>
    order_id === undefined
      ? found("subscription", Sql.findSettledSubscription(sql, subscription_id ?? "", limit))
      : found("order", Sql.findSettledOrder(sql, order_id, limit))

  const settlement = Effect.fnUntraced(function*(
    filters: ReportFilters<"subscription-settlement"> & Window,
    subject: JsonObject,
    place?: FeedPlace
  ) {
    const { group_by = "feature_code", order_id, subscription_id } = filters
    const one = order_id === undefined ? { subscription_id: subscription_id! } : { order_id }
    const of: Sql.Settled = {
      ...(order_id === undefined
        ? { column: "subscription_id", id: subscription_id! }
        : { column: "order_id", id: order_id }),
      window: filters,
      limit,
      place
    }
    const [counts] = yield* all(Sql.countSettled(sql, of))
    const cells = cellsOf(filters, one, place)
    const [totals] = yield* all(Sql.findUsageTotal(sql, cells, Sql.correctionsOf(sql, of)))
    const rows = yield* openRows(sql, Sql.settledRows(sql, of, cells, group_by))
    return {
      filters: { ...one, ...windowOf(filters), group_by },
      summary: { subject, ...counts, ...totals },
      columns: reportColumns("subscription-settlement", filters, { hasOverage: "overage" in totals! }),
      ...rows
    } satisfies OpenedReport
  })

  return { audit, customer, settled, settlement }
}

/** The members of a license that a statement shows: what identifies it, and whose it is. */
const shownOf = (license: JsonObject): JsonObject =>
  Object.fromEntries(
    ["id", "product_id", "policy_id", "customer_id", "license_key_prefix", "license_key_last4"].flatMap((name) => {
      const value = license[name]
      return value === undefined ? [] : [[name, value]]
    })
  )

/**
 * Opens the statement of a customer or a license inside the caller's transaction: what grants had left, were given, served
 * and lost in the window. With a `place` of the feed its figures are those of its events.
 */
const openStatement = Effect.fnUntraced(function*(sql: Database, of: StatementScope) {
  const { filters, limit } = of
  const subject = filters.license_id === undefined
    ? { customer: yield* found("customer", findSummarized(sql, filters.customer_id ?? "", limit)) }
    : { license: shownOf(yield* found("license", findAudited(sql, filters.license_id, limit))) }
  const [licenses] = yield* countOwned(sql, of)
  const features = (yield* listFeatureSums(sql, of)).map(toWire<JsonObject>)
  const total = features.reduce((sum, { rows }) => sum + Number(rows), 0)
  const query = statementRows(sql, of)
  const dimension = dimensionOf(filters.group_by)
  const groups = dimension === undefined ? [] : (yield* listGroups(sql, of, dimension)).map(toWire<JsonObject>)
  return {
    filters: { ...filters },
    summary: {
      ...subject,
      licenses: Number(licenses!.count),
      features: features.map(({ rows: _rows, ...sums }) => sums),
      ...(dimension === undefined ? {} : {
        groups: groups.map(({ total: _total, ...sums }) => sums),
        total_groups: Number(groups[0]?.["total"] ?? 0)
      })
    },
    columns: reportColumns("statement", filters, { sums: features }),
    total,
    rows: Stream.unwrap(Effect.map(openRows(sql, query, total), ({ rows }) => rows)),
    namelessIds: idsIn(sql, ["product_id"], statedProducts(sql, of))
  } satisfies OpenedReport
})

/**
 * Opens the report of purchases as far as a caller with this `limit` may see it, inside the caller's transaction. It is of
 * the tables as they are in the snapshot: what a provider says of a payment is not in the feed.
 */
const openPurchasesReport = Effect.fnUntraced(
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

/** Opens the report of licenses as far as a caller with this `limit` may see them, inside the caller's transaction. */
const openLicensesReport = Effect.fnUntraced(
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

/** Opens the report of what devices run, as far as a caller with this `limit` may see them, inside the caller's transaction. */
const openAdoptionReport = Effect.fnUntraced(
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

/**
 * From which instants on no activity of something that happened, and no use, was deleted by age. Refusals are kept for a
 * time of their own, which no report counts on.
 */
export const readPruned = (sql: Database): Effect.Effect<Pruned> =>
  Effect.map(
    listPrunedTables(sql),
    (rows) => {
      const until = new Map(rows.map((row) => [row.name, row.until]))
      return { activities: until.get("activities"), uses: until.get("usage_records") }
    }
  )

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
