import { csvText } from "../../../client/api/Texts.ts"

/** A column of a file, and the text of a row in it; none is an empty cell. */
export type CsvColumn<Row> = readonly [name: string, text: (row: Row) => string | undefined]

/** Without it, Excel does not read the file as UTF-8. */
const byteOrderMark = "\uFEFF"

/** Rows as CSV (RFC 4180), below the names of the columns. Spreadsheets calculate no cell. */
export const csvOf = <Row>(columns: ReadonlyArray<CsvColumn<Row>>, rows: ReadonlyArray<Row>): string =>
  [columns.map(([name]) => name), ...rows.map((row) => columns.map(([, text]) => csvText(text(row) ?? "")))]
    .map((cells) => `${cells.join(",")}\r\n`)
    .join("")

/** {@link csvOf} as a file that spreadsheets open. */
export const csvFileOf = <Row>(columns: ReadonlyArray<CsvColumn<Row>>, rows: ReadonlyArray<Row>): string =>
  byteOrderMark + csvOf(columns, rows)
