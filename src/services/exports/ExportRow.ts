import type { ExportSignature } from "../../domain/exports/ExportManifest.ts"
import type {
  ExpiredReason,
  ExportCheckpoint,
  ExportFailure,
  ReportExport,
  ReportExportStatus,
  ReportFormat
} from "../../domain/exports/ReportExport.ts"
import { contentTypes, fileName } from "../../domain/exports/ReportExport.ts"
import type { ReportFilters, ReportKind } from "../../domain/reports/Report.ts"

/** A row of `report_exports` as the driver answers it. */
export interface ExportRow {
  readonly id: string
  readonly report_kind: ReportKind
  readonly format: ReportFormat
  readonly status: ReportExportStatus
  readonly filters: ReportFilters
  readonly time_zone: string | null
  readonly created_by: string
  readonly attempt: number
  readonly tries: number
  readonly progress_rows: bigint
  readonly progress_total: bigint | null
  readonly as_of_sequence: bigint | null
  readonly checkpoint: ExportCheckpoint | null
  readonly digest: string | null
  readonly snapshot_size: bigint | null
  readonly seal: ExportSignature | null
  readonly artifact_digest: string | null
  readonly artifact_size: bigint | null
  readonly failure: ExportFailure | null
  readonly created_at: Date
  readonly updated_at: Date
  readonly frozen_at: Date | null
  readonly ready_at: Date | null
  readonly expires_at: Date | null
  readonly expired_reason: ExpiredReason | null
}

/** The columns of an {@link ExportRow}. */
export const exportColumns = [
  "id",
  "report_kind",
  "format",
  "status",
  "filters",
  "time_zone",
  "created_by",
  "attempt",
  "tries",
  "progress_rows",
  "progress_total",
  "as_of_sequence",
  "checkpoint",
  "digest",
  "snapshot_size",
  "seal",
  "artifact_digest",
  "artifact_size",
  "failure",
  "created_at",
  "updated_at",
  "frozen_at",
  "ready_at",
  "expires_at",
  "expired_reason"
] as const

const present = <K extends string, A>(key: K, value: A | null): { readonly [key in K]?: A } =>
  (value === null ? {} : { [key]: value }) as { readonly [key in K]?: A }

const count = (value: bigint | null): number | null => value === null ? null : Number(value)
const instant = (value: Date | null): string | null => value === null ? null : value.toISOString()

/** The record of an export as callers see it; `publicUrl` is where they reach the service. */
export const exportRecord = (row: ExportRow, publicUrl: string): ReportExport => {
  const { created_by, filters, format, id, report_kind, status } = row
  const created_at = row.created_at.toISOString()
  return {
    id,
    report_kind,
    format,
    status,
    filters: filters as ReportExport["filters"],
    ...present("time_zone", row.time_zone),
    progress: { rows: Number(row.progress_rows), ...present("total", count(row.progress_total)) },
    ...present("as_of_sequence", count(row.as_of_sequence)),
    ...present("checkpoint", row.checkpoint),
    ...present("digest", row.digest),
    ...present("artifact_digest", row.artifact_digest),
    ...present("artifact_size", count(row.artifact_size)),
    content_type: contentTypes[format],
    file_name: fileName({ created_at, format, id, report_kind }),
    ...present("failure", row.failure),
    created_by,
    created_at,
    updated_at: row.updated_at.toISOString(),
    ...present("frozen_at", instant(row.frozen_at)),
    ...present("ready_at", instant(row.ready_at)),
    ...present("expires_at", instant(row.expires_at)),
    ...present("expired_reason", row.expired_reason),
    download_url: `${publicUrl}/api/v1/reports/exports/${id}/download`
  }
}
