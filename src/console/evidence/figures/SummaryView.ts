import type { ReportBucket, UsageGroup, UsageSummaryReport } from "../../../client/api/index.ts"
import { labels } from "../../../client/api/Labels.ts"
import { currentTime } from "../../ground/design/Time.tsx"
import { isDimensionGroup } from "../../ground/period/Kinds.ts"
import type { DimensionGroup } from "../../ground/period/Kinds.ts"
import { dayInWords, monthInWords } from "../../ground/period/Period.ts"
import { featureName } from "./NamedFeatures.ts"
import type { NamedFeatures } from "./NamedFeatures.ts"
import { totalsOf } from "./Totals.ts"
import type { Total, UsageRow } from "./Totals.ts"

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

type Row = UsageSummaryReport["rows"][number]

/** The figures of a usage summary. */
interface SummaryView {
  /** The group of rows: a thing that usage belongs to, or a dimension. */
  readonly groupBy: UsageGroup | DimensionGroup
  /** The step of time that rows are split by, if they are. */
  readonly bucket: ReportBucket | undefined
  /** The most used first, within each step of time. */
  readonly rows: ReadonlyArray<Row>
  readonly totals: ReadonlyArray<Total>
  /** Decimal places of the amounts of a row; 0 where it is of several features. */
  readonly decimalsOf: (row: UsageRow) => number
  /** Whether each row is of one feature, so that its amount has a unit. */
  readonly hasAmounts: boolean
  readonly hasOverage: boolean
}

const isGroup = (group: string): group is UsageGroup => Object.hasOwn(labels.group, group)

/** A step of time in words: its month, or its first day. */
export const bucketText = (bucket: string, of: ReportBucket): string =>
  of === "1mo" ? monthInWords(bucket.slice(0, 7)) : dayInWords(bucket.slice(0, 10))

const byTimeAndUses = ({ bucket = "", uses }: Row, { bucket: others = "", uses: otherUses }: Row): number =>
  bucket === others ? otherUses - uses : bucket < others ? -1 : 1

/** A usage summary as its page shows it. */
export const summaryView = (report: UsageSummaryReport, features: NamedFeatures): SummaryView => {
  const { bucket, feature_code, group_by = "feature_code" } = report.filters
  const isByFeature = group_by === "feature_code"
  const codeOf = ({ group }: UsageRow) => feature_code ?? (isByFeature ? group : undefined)
  const decimalsOf = (row: UsageRow) => features.decimals.get(codeOf(row) ?? "") ?? 0
  return {
    groupBy: isGroup(group_by) || isDimensionGroup(group_by) ? group_by : "feature_code",
    bucket,
    rows: report.rows.toSorted(byTimeAndUses),
    decimalsOf,
    totals: totalsOf(report.rows, (row) => {
      const code = codeOf(row)
      return code === undefined ? undefined : featureName(features, code)
    }, decimalsOf),
    hasAmounts: isByFeature || feature_code !== undefined,
    hasOverage: report.summary.overage !== undefined
  }
}
