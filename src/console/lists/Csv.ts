/** A column of a file, and the text of a row in it. */
export type CsvColumn<Row> = readonly [name: string, text: (row: Row) => string]

/** A beginning of a cell that a spreadsheet would take for a formula. */
const formula = /^[=+\-@\t\r]/

/** A cell (RFC 4180). A text that a spreadsheet would run has an apostrophe before it, as a person would type it. */
const cell = (text: string): string => {
  const safe = formula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll("\"", "\"\"")}"` : safe
}

/** Rows as CSV (RFC 4180), below the names of the columns. */
export const csvOf = <Row>(columns: ReadonlyArray<CsvColumn<Row>>, rows: ReadonlyArray<Row>): string =>
  [columns.map(([name]) => cell(name)), ...rows.map((row) => columns.map(([, text]) => cell(text(row))))]
    .map((cells) => `${cells.join(",")}\r\n`)
    .join("")
