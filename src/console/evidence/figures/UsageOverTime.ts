import type { UsageSummaryReport } from "../../../client/api/index.ts"
import { currentTime } from "../../ground/design/Time.tsx"

/** The most features that get a chart: those used most often. */
const mostDrawn = 6

/** The usage of one feature, in all and in each step of time. */
interface FeatureUsage {
  readonly code: string
  readonly uses: number
  readonly amount: number
  readonly overage: number
  readonly values: ReadonlyArray<number>
}

/** Usage by feature and step of time. */
export interface UsageOverTime {
  /** Every feature, the most often used first. */
  readonly features: ReadonlyArray<FeatureUsage>
  /** The features that have a chart. */
  readonly drawn: ReadonlyArray<FeatureUsage>
  /** The buckets that have started, on the reader's clock. A UTC day is drawn as that calendar day. */
  readonly instants: ReadonlyArray<string>
  /** How long a step is. */
  readonly step: "per day" | "per week"
  readonly note: string
}

const featuresOf = (report: UsageSummaryReport, steps: ReadonlyArray<string>): ReadonlyArray<FeatureUsage> => {
  const places = new Map(steps.map((bucket, index) => [bucket, index]))
  const found = new Map<string, FeatureUsage & { readonly values: Array<number> }>()
  for (const { amount, bucket = "", group = "", overage = 0, uses } of report.rows) {
    const before = found.get(group) ?? { code: group, uses: 0, amount: 0, overage: 0, values: steps.map(() => 0) }
    const place = places.get(bucket)
    if (place !== undefined) before.values[place] = amount
    found.set(group, {
      ...before,
      uses: before.uses + uses,
      amount: before.amount + amount,
      overage: before.overage + overage
    })
  }
  return [...found.values()].toSorted((one, other) => other.uses - one.uses)
}

/** A usage summary by feature and step of time, as its charts show it. */
export const usageOverTime = (report: UsageSummaryReport, now = currentTime()): UsageOverTime => {
  const steps = (report.series ?? []).map(({ bucket }) => bucket).filter((bucket) => Date.parse(bucket) <= now)
  const features = featuresOf(report, steps)
  return {
    features,
    drawn: features.slice(0, mostDrawn),
    instants: steps.map((step) => step.slice(0, 19)),
    step: report.filters.bucket === "1d" ? "per day" : "per week",
    note: [
      ...(features.length > mostDrawn ? [`The ${mostDrawn} most used features.`] : []),
      "Each feature has its own unit and each chart its own scale. Days are in UTC.",
      ...(report.truncated ? ["Some rows are not shown."] : [])
    ].join(" ")
  }
}
