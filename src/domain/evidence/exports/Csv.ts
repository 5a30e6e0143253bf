import { plainCell } from "../../ground/parsing/CsvText.ts"
import { cellBytes, cellText, copyForCsv, makeViews, writeText } from "../../ground/rows/RowBytes.ts"
import type { RowWriter } from "../../ground/rows/RowBytes.ts"
import type { ReportRow } from "../reports/Report.ts"
import { byteOrderMark, csvCell, csvLine, csvTable } from "./CsvTable.ts"
import { newestEdition } from "./Edition.ts"
import type { Edition } from "./Edition.ts"
import type { SnapshotHead } from "./ReportSnapshot.ts"

/** The most bytes of a cell beside its text: quotes and an apostrophe, the comma, and its part of the end of the line. */
const frameOfText = 6
/** A text of which every character is a quote doubles, and so does one of separators that are guarded. */
const bytesOfCharacter = 2
/** A local time takes less beside its cell, however it is quoted. */
const besideBytes = 64

const [comma, space, carriageReturn, lineFeed] = [0x2c, 0x20, 0x0d, 0x0a] as const

/** Which bytes a plain text begins with. */
const startsPlain = Uint8Array.from({ length: 256 }, (_, byte) => plainCell.test(String.fromCharCode(byte)) ? 1 : 0)

/** Writes a report as CSV, see {@link csvTable}, after a byte order mark. */
export const csvWriter = (
  head: Pick<SnapshotHead, "columns" | "filters" | "presentation">,
  edition: Edition = newestEdition
) => {
  const { columns } = head
  const { beside, cells: cellsOf, hasBeside: isBeside, heading } = csvTable(head)
  const places = columns.map((column) => ({
    column,
    isText: column.type !== "integer" && column.type !== "timestamp",
    hasBeside: isBeside(column)
  }))
  const frame = places.length * (frameOfText + besideBytes)
  const viewOf = makeViews()

  return {
    head: byteOrderMark + csvLine(heading, edition),
    row: (row: ReportRow): string => csvLine(cellsOf(row), edition),
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
            at = isPlain ? at + to - from : writeText(csvCell(cellText(cells, index), edition), target, at)
          }
          if (hasBeside) {
            target[at++] = comma
            if (from !== to) at = writeText(csvCell(beside(column, cellText(cells, index)), edition), target, at)
          }
        }
        target[at++] = carriageReturn
        target[at++] = lineFeed
        return at
      }
    } satisfies RowWriter
  }
}
