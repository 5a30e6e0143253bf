import { Schema } from "effect"
import type { Statement } from "effect/sql"
import { ExportSignature } from "../../../domain/evidence/exports/ExportManifest.ts"
import { fileName } from "../../../domain/evidence/exports/FileName.ts"
import { contentTypes, ReportExport } from "../../../domain/evidence/exports/ReportExport.ts"
import type { ReportFilters } from "../../../domain/evidence/reports/Report.ts"
import type { Fragments } from "../../ground/persistence/Database.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"

/** Fields of a record that are no columns, but made from others. */
const { content_type: _type, download_url: _url, file_name: _name, progress: _progress, ...shown } = ReportExport.fields

const Row = Schema.Struct({
  ...shown,
  attempt: Schema.Int,
  tries: Schema.Int,
  progress_rows: Schema.Int,
  progress_total: Schema.optionalKey(Schema.Int),
  snapshot_size: Schema.optionalKey(Schema.Int),
  seal: Schema.optionalKey(ExportSignature),
  signed_name: Schema.optionalKey(Schema.String)
})

/** A row of `report_exports`, without what is NULL. Its filters were decoded when the export was created. */
export type ExportRow = Omit<typeof Row.Type, "filters"> & { readonly filters: ReportFilters }

/** The columns of an {@link ExportRow}. */
export const exportColumns = (sql: Fragments): Statement.Fragment =>
  sql.csv(
    Object.keys(Row.fields).map((column) =>
      column === "signed_name" ? sql`manifest::json ->> 'file_name' AS signed_name` : sql`${sql(column)}`
    )
  )

const decode = rowReader(Row)

/** Reads a row of {@link exportColumns}. */
export const readExport = (row: object): ExportRow => {
  const { filters, ...rest } = decode(row)
  return { ...rest, filters: filters as ReportFilters }
}

/** The name of the file: as it was signed, whatever rule names new ones. */
export const fileNameOf = (row: ExportRow): string =>
  row.signed_name ?? fileName({ ...row, filters: { ...row.filters } })

/** The record of an export as callers see it; `publicUrl` is where they reach the service. */
export const exportRecord = (row: ExportRow, publicUrl: string): ReportExport => {
  const {
    attempt: _attempt,
    filters,
    progress_rows,
    progress_total,
    seal: _seal,
    signed_name: _name,
    snapshot_size: _size,
    tries: _tries,
    ...same
  } = row
  return {
    ...same,
    filters: filters as ReportExport["filters"],
    progress: { rows: progress_rows, ...(progress_total === undefined ? {} : { total: progress_total }) },
    content_type: contentTypes[row.format],
    file_name: fileNameOf(row),
    download_url: `${publicUrl}/api/v1/reports/exports/${row.id}/download`
  }
}
