import { csvText, plainCell } from "../parsing/CsvText.ts"
import type { ReportColumn, ReportRow } from "../reports/Report.ts"
import { cellBytes, cellText, copyForCsv, makeViews, writeText } from "../rows/RowBytes.ts"
import type { RowWriter } from "../rows/RowBytes.ts"
import type { Edition } from "./Edition.ts"
import { newestEdition } from "./Edition.ts"
import type { SnapshotHead } from "./ReportSnapshot.ts"
import { localTimes, spreadsheetTime } from "./TimeZone.ts"

/** A text as a cell; the first edition guards only what a cell begins with. */
const cellOf = (text: string, edition: Edition): string => csvText(text, edition !== 1)

/** The most bytes of a cell beside its text: quotes and an apostrophe, the comma, and its part of the end of the line. */
const frameOfText = 6
/** A text of which every character is a quote doubles, and so does one of separators that are guarded. */
const bytesOfCharacter = 2
/** A local time takes less beside its cell, however it is quoted. */
const besideBytes = 64

const [comma, space, carriageReturn, lineFeed] = [0x2c, 0x20, 0x0d, 0x0a] as const

/** Which bytes a plain text begins with. */
const startsPlain = Uint8Array.from({ length: 256 }, (_, byte) => plainCell.test(String.fromCharCode(byte)) ? 1 : 0)

/** A line of cells, ended by CRLF. A number stays a number; a cell that is not there is empty. */
const csvLine = (cells: ReadonlyArray<string | number | undefined>, edition: Edition): string =>
  `${
    cells.map((cell) => cell === undefined ? "" : typeof cell === "number" ? String(cell) : cellOf(cell, edition))
      .join(",")
  }\r\n`

/**
 * Writes a report as CSV. The header has the keys of the columns, after a byte order mark, without which Excel does not
 * read the file as UTF-8. With a time zone, each column of instants is followed by one with the local date and time of
 * day, because a spreadsheet takes the exact instant for text. The days of a report are those of UTC, and are dates.
 */
export const csvWriter = (
  { columns, filters, presentation }: Pick<SnapshotHead, "columns" | "filters" | "presentation">,
  edition: Edition = newestEdition
) => {
  const zone = presentation?.time_zone
  const local = zone === undefined ? undefined : localTimes(zone)
  const isDay = ({ key }: ReportColumn) => key === "bucket" && filters["bucket"] === "1d"
  const isBeside = ({ type }: ReportColumn) => local !== undefined && type === "timestamp"
  const beside = (column: ReportColumn, instant: string): string =>
    isDay(column) ? instant.slice(0, 10) : spreadsheetTime(local!(instant))

  const row = (cells: ReportRow): string =>
    csvLine(
      columns.flatMap((column) => {
        const cell = cells[column.key]
        if (!isBeside(column)) return [cell]
        return [cell, typeof cell === "string" ? beside(column, cell) : undefined]
      }),
      edition
    )

  const places = columns.map((column) => ({
    column,
    isText: column.type !== "integer" && column.type !== "timestamp",
    hasBeside: isBeside(column)
  }))
  const frame = places.length * (frameOfText + besideBytes)
  const viewOf = makeViews()

  return {
    head: `\uFEFF${
      csvLine(
        columns.flatMap((column) =>
          isBeside(column) ? [column.key, `${column.key} (${isDay(column) ? "UTC" : zone!.name})`] : column.key
        ),
        edition
      )
    }`,
    row,
    /** Writes the same line for a row that is given by its cells, in a fraction of the time. */
    rowBytes: {
      most: (cells) => frame + bytesOfCharacter * cellBytes(cells),
      write: (cells, target, start) => {
        const view = viewOf(target)
        const offset = target.byteOffset
        let at = start
        for (let index = 0; index < places.length; index++) {
          const { column, hasBeside, isText } = places[index]!
          const from = cells.starts[index]!
          const to = cells.ends[index]!
          if (index > 0) target[at++] = comma
          if (from !== to) {
            const mayNeedQuotes = copyForCsv(cells.views[index]!, from, to, view, offset + at)
            const isPlain = !isText ||
              (!mayNeedQuotes && startsPlain[target[at]!] === 1 && target[at + to - from - 1] !== space)
            at = isPlain ? at + to - from : writeText(cellOf(cellText(cells, index), edition), target, at)
          }
          if (hasBeside) {
            target[at++] = comma
            if (from !== to) at = writeText(cellOf(beside(column, cellText(cells, index)), edition), target, at)
          }
        }
        target[at++] = carriageReturn
        target[at++] = lineFeed
        return at
      }
    } satisfies RowWriter
  }
}
