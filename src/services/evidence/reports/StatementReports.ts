import { Effect, Stream } from "effect"
import { dimensionOf } from "../../../domain/catalog/Dimensions.ts"
import { reportColumns } from "../../../domain/evidence/reports/ReportColumns.ts"
import type { JsonObject } from "../../../domain/ground/wire/CanonicalJson.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import { toWire } from "../../ground/persistence/RowToWire.ts"
import type { OpenedReport } from "./OpenedReport.ts"
import { openRows } from "./ReportCursor.ts"
import { idsIn } from "./ReportNames.ts"
import { countOwned, listFeatureSums, listGroups, statedProducts, statementRows } from "./StatementSql.ts"
import type { StatementScope } from "./StatementSql.ts"
import { found } from "./SubjectReports.ts"
import { findAudited, findSummarized } from "./SubjectReportSql.ts"

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
export const openStatement = Effect.fnUntraced(function*(sql: Database, of: StatementScope) {
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
    columns: reportColumns("statement", filters, {
      hasDecimals: features.some((sums) => "decimals" in sums),
      hasOverage: features.some((sums) => "overage" in sums)
    }),
    total,
    rows: Stream.unwrap(Effect.map(openRows(sql, query, total), ({ rows }) => rows)),
    namelessIds: idsIn(sql, ["product_id"], statedProducts(sql, of))
  } satisfies OpenedReport
})
