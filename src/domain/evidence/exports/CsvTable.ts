import { csvText } from "../../ground/parsing/CsvText.ts"
import type { ReportColumn, ReportRow } from "../reports/Report.ts"
import { localTimes, spreadsheetTime } from "./Edition.ts"
import type { Edition } from "./Edition.ts"
import type { SnapshotHead } from "./ReportSnapshot.ts"

/** A text as a cell; the first edition guards only what a cell begins with. */
export const csvCell = (text: string, edition: Edition): string => csvText(text, edition !== 1)

/** A line of cells, ended by CRLF. A number stays a number; a cell that is not there is empty. */
export const csvLine = (cells: ReadonlyArray<string | number | undefined>, edition: Edition): string =>
  `${
    cells.map((cell) => cell === undefined ? "" : typeof cell === "number" ? String(cell) : csvCell(cell, edition))
      .join(",")
  }\r\n`

/** The mark before the header of a CSV: without it Excel does not read the file as UTF-8. */
export const byteOrderMark = "\uFEFF"

/**
 * The cells of a report as CSV. The header has the keys of the columns. With a time zone, each column of instants is
 * followed by one with the local date and time of day, because a spreadsheet takes the exact instant for text. The days of
 * a report are those of UTC, and are dates.
 */
export const csvTable = (
  { columns, filters, presentation }: Pick<SnapshotHead, "columns" | "filters" | "presentation">
) => {
  const zone = presentation?.time_zone
  const local = zone === undefined ? undefined : localTimes(zone)
  const isDay = ({ key }: ReportColumn) => key === "bucket" && filters["bucket"] === "1d"
  const hasBeside = ({ type }: ReportColumn) => local !== undefined && type === "timestamp"
  const beside = (column: ReportColumn, instant: string): string =>
    isDay(column) ? instant.slice(0, 10) : spreadsheetTime(local!(instant))
  return {
    heading: columns.flatMap((column) =>
      hasBeside(column) ? [column.key, `${column.key} (${isDay(column) ? "UTC" : zone!.name})`] : column.key
    ),
    cells: (row: ReportRow): ReadonlyArray<string | number | undefined> =>
      columns.flatMap((column) => {
        const cell = row[column.key]
        if (!hasBeside(column)) return [cell]
        return [cell, typeof cell === "string" ? beside(column, cell) : undefined]
      }),
    /** Whether a column is followed by its local times. */
    hasBeside,
    /** The cell behind that of an instant. */
    beside
  }
}
