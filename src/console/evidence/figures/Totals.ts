import type { CustomerSummaryReport, UsageLedgerEntry, UsageSummaryReport } from "../../../client/api/index.ts"
import { labelOf } from "../../../client/api/Labels.ts"
import { count, some } from "../../ground/design/Numbers.ts"

/** A row of usage, as far as it is totalled. */
export type UsageRow = Pick<UsageSummaryReport["rows"][number], "group" | "uses" | "amount" | "overage">

/** A line of totals; without amounts where these are of several units. */
export interface Total {
  readonly name: string
  readonly uses: number
  readonly amount?: number
  readonly overage?: number
  /** Decimal places of the amounts, where they have some. */
  readonly decimals?: number
}

/** The most lines of totals that are listed by unit. */
const mostLines = 20

/**
 * The totals of rows. An amount is in the unit of its feature, and minutes do not add to tokens: amounts are totalled for
 * each feature; uses always add up. `unitOf` is undefined for a row that may mix several units, and `decimalsOf` says how many decimal
 * places the unit of a row has.
 */
export const totalsOf = <Row extends UsageRow>(
  rows: ReadonlyArray<Row>,
  unitOf: (row: Row) => string | undefined,
  decimalsOf: (row: Row) => number = () => 0
): ReadonlyArray<Total> => {
  const units = new Map<string, Required<Omit<Total, "decimals">> & Total>()
  let uses = 0
  let isMixed = false
  for (const row of rows) {
    uses += row.uses
    const unit = unitOf(row)
    if (unit === undefined) {
      isMixed = true
      continue
    }
    const { amount = 0, overage = 0, uses: before = 0 } = units.get(unit) ?? {}
    const decimals = decimalsOf(row)
    units.set(unit, {
      name: `Total of ${unit}`,
      uses: before + row.uses,
      amount: amount + row.amount,
      overage: overage + (row.overage ?? 0),
      ...(decimals === 0 ? {} : { decimals })
    })
  }
  const all = { name: "Total", uses }
  const [only, ...others] = units.values()
  if (isMixed || only === undefined) return [all]
  if (others.length === 0) return [{ ...only, name: "Total" }]
  // A feature with one row has its total in that row already.
  if (units.size === rows.length || units.size > mostLines) return [all]
  return [...[only, ...others].toSorted((one, other) => one.name < other.name ? -1 : 1), all]
}

/** The row count of a report, with a note if not all rows are shown. */
export const rowsText = (
  { rows, total_rows, truncated }: {
    readonly rows: ReadonlyArray<unknown>
    readonly total_rows: number
    readonly truncated: boolean
  }
): string =>
  truncated
    ? `${count(rows.length)} of ${some(total_rows, "row")}. An export has all of them.`
    : some(total_rows, "row")

/** The figures of a customer summary. */
interface CustomerView {
  /** How many licenses have each status, in words. */
  readonly statuses: string
  /** Empty if rows are missing: their sum would be wrong. */
  readonly totals: ReadonlyArray<Total>
  readonly devices: number | undefined
}

/** A customer summary as its page shows it. */
export const customerView = ({ rows, summary, truncated }: CustomerSummaryReport): CustomerView => ({
  statuses: summary.license_statuses.map(({ count: many, status }) => `${count(many)} ${labelOf("state", status)}`)
    .join(", "),
  totals: truncated ? [] : totalsOf(rows, () => undefined),
  devices: truncated ? undefined : rows.reduce((sum, { active_device_count }) => sum + active_device_count, 0)
})

/** The time and the columns of the entries that are shown. */
interface LedgerView {
  /** The time of the entries, so that no more is named than is shown; empty where there are none. */
  readonly window: { readonly from?: string; readonly to?: string }
  /** Whether any of them has the column. */
  readonly hasOverage: boolean
  readonly hasEvent: boolean
  readonly hasDimensions: boolean
  readonly hasMeasured: boolean
}

/** The dimensions of an entry, as the files of reports have them. */
export const dimensionsText = (dimensions: UsageLedgerEntry["dimensions"] = {}): string =>
  Object.entries(dimensions).toSorted(([one], [other]) => one < other ? -1 : 1)
    .map(([name, value]) => `${name}=${value}`).join(", ")

/** The time and the columns of the entries of a ledger, which are newest first. */
export const ledgerView = (rows: ReadonlyArray<UsageLedgerEntry>): LedgerView => {
  const [newest, oldest] = [rows[0], rows.at(-1)]
  return {
    window: newest === undefined || oldest === undefined
      ? {}
      : { from: oldest.occurred_at, to: new Date(Date.parse(newest.occurred_at) + 1).toISOString() },
    hasOverage: rows.some(({ overage }) => overage !== undefined),
    hasEvent: rows.some(({ event_id }) => event_id !== undefined),
    hasDimensions: rows.some(({ dimensions }) => dimensions !== undefined),
    hasMeasured: rows.some(({ measured }) => measured !== undefined)
  }
}
