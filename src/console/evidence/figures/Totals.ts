import type { UsageSummaryReport } from "../../../client/api/index.ts"
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
