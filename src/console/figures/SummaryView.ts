import type { ReportBucket, UsageGroup, UsageSummaryReport } from "../../client/api/index.ts"
import { dayInWords, monthInWords } from "../period/Zone.ts"
import { totalsOf } from "./Totals.ts"
import type { Total } from "./Totals.ts"

type Row = UsageSummaryReport["rows"][number]

/** The figures of a usage summary. */
interface SummaryView {
  readonly groupBy: UsageGroup
  /** The step of time that rows are split by, if they are. */
  readonly bucket: ReportBucket | undefined
  /** The most used first, within each step of time. */
  readonly rows: ReadonlyArray<Row>
  readonly totals: ReadonlyArray<Total>
  /** Whether each row is of one feature, so that its amount has a unit. */
  readonly hasAmounts: boolean
  readonly hasOverage: boolean
}

/** A step of time in words: its month, or its first day. */
export const bucketText = (bucket: string, of: ReportBucket): string =>
  of === "1mo" ? monthInWords(bucket.slice(0, 7)) : dayInWords(bucket.slice(0, 10))

const byTimeAndUses = ({ bucket = "", uses }: Row, { bucket: others = "", uses: otherUses }: Row): number =>
  bucket === others ? otherUses - uses : bucket < others ? -1 : 1

/** A usage summary as its page shows it; `nameOf` names a feature by its code. */
export const summaryView = (report: UsageSummaryReport, nameOf: (code: string) => string): SummaryView => {
  const { bucket, feature_code, group_by = "feature_code" } = report.filters
  const isByFeature = group_by === "feature_code"
  return {
    groupBy: group_by,
    bucket,
    rows: report.rows.toSorted(byTimeAndUses),
    totals: totalsOf(report.rows, ({ group }) => {
      const code = feature_code ?? (isByFeature ? group : undefined)
      return code === undefined ? undefined : nameOf(code)
    }),
    hasAmounts: isByFeature || feature_code !== undefined,
    hasOverage: report.summary.overage !== undefined
  }
}
