import type { SubscriptionSettlementReport } from "../../client/api/index.ts"
import { count } from "../design/Numbers.ts"
import { dayIn } from "../design/Time.tsx"
import { dayInWords } from "../period/Zone.ts"
import { totalsOf } from "./Totals.ts"
import type { Total } from "./Totals.ts"

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
  /** The sum of the corrections, where all are of one feature. */
  readonly correction: number | undefined
  readonly hasOverage: boolean
}

/** A correction with its sign. */
export const correctionText = (amount: number): string => amount > 0 ? `+${count(amount)}` : count(amount)

/** The days of a billing period in a zone; undefined where a subscription has none. */
export const billingDays = (
  { period_end: to, period_start: from }: SubscriptionSettlementReport["summary"]["subject"],
  zone: string
): string | undefined =>
  from === undefined || to === undefined
    ? undefined
    : `${dayInWords(dayIn(Date.parse(from), zone))} to ${dayInWords(dayIn(Date.parse(to) - 1, zone))}`

/** A settlement as its page shows it. */
export const settlementView = ({ filters, rows, summary, truncated }: SubscriptionSettlementReport): SettlementView => {
  const groupBy = filters.group_by ?? "feature_code"
  const isByFeature = groupBy === "feature_code"
  return {
    groupBy,
    isByFeature,
    rows: rows.toSorted((one, other) => other.uses - one.uses),
    totals: truncated ? [] : totalsOf(rows, ({ group }) => isByFeature ? group : undefined),
    correction: rows.length === 1 && isByFeature ? rows[0]?.adjusted : undefined,
    hasOverage: summary.overage !== undefined
  }
}
