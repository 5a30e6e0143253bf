import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { ExportManifest } from "../../domain/evidence/exports/ExportManifest.ts"
import {
  archiveType,
  contentTypes,
  ReportExport,
  ReportExportCreate,
  ReportExportStatus,
  ReportFormat
} from "../../domain/evidence/exports/ReportExport.ts"
import { ReportKind } from "../../domain/evidence/reports/Report.ts"
import { RangeNotSatisfiable, StateConflict } from "../../domain/ground/wire/Errors.ts"
import { optional } from "../../domain/ground/wire/Fields.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { changedQuery, fileHeaders, pathId } from "../ground/Parameters.ts"
import { bodyErrors, created, listErrors, one, page, resourceErrors, signed } from "../ground/Responses.ts"

/** The bytes of a file. A range is answered 206; 304 means that the caller has the file. */
const file = (types: ReadonlyArray<string>) => HttpApiSchema.StreamUint8Array({ contentType: types })

const scope = { scope: "report:export" } as const

const conditions = "`ETag` is the digest; `If-None-Match` returns 304; `Range` returns one range (206) or 416."

export class ReportExports extends HttpApiGroup.make("report-exports").add(
  HttpApiEndpoint.get("listReportExports", "/api/v1/reports/exports", {
    query: {
      ...changedQuery,
      report_kind: optional(ReportKind, "Only exports of this report."),
      format: optional(ReportFormat, "Only exports in this format."),
      status: optional(ReportExportStatus, "Only exports with this status.")
    },
    success: page(ReportExport),
    error: listErrors
  }).pipe(
    declare({ ...scope, products: "narrowed", summary: "List exports", description: "Report exports, newest first." })
  ),
  HttpApiEndpoint.post("createReportExport", "/api/v1/reports/exports", {
    payload: ReportExportCreate,
    success: created(ReportExport),
    error: bodyErrors
  }).pipe(declare({
    ...scope,
    products: "narrowed",
    action: "report_export.created",
    summary: "Export a report",
    description: "Exports a report to a file. Responds at once; the file is created in the background and survives a " +
      "restart. Poll the export until its `status` is `ready` or `failed`. The report is read in one snapshot " +
      "of the database and written as canonical JSON (`digest`). The file (`artifact_digest`) is rendered " +
      "from it alone. A signed manifest covers both."
  })),
  HttpApiEndpoint.get("getReportExport", "/api/v1/reports/exports/:id", {
    params: { id: pathId },
    success: one(ReportExport),
    error: resourceErrors
  }).pipe(
    declare({
      ...scope,
      products: { of: "report_export" },
      summary: "Read an export",
      description: "One export by its ID. Poll it until its `status` is `ready` or `failed`."
    })
  ),
  HttpApiEndpoint.post("retryReportExport", "/api/v1/reports/exports/:id/retry", {
    params: { id: pathId },
    success: one(ReportExport),
    error: [...resourceErrors, StateConflict]
  }).pipe(declare({
    ...scope,
    products: { of: "report_export" },
    action: "report_export.created",
    summary: "Retry an export",
    description: "Retries a failed export with current data. A pending or running export does not change."
  })),
  HttpApiEndpoint.get("downloadReportExport", "/api/v1/reports/exports/:id/download", {
    params: { id: pathId },
    headers: fileHeaders,
    success: file(Object.values(contentTypes)),
    error: [...resourceErrors, StateConflict, RangeNotSatisfiable]
  }).pipe(declare({
    ...scope,
    products: { of: "report_export" },
    conditional: "file",
    summary: "Download an export",
    example: "bucket,uses,amount,first_at,last_at\r\n",
    description: "The file of an export: JSON, CSV or PDF, by the export's format. 409 STATE_CONFLICT unless it is " +
      `ready. ${conditions}`
  })),
  HttpApiEndpoint.get("downloadReportExportSnapshot", "/api/v1/reports/exports/:id/snapshot", {
    params: { id: pathId },
    headers: fileHeaders,
    success: file([contentTypes.json]),
    error: [...resourceErrors, StateConflict, RangeNotSatisfiable]
  }).pipe(declare({
    ...scope,
    products: { of: "report_export" },
    conditional: "file",
    summary: "Download a snapshot",
    example: "{\"as_of_sequence\":4711}",
    description:
      "The snapshot that the file was rendered from: canonical JSON (RFC 8785), whose SHA-256 is `digest`. It " +
      `always renders to the same file, which \`countersign verify export --snapshot\` checks. ${conditions}`
  })),
  HttpApiEndpoint.get("downloadReportExportArchive", "/api/v1/reports/exports/:id/archive", {
    params: { id: pathId },
    headers: fileHeaders,
    success: file([archiveType]),
    error: [...resourceErrors, StateConflict, RangeNotSatisfiable]
  }).pipe(declare({
    ...scope,
    products: { of: "report_export" },
    conditional: "file",
    summary: "Download an archive",
    example: "PK",
    description:
      "One ZIP archive of the file, its snapshot and its signed manifest, as a file for the records: `/verify` and " +
      "`countersign-client verify` read it as it is. 409 STATE_CONFLICT unless the export is ready. `ETag` names the " +
      "archive; `If-None-Match` returns 304; `Range` returns one range (206) or 416."
  })),
  HttpApiEndpoint.get("getReportExportManifest", "/api/v1/reports/exports/:id/manifest", {
    params: { id: pathId },
    success: signed(ExportManifest),
    error: [...resourceErrors, StateConflict]
  }).pipe(declare({
    ...scope,
    products: { of: "report_export" },
    summary: "Read an export's manifest",
    description:
      "The signed manifest of an export: Ed25519 over the canonical JSON (RFC 8785) of `data`. It stays when " +
      "the file has expired. `countersign verify export <file> --manifest manifest.json --keys keys.json` " +
      "verifies a download offline."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
