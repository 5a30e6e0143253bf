import type { LicenseAuditReport, SubscriptionSettlementReport } from "../../../client/api/index.ts"
import { amount } from "../../ground/design/Numbers.ts"
import { currentTime, dayIn } from "../../ground/design/Time.tsx"
import { dayInWords } from "../../ground/period/Period.ts"
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

const day = 86_400_000

/** The longest window that is drawn by days, in milliseconds. */
const longestDrawn = 366 * day

type Rows<Name extends keyof LicenseAuditReport["summary"]> = LicenseAuditReport["summary"][Name]

/** The figures of an audit of a license. */
interface AuditView {
  /** Activities that were refused or failed. */
  readonly refused: number
  /** Activities per day of the reader's time zone; undefined if the report has only some of them, or none. */
  readonly days: ActivityDays | undefined
  /** The most frequent first. */
  readonly actions: Rows<"actions">
  readonly actionTotal: number
  readonly usage: ReadonlyArray<Rows<"features">[number] & { readonly group: string }>
  /** Empty for a single row, which is its own total. */
  readonly usageTotals: ReadonlyArray<Total>
  readonly hasOverage: boolean
}

interface ActivityDays {
  /** Midnight of each day, on the reader's clock. */
  readonly instants: ReadonlyArray<string>
  readonly series: ReadonlyArray<{ readonly name: string; readonly values: ReadonlyArray<number> }>
}

const sum = (counts: ReadonlyArray<{ readonly count: number }>): number =>
  counts.reduce((all, { count }) => all + count, 0)

/** The activities of each day of the window that has begun. */
const daysOf = (
  { filters, rows, truncated }: LicenseAuditReport,
  zone: string,
  now: number
): ActivityDays | undefined => {
  const [from, to] = [Date.parse(filters.from), Date.parse(filters.to)]
  if (truncated || rows.length === 0 || to - from > longestDrawn) return undefined
  const days = new Map<string, { done: number; refused: number }>()
  for (let at = from; at <= Math.min(to - 1, now); at += day) days.set(dayIn(at, zone), { done: 0, refused: 0 })
  for (const { occurred_at, result_class } of rows) {
    const found = days.get(dayIn(Date.parse(occurred_at), zone))
    if (found !== undefined) found[result_class === "success" ? "done" : "refused"] += 1
  }
  const counts = [...days.values()]
  return {
    instants: [...days.keys()].map((date) => `${date}T00:00:00`),
    series: [
      { name: "done", values: counts.map(({ done }) => done) },
      ...(counts.some(({ refused }) => refused > 0)
        ? [{ name: "refused or failed", values: counts.map(({ refused }) => refused) }]
        : [])
    ]
  }
}

/** An audit as its page shows it, in the reader's zone. */
export const auditView = (
  report: LicenseAuditReport,
  zone: string,
  { decimals }: NamedFeatures,
  now = currentTime()
): AuditView => {
  const { actions, features } = report.summary
  const usage = features.map((feature) => ({ ...feature, group: feature.feature_code }))
  return {
    refused: sum(actions.filter(({ result_class }) => result_class !== "success")),
    days: daysOf(report, zone, now),
    actions: actions.toSorted((one, other) => other.count - one.count),
    actionTotal: sum(actions),
    usage,
    usageTotals: usage.length === 1
      ? []
      : totalsOf(usage, ({ group }) => group, ({ group }) => decimals.get(group) ?? 0),
    hasOverage: features.some(({ overage }) => overage !== undefined)
  }
}
