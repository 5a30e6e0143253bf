import { Schema } from "effect"
import { bigCount, field, Timestamp } from "../../ground/wire/Fields.ts"
import { schema as id } from "../../ground/wire/Id.ts"
import { environmentMember } from "../../ground/wire/Signed.ts"
import { ReportKind } from "../reports/Report.ts"
import { manifestSchema } from "./ExportSeal.ts"
import { ExportCheckpoint, ReportFormat } from "./ReportExport.ts"

/** A signature over the UTF-8 bytes of a text: Ed25519, standard padded base64. */
export const ExportSignature = Schema.Struct({
  alg: field(Schema.Literal("Ed25519"), "The algorithm; always the same."),
  algorithm: field(Schema.Literal("Ed25519"), "The algorithm: Ed25519 (RFC 8032)."),
  kid: field(Schema.String, "The ID of the signing key."),
  value: field(Schema.String, "The signature, 64 bytes in base64.")
}).annotate({
  identifier: "Signature",
  description: "An Ed25519 signature (RFC 8032) over the canonical JSON (RFC 8785) of `data`."
})
export type ExportSignature = typeof ExportSignature.Type

/**
 * What was signed about an export, as `data` of a signed envelope. `digest` is that of the frozen snapshot,
 * `artifact_digest` that of the file; both are `sha256:` and 64 hex digits.
 */
export const ExportManifest = Schema.Struct({
  ...environmentMember,
  schema: field(
    Schema.Literal(manifestSchema),
    "Identifies the format of this object. It changes with every incompatible change of the format."
  ),
  export_id: id("rptx"),
  report_kind: ReportKind,
  format: ReportFormat,
  file_name: field(Schema.String, "The name of the downloaded file."),
  content_type: field(Schema.String, "The media type of the file."),
  rows: field(bigCount(0), "The rows."),
  as_of_sequence: field(bigCount(0), "Sequence number of the last event that the report includes."),
  checkpoint: Schema.optionalKey(ExportCheckpoint),
  frozen_at: field(Timestamp, "Time of the data in the report."),
  digest: field(Schema.String, "`sha256:` and the SHA-256 of the snapshot, in hex."),
  snapshot_size: field(bigCount(0), "Size of the snapshot in bytes."),
  seal: field(ExportSignature, "Signs `digest`; printed in the footer of a PDF."),
  artifact_digest: field(Schema.String, "`sha256:` and the SHA-256 of the file, in hex."),
  artifact_size: field(bigCount(0), "Size of the file in bytes.")
}).annotate({
  identifier: "ReportExportManifest",
  description: "The statement about an export that the service signed.",
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
