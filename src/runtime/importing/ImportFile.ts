import { csvRows } from "./CsvRows.ts"
import { firstLine } from "./FileText.ts"
import { jsonRows } from "./JsonRows.ts"
import type { ImportRow, ImportSource } from "./RowReader.ts"

/**
 * The rows of a file of licenses, one after the other: CSV (RFC 4180, also with a byte order mark and with semicolons or
 * tabs), or JSON where the file's name or its first character says so. Fails with `UnreadableFile`.
 */
export const importRows = async function*(source: ImportSource): AsyncGenerator<ImportRow> {
  const { encoding, file } = source
  const isJson = /\.(ndjson|jsonl|json)$/i.test(file) || /^\s*[{[]/.test(await firstLine(file, encoding))
  yield* isJson ? jsonRows(source) : csvRows(source)
}
