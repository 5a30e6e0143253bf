import type { Stream } from "effect"
import type { ReportColumn, ReportRow, SeriesPoint } from "../../domain/reports/Report.ts"
import type { JsonObject } from "../../domain/wire/CanonicalJson.ts"

/** A report that is being read. All of it is of one snapshot. */
export interface OpenedReport {
  /** With what was left out filled in: the window most of all. */
  readonly filters: JsonObject
  /** The head of the report: totals and what it is about, without rows. */
  readonly summary: JsonObject
  readonly columns: ReadonlyArray<ReportColumn>
  /** Use over time without gaps, oldest first, where the report has buckets. */
  readonly series?: ReadonlyArray<SeriesPoint>
  /** How many rows there are. */
  readonly total: number
  /** Every row in order, in chunks of bounded size; read at most once, and inside the transaction of `open`. */
  readonly rows: Stream.Stream<ReadonlyArray<ReportRow>>
}
