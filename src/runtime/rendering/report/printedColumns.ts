import type { Edition } from "../../../domain/evidence/exports/Edition.ts"
import { newestEdition } from "../../../domain/evidence/exports/Edition.ts"
import type { SnapshotHead } from "../../../domain/evidence/exports/ReportSnapshot.ts"
import type { ReportColumn, ReportRow } from "../../../domain/evidence/reports/Report.ts"

/** A column as it is printed. */
export interface PrintedColumn extends ReportColumn {
  /** Identifiers are for looking things up: small, and after what a person reads. */
  readonly isIdentifier: boolean
  /** Rows have identifiers here whose names are known: the name stands above each, where a reader looks. */
  readonly isNamed: boolean
  /** A day is printed without a time of day. */
  readonly isDay: boolean
  /** The name of an entry of the ledger. */
  readonly entryOf: Edition | undefined
}

const identifiers = /^(?:id|.*_id)$/

/** Where a reader looks first: when, who and what, in which state, how much, since when; identifiers come last. */
const ranks: ReadonlyArray<string> = [
  "bucket",
  "occurred_at",
  "began_at",
  "owner",
  "email",
  "label",
  "product_name",
  "policy_name",
  "key",
  "group",
  "action",
  "result_class",
  "code",
  "feature_code",
  "state",
  "status",
  "refund",
  "dispute",
  "ownership",
  "quantity",
  "app_version",
  "os",
  "devices",
  "licenses",
  "customers",
  "active_device_count",
  "paid",
  "refunded",
  "currency",
  "paid_through",
  "ends_at",
  "uses",
  "amount",
  "overage",
  "adjusted",
  "total_consumptions",
  "first_at",
  "last_at",
  "expires_at",
  "actor_type"
]

const rankOf = ({ isIdentifier, isNamed, key }: PrintedColumn): number => {
  if (isNamed) return ranks.length
  const rank = ranks.indexOf(key)
  return rank !== -1 && !isIdentifier ? rank : rank === -1 && !isIdentifier ? ranks.length : ranks.length + 1
}

/** The columns that say what an id of another column is of, so that its name need not stand there again. */
const saidBy: Readonly<Record<string, string>> = {
  customer_id: "owner",
  license_id: "key",
  policy_id: "policy_name",
  product_id: "product_name"
}

/** A name is what it names, and its identifier says so; what is an event or a row anyway needs no "ID". */
const printedTitle = (key: string, title: string, isIdentifier: boolean): string => {
  if (key === "label" || key === "product_name") return title.replace(/ name$/, "")
  return isIdentifier && key !== "id" && key !== "event_id" ? `${title} ID` : title
}

/**
 * The columns of a report in the order in which they are printed. Where all rows are at hand, columns without a single
 * value are left out.
 */
export const printedColumns = (
  { columns, filters, presentation, report_kind, row_count }: SnapshotHead,
  sample: ReadonlyArray<ReportRow>,
  edition: Edition = newestEdition
): ReadonlyArray<PrintedColumn> => {
  const hasNames = columns.some(({ key }) => key === "label")
  const isEmpty = ({ key }: ReportColumn): boolean =>
    row_count > 0 && sample.length === row_count && sample.every((row) => row[key] === undefined)
  return columns
    // Amounts are printed with their places.
    .filter((column) => column.key !== "decimals" && !isEmpty(column))
    .map(({ key, title, type }): PrintedColumn => {
      const isIdentifier = identifiers.test(key) || (hasNames && key === "group")
      const isSaid = edition >= 6 && columns.some((other) => other.key === saidBy[key])
      const isNamed = isIdentifier && !isSaid &&
        sample.some((row) => presentation?.names?.[String(row[key])] !== undefined)
      const isDay = key === "bucket" && filters["bucket"] !== "1h"
      const day = filters["bucket"] === "1d" ? "Day (UTC)" : "From day (UTC)"
      const isEntry = key === "action" && report_kind === "usage-ledger"
      const printed = isDay ? day : isEntry ? "Entry" : printedTitle(key, title, isIdentifier && !isNamed)
      return { key, type, title: printed, isIdentifier, isNamed, isDay, entryOf: isEntry ? edition : undefined }
    })
    // A statement adds up from left to right, and has its identifiers last.
    .toSorted((one, other) => report_kind === "statement" ? 0 : rankOf(one) - rankOf(other))
}
