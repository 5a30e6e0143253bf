import { csvRows } from "./CsvRows.ts"
import { isJsonFile } from "./FileText.ts"
import { jsonRows } from "./JsonRows.ts"
import type { ImportRow, ImportSource } from "./RowReader.ts"

/**
 * The rows of a file of licenses, one after the other: CSV (RFC 4180, also with a byte order mark and with semicolons or
 * tabs), or JSON where the file's name or its first character says so. Fails with `UnreadableFile`.
 */
export const importRows = async function*(source: ImportSource): AsyncGenerator<ImportRow> {
  yield* (await isJsonFile(source.file, source.encoding)) ? jsonRows(source) : csvRows(source)
}
