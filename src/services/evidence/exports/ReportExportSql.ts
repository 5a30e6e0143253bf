import { Schema } from "effect"
import type { Statement } from "effect/sql"
import { ExportSignature } from "../../../domain/evidence/exports/ExportManifest.ts"
import type { ReportFormat } from "../../../domain/evidence/exports/ReportExport.ts"
import { ReportExportStatus } from "../../../domain/evidence/exports/ReportExport.ts"
import type { ReportFilters, ReportKind } from "../../../domain/evidence/reports/Report.ts"
import type { Database, Fragments, Query } from "../../ground/persistence/Database.ts"
import type { SortedClauses } from "../../ground/persistence/KeysetPagination.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { exportColumns } from "./ExportRow.ts"

/** An export to create. */
export interface NewExport {
  readonly id: string
  readonly report_kind: ReportKind
  readonly format: ReportFormat
  readonly filters: ReportFilters
  readonly time_zone: string | undefined
  readonly created_by: string
  /** The products that its creator is limited to. */
  readonly product_ids: ReadonlyArray<string> | undefined
}

/** Creates an export; returns it. */
export const insertExport = (sql: Database, created: NewExport): Query<object> =>
  sql`
    -- name: report_exports.insert
    INSERT INTO report_exports (id, report_kind, format, filters, time_zone, created_by, product_ids)
    VALUES (${created.id}, ${created.report_kind}, ${created.format}, ${JSON.stringify(created.filters)}::jsonb,
      ${created.time_zone ?? null}, ${created.created_by}, ${created.product_ids ?? null}::text[])
    RETURNING ${exportColumns(sql)}`

/** Which exports to list. */
export interface ExportQuery {
  readonly report_kind?: ReportKind
  readonly format?: ReportFormat
  readonly status?: ReportExportStatus
}

/** The exports of a query, as conditions. */
export const exportConditions = (sql: Fragments, query: ExportQuery): ReadonlyArray<Statement.Fragment> =>
  Object.entries<string>({ ...query }).map(([column, value]) => sql`${sql(column)} = ${value}`)

/** A page of exports. */
export const listExports = (sql: Database, { orderBy, place, where }: SortedClauses, limit: number): Query<object> =>
  sql`
    -- name: report_exports.list
    SELECT ${exportColumns(sql)} ${place} FROM report_exports ${where} ${orderBy} LIMIT ${limit}`

/** An export. */
export const findExport = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: report_exports.find
    SELECT ${exportColumns(sql)} FROM report_exports WHERE id = ${id}`

/** Queues an export again, from the start, if it has failed; returns it. */
export const updateQueuedAgain = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: report_exports.update queued again
    UPDATE report_exports SET status = 'queued', failure = NULL, tries = 0, due_at = now(), progress_rows = 0,
      progress_total = NULL, updated_at = now()
    WHERE id = ${id} AND status = 'failed' RETURNING ${exportColumns(sql)}`

/** Reads the manifest of an export, and how the export stands. */
export const readManifest = rowReader(Schema.Struct({
  status: ReportExportStatus,
  manifest: Schema.optionalKey(Schema.String),
  manifest_signature: Schema.optionalKey(ExportSignature)
}))

/** The manifest of an export. */
export const findManifest = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: report_exports.find manifest
    SELECT status, manifest, manifest_signature FROM report_exports WHERE id = ${id}`

/** The downloader and the export. */
export interface ExportDownload {
  readonly exportId: string
  readonly actorId: string
}

const hour = "date_trunc('hour', now(), 'UTC')"

/** The download of an export by an actor in this hour. */
export const findDownload = (sql: Database, { actorId, exportId }: ExportDownload): Query<object> =>
  sql`
    -- name: report_export_downloads.find
    SELECT 1 FROM report_export_downloads
    WHERE export_id = ${exportId} AND actor_id = ${actorId} AND hour = ${sql.literal(hour)}`

/** Records a download in this hour; answers nothing when the hour has one already. */
export const insertDownload = (
  sql: Database,
  { actorId, exportId }: ExportDownload
): Query<{ readonly actor_id: string }> =>
  sql<{ readonly actor_id: string }>`
    -- name: report_export_downloads.insert
    INSERT INTO report_export_downloads (export_id, actor_id, hour)
    VALUES (${exportId}, ${actorId}, ${sql.literal(hour)})
    -- guard: a download is recorded once an hour
    ON CONFLICT DO NOTHING RETURNING actor_id`

/** Removes what is known of the actor's downloads in earlier hours. */
export const deleteEarlierDownloads = (sql: Database, { actorId, exportId }: ExportDownload): Query<object> =>
  sql`
    -- name: report_export_downloads.delete earlier
    DELETE FROM report_export_downloads
    WHERE export_id = ${exportId} AND actor_id = ${actorId} AND hour < ${sql.literal(hour)}`
