import type { SubscriptionSettlementReport } from "../../../client/api/index.ts"
import { amount } from "../../ground/design/Numbers.ts"
import { dayIn } from "../../ground/design/Time.tsx"
import { dayInWords } from "../../ground/period/Zone.ts"
import type { NamedFeatures } from "./NamedFeatures.ts"
import { totalsOf } from "./Totals.ts"
import type { Total, UsageRow } from "./Totals.ts"

type Row = SubscriptionSettlementReport["rows"][number]

/** The groups of a settlement. */
export type SettlementGroup = "feature_code" | "license_id"

/** The figures of a settlement. */
interface SettlementView {
  readonly groupBy: SettlementGroup
  /** Whether each row is of one feature, so that its amounts have a unit. */
  readonly isByFeature: boolean
  /** The most used first. */
  readonly rows: ReadonlyArray<Row>
  /** Empty if rows are missing: their sum would be wrong. */
  readonly totals: ReadonlyArray<Total>
  /** Decimal places of the amounts of a row. */
  readonly decimalsOf: (row: UsageRow) => number
  /** The sum of the corrections, where all are of one feature. */
  readonly correction: number | undefined
  readonly hasOverage: boolean
}

/** A correction with its sign. */
export const correctionText = (units: number, decimals = 0): string =>
  `${units > 0 ? "+" : ""}${amount(units, decimals)}`

/** The days of a billing period in a zone; undefined where a subscription has none. */
export const billingDays = (
  { period_end: to, period_start: from }: SubscriptionSettlementReport["summary"]["subject"],
  zone: string
): string | undefined =>
  from === undefined || to === undefined
    ? undefined
    : `${dayInWords(dayIn(Date.parse(from), zone))} to ${dayInWords(dayIn(Date.parse(to) - 1, zone))}`

/** A settlement as its page shows it. */
export const settlementView = (
  { filters, rows, summary, truncated }: SubscriptionSettlementReport,
  { decimals }: NamedFeatures
): SettlementView => {
  const groupBy = filters.group_by ?? "feature_code"
  const isByFeature = groupBy === "feature_code"
  const decimalsOf = ({ group }: UsageRow) => isByFeature ? decimals.get(group ?? "") ?? 0 : 0
  return {
    groupBy,
    isByFeature,
    rows: rows.toSorted((one, other) => other.uses - one.uses),
    totals: truncated ? [] : totalsOf(rows, ({ group }) => isByFeature ? group : undefined, decimalsOf),
    decimalsOf,
    correction: rows.length === 1 && isByFeature ? rows[0]?.adjusted : undefined,
    hasOverage: summary.overage !== undefined
  }
}
