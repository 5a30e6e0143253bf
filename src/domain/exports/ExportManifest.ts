import { Schema } from "effect"
import { ReportKind } from "../reports/Report.ts"
import { bigCount, Timestamp } from "../wire/Fields.ts"
import { schema as id } from "../wire/Id.ts"
import { manifestSchema } from "./ExportSeal.ts"
import { ExportCheckpoint, ReportFormat } from "./ReportExport.ts"

/** A signature over the UTF-8 bytes of a text: Ed25519, standard padded base64. */
export const ExportSignature = Schema.Struct({
  alg: Schema.Literal("Ed25519"),
  algorithm: Schema.Literal("Ed25519"),
  kid: Schema.String,
  value: Schema.String
}).annotate({ identifier: "Signature" })
export type ExportSignature = typeof ExportSignature.Type

/**
 * What was signed about an export, as `data` of a signed envelope. `digest` is that of the frozen snapshot,
 * `artifact_digest` that of the file; both are `sha256:` and 64 hex digits.
 */
export const ExportManifest = Schema.Struct({
  schema: Schema.Literal(manifestSchema),
  export_id: id("rptx"),
  report_kind: ReportKind,
  format: ReportFormat,
  file_name: Schema.String,
  content_type: Schema.String,
  rows: bigCount(0),
  as_of_sequence: bigCount(0),
  checkpoint: Schema.optionalKey(ExportCheckpoint),
  frozen_at: Timestamp,
  digest: Schema.String,
  snapshot_size: bigCount(0),
  seal: ExportSignature.annotate({ description: "Signs `digest`; printed in the footer of a PDF." }),
  artifact_digest: Schema.String,
  artifact_size: bigCount(0)
}).annotate({
  identifier: "ReportExportManifest",
  examples: [{
    schema: manifestSchema,
    export_id: "rptx_06eqpx1trxz3h94vqjm3a6kz7c",
    report_kind: "usage-summary",
    format: "csv",
    file_name: "usage-summary-2026-11-21-m3a6kz7c.csv",
    content_type: "text/csv; charset=utf-8",
    rows: 60,
    as_of_sequence: 4711,
    frozen_at: "2026-11-21T10:30:00.000Z",
    digest: "sha256:5f0c4a1f0e2f0bb1dd1f6a6e5d3f0f7e4a0c6e4b9d2a8c7f1e3b5d7f9a1c3e5b",
    snapshot_size: 15120,
    seal: {
      alg: "Ed25519",
      algorithm: "Ed25519",
      kid: "sig_06eqpx1trxz3h94vqjm3a6kz7c",
      value: "bm90IGEgc2lnbmF0dXJl"
    },
    artifact_digest: "sha256:1d1f6a6e5d3f0f7e4a0c6e4b9d2a8c7f1e3b5d7f9a1c3e5b5f0c4a1f0e2f0bb1",
    artifact_size: 4096
  }]
})
export type ExportManifest = typeof ExportManifest.Type
