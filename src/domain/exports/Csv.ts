import type { ReportColumn, ReportRow } from "../reports/Report.ts"

/**
 * The first characters by which a spreadsheet takes a cell for a formula or a command (OWASP, CSV injection).
 * Full-width forms count too, because some programs fold them.
 */
const formulaStart = /^[=+\-@\t\r\n|%\uFF1D\uFF0B\uFF0D\uFF20]/

const needsQuotes = /[",\r\n]|^[\s']|\s$/

/**
 * A text as a cell (RFC 4180). What a spreadsheet would take for a formula gets an apostrophe in front, which
 * spreadsheets show as text; everything else stays as it is, Unicode included.
 */
const csvText = (text: string): string => {
  const safe = formulaStart.test(text.trimStart()) || formulaStart.test(text) ? `'${text}` : text
  return needsQuotes.test(safe) ? `"${safe.replaceAll("\"", "\"\"")}"` : safe
}

/** A line of cells, ended by CRLF. A number stays a number; a cell that is not there is empty. */
const csvLine = (cells: ReadonlyArray<string | number | undefined>): string =>
  `${
    cells.map((cell) => cell === undefined ? "" : typeof cell === "number" ? String(cell) : csvText(cell)).join(",")
  }\r\n`

/**
 * The header row: the keys of the columns, after a byte order mark. Without the mark Excel does not read the file as
 * UTF-8.
 */
export const csvHead = (columns: ReadonlyArray<ReportColumn>): string =>
  `\uFEFF${csvLine(columns.map(({ key }) => key))}`

/** One row. */
export const csvRow = (columns: ReadonlyArray<ReportColumn>, row: ReportRow): string =>
  csvLine(columns.map(({ key }) => row[key]))
