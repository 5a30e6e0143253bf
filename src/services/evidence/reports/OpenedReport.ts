import type { Effect, Stream } from "effect"
import type { ReportColumn, ReportRow, SeriesPoint } from "../../../domain/evidence/reports/Report.ts"
import type { RowBlock } from "../../../domain/ground/rows/RowCells.ts"
import type { JsonObject } from "../../../domain/ground/wire/CanonicalJson.ts"

/** An id that a report holds, and the member or column that holds it, which says what it is of. */
export interface HeldId {
  readonly member: string
  readonly id: string
}

/** An open report. All of it is read from one snapshot of the database. */
export interface OpenedReport {
  /** The filters with defaults filled in, above all the window. */
  readonly filters: JsonObject
  /** The head of the report: its totals and its subject, without rows. */
  readonly summary: JsonObject
  readonly columns: ReadonlyArray<ReportColumn>
  /** Use over time without gaps, oldest first, for reports with buckets. */
  readonly series?: ReadonlyArray<SeriesPoint>
  /** The number of rows. */
  readonly total: number
  /** All rows in order, in chunks of bounded size. Read it at most once, inside the transaction of `open`. */
  readonly rows: Stream.Stream<ReadonlyArray<ReportRow>>
  /** The same rows by their cells, for reports that may have millions. Read either this or `rows`. */
  readonly blocks?: Stream.Stream<RowBlock>
  /** The distinct ids that rows have without a name beside them, at most {@link maximumNames}, for reports with such rows. */
  readonly namelessIds?: Effect.Effect<ReadonlyArray<HeldId>>
}

/** How many ids of its rows a printed report says the names of. */
export const maximumNames = 5_000
