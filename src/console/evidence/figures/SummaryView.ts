import type { ReportBucket, UsageGroup, UsageSummaryReport } from "../../../client/api/index.ts"
import { labels } from "../../../client/api/Labels.ts"
import { isDimensionGroup } from "../../ground/period/DimensionGroup.ts"
import type { DimensionGroup } from "../../ground/period/DimensionGroup.ts"
import { dayInWords, monthInWords } from "../../ground/period/Zone.ts"
import { featureName } from "./NamedFeatures.ts"
import type { NamedFeatures } from "./NamedFeatures.ts"
import { totalsOf } from "./Totals.ts"
import type { Total, UsageRow } from "./Totals.ts"

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
