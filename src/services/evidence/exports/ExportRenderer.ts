import { Context, Data, Schema } from "effect"
import type { Effect, Scope } from "effect"
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

/** The file cannot be made of this snapshot, now or later: `code` and the message become the reason of the export. */
export class Unrenderable extends Data.TaggedError("Unrenderable")<{
  readonly code: string
  readonly message: string
}> {}

/** The renderer was silent for too long, and was ended. Another try may succeed; the message is for people. */
export class RenderingStalled extends Error {
  override readonly name = "RenderingStalled"
}

/** The input of a rendering: everything that a file may depend on beside the bytes of the snapshot. */
export interface RenderRequest {
  readonly format: "csv" | "pdf"
  /** `sha256:` and 64 hex digits of the snapshot. */
  readonly digest: string
  readonly seal: ExportSignature
}

/** The output of rendering a piece of the snapshot. */
export interface Rendered {
  /** The next pieces of the file. */
  readonly pieces: ReadonlyArray<Uint8Array>
  /** Rows rendered so far. */
  readonly rows: number
}

/**
 * A file in the making. The snapshot goes in piece by piece, in order; the same bytes come out wherever it is cut. Dies
 * with {@link RenderingStalled} when nothing comes of a piece.
 */
export interface Rendering {
  readonly push: (piece: Uint8Array) => Effect.Effect<Rendered, Unrenderable>
  readonly end: Effect.Effect<Rendered, Unrenderable>
}

/**
 * Renders snapshots beside the event loop; runtime implements it. A file depends on the snapshot and the request alone,
 * and not on the machine, the time or the language.
 */
export class ExportRenderer extends Context.Service<ExportRenderer, {
  readonly open: (request: RenderRequest) => Effect.Effect<Rendering, never, Scope.Scope>
}>()("countersign/services/evidence/exports/ExportRenderer") {}
