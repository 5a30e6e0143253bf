import { Effect, Schema } from "effect"
import { failing, UnknownField, ValidationError } from "../../ground/wire/Errors.ts"
import type { FieldFinding } from "../../ground/wire/Errors.ts"
import { findingsOf, invalidRequest, summary } from "../../ground/wire/FieldFindings.ts"
import { bigCount, CreatedAt, field, jsonObject, optional, Timestamp, UpdatedAt } from "../../ground/wire/Fields.ts"
import { schema as id } from "../../ground/wire/Id.ts"
import { filterFindings, reportFilters, ReportKind } from "../reports/Report.ts"
import type { ReportFilters } from "../reports/Report.ts"

/**
 * A time zone as it was known when a report was frozen. Governments change zones, and machines learn of it at different
 * times; with the offsets beside the name, a file is the same wherever and whenever it is rendered.
 */
export const FrozenTimeZone = Schema.Struct({
  /** Of the IANA database, as the caller wrote it. */
  name: Schema.String,
  /** Ascending. The first one also holds before its `since`, and the last one after it. */
  offsets: Schema.Array(Schema.Struct({
    /** Minutes east of UTC. */
    minutes: Schema.Int,
    /** RFC 3339 in UTC with milliseconds. */
    since: Schema.String
  }))
})
export type FrozenTimeZone = typeof FrozenTimeZone.Type

const minute = 60_000

/** A format that says the offset of an instant; undefined where the platform does not know the zone. */
const formatOf = (timeZone: string): Intl.DateTimeFormat | undefined => {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset", year: "numeric" })
  } catch {
    return undefined
  }
}

const zonePattern = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/

/** A time zone in a request: a name of the IANA database. */
export const TimeZoneName = Schema.String.check(
  Schema.isPattern(zonePattern, {
    expected: "a time zone of the IANA database, such as Europe/Berlin",
    toJsonSchema: () => ({ pattern: zonePattern.source })
  }),
  Schema.isMaxLength(64),
  Schema.makeFilter((value: string) => formatOf(value) !== undefined)
)

/** Reports look back ten years at most, but for the ledger; licenses may end long after. */
const yearsBack = 10
const yearsAhead = 30

const mostFrozen = 1_000
const frozen = new Map<string, FrozenTimeZone>()

/** Looks up the offsets of a zone around the year of `at`: 80 for one that changes its clocks twice a year. */
export const freezeTimeZone = (name: string, at: string): FrozenTimeZone => {
  const year = Number(at.slice(0, 4))
  const known = frozen.get(`${name} ${year}`)
  if (known !== undefined) return known
  const format = formatOf(name)
  if (format === undefined) throw new Error(`The time zone ${name} is no longer known`)
  const minutesAt = (instant: number): number => {
    const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(format.format(instant)) ?? []
    return hours === undefined ? 0 : (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
  }
  const offset = (instant: number, minutes: number) => ({ minutes, since: new Date(instant).toISOString() })
  let before = Date.UTC(year - yearsBack, 0, 1)
  let minutes = minutesAt(before)
  const offsets = [offset(before, minutes)]
  // No zone changes its clocks twice within ten days, but for Ramadan, which is longer.
  for (const end = Date.UTC(year + yearsAhead, 0, 1); before < end;) {
    let after = before + 10 * 24 * 60 * minute
    const next = minutesAt(after)
    const step = after
    if (next !== minutes) {
      let low = before
      while (after - low > minute) {
        const middle = low + Math.floor((after - low) / 2 / minute) * minute
        if (minutesAt(middle) === minutes) low = middle
        else after = middle
      }
      offsets.push(offset(after, next))
    }
    before = step
    minutes = next
  }
  const zone = { name, offsets }
  // There are a few hundred zones, but upper and lower case of a name may be mixed in any way.
  if (frozen.size === mostFrozen) frozen.clear()
  frozen.set(`${name} ${year}`, zone)
  return zone
}

/** The forms that an export can be downloaded in, with their media types. */
export const contentTypes = {
  json: "application/json",
  csv: "text/csv; charset=utf-8",
  pdf: "application/pdf"
} as const

/** The media type of an archive of an export with its evidence. */
export const archiveType = "application/zip"

export const ReportFormat = Schema.Literals(["json", "csv", "pdf"]).annotate({
  identifier: "ReportFormat",
  description: "The format of the download."
})
export type ReportFormat = typeof ReportFormat.Type

/** How many objects a PDF may have for every reader to open it (ISO 32000-1 annex C), with some left for its pages. */
const maximumPdfObjects = 8_000_000

/** Rows that a PDF may have: its structure has an object for each row and each cell. */
export const maximumPdfRows = (columns: number): number => Math.floor(maximumPdfObjects / (columns + 1))

/** Why there is no PDF, for people. */
export const tooManyRows = (rows: number, most: number): string =>
  `A PDF of this report has at most ${most} rows, and the report has ${rows}. Narrow the filters, or export it as csv or json.`

/**
 * Where an export stands: queued -> running -> ready -> expired, and running -> failed -> queued by a retry. A running
 * export whose node has ended is claimed by another node. docs/reference/states.md has the drawing.
 */
export const ReportExportStatus = Schema.Literals(["queued", "running", "ready", "failed", "expired"]).annotate({
  identifier: "ReportExportStatus",
  description: "Only a ready export can be downloaded; of an expired one the digests and the manifest are left."
})
export type ReportExportStatus = typeof ReportExportStatus.Type

const Filters = Schema.Record(Schema.String, Schema.Json)

/** Body of createReportExport. Which filters there are depends on the kind, see {@link decodeFilters}. */
export const ReportExportCreate = Schema.Struct({
  report_kind: ReportKind,
  format: optional(ReportFormat, "The format of the download. Default: `json`."),
  time_zone: optional(
    TimeZoneName,
    "The reader's time zone, by its IANA name. PDF files show times in it instead of UTC, and CSV files get " +
      "an additional column for each time. Windows and buckets do not change."
  ),
  // Free-form in the schema of the request, and bounded like every free-form member; then decoded by the report's own.
  filters: Schema.optionalKey(jsonObject(
    "The query parameters of the report, without `limit` and `cursor`: an export has every row."
  ))
}).annotate({
  identifier: "ReportExportCreateRequest",
  description: "A report to export to a signed file.",
  examples: [{ report_kind: "usage-summary", format: "pdf", filters: { bucket: "1d", group_by: "feature_code" } }]
})
export type ReportExportCreate = typeof ReportExportCreate.Type

/** The feed's tree, as a signed checkpoint states it. */
export const ExportCheckpoint = Schema.Struct({
  tree_size: field(bigCount(0), "Number of events that the tree covers."),
  /** 64 hex digits. */
  root_hash: field(Schema.String, "The root of the tree, 64 hexadecimal digits.")
}).annotate({ identifier: "ReportExportCheckpoint", description: "The newest signed checkpoint of the event feed." })
export type ExportCheckpoint = typeof ExportCheckpoint.Type

/** Why an export failed, for programs and for people. */
export const ExportFailure = Schema.Struct({
  code: field(Schema.String, "The cause of the failure, for programs."),
  message: field(Schema.String, "The message for people. The wording may change.")
}).annotate({
  identifier: "ReportExportFailure",
  description: "Why an export failed."
})
export type ExportFailure = typeof ExportFailure.Type

/** Why a file was removed: its time was over, or it held personal values of a customer that was erased. */
const ExpiredReason = Schema.Literals(["retention", "customer_erased"]).annotate({
  identifier: "ReportExportExpiredReason",
  description: "Why the file is gone: its time was over, or a customer whose name or address it held was erased."
})

/** The record of an export. Digests are `sha256:` and 64 hex digits. */
export const ReportExport = Schema.Struct({
  id: id("rptx"),
  report_kind: ReportKind,
  format: ReportFormat,
  status: ReportExportStatus,
  filters: field(Filters, "The filters of the request. Defaults are filled in when the data is read."),
  product_ids: optional(
    Schema.Array(id("prod")),
    "The products in the report, if the API key that created it was limited to products. Absent: all " +
      "products."
  ),
  time_zone: optional(Schema.String, "The time zone of the request."),
  progress: field(
    Schema.Struct({
      rows: field(bigCount(0), "Rows written so far."),
      total: optional(bigCount(0), "Number of rows, once they are counted.")
    }),
    "The progress of the export."
  ),
  as_of_sequence: optional(
    bigCount(0),
    "The sequence number of the last event that the report includes."
  ),
  checkpoint: Schema.optionalKey(ExportCheckpoint),
  digest: optional(Schema.String, "SHA-256 of the frozen snapshot."),
  artifact_digest: optional(Schema.String, "SHA-256 of the file."),
  artifact_size: optional(bigCount(0), "Bytes of the file."),
  content_type: field(Schema.String, "The media type of the file."),
  file_name: field(Schema.String, "The name of the downloaded file."),
  failure: Schema.optionalKey(ExportFailure),
  created_by: field(Schema.String, "The ID of the API key that requested it."),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
  frozen_at: optional(Timestamp, "Time of the data in the report."),
  ready_at: optional(Timestamp, "Time when the file was ready."),
  expires_at: optional(Timestamp, "Time when the file is removed. The digests and the manifest remain."),
  expired_reason: Schema.optionalKey(ExpiredReason),
  download_url: field(Schema.String, "URL of the file; the download needs an API key.")
}).annotate({
  identifier: "ReportExport",
  description: "A report exported to a signed file.",
  examples: [{
    id: "rptx_06eqpx1trxz3h94vqjm3a6kz7c",
    report_kind: "usage-summary",
    format: "pdf",
    status: "queued",
    filters: { bucket: "1d" },
    progress: { rows: 0 },
    content_type: "application/pdf",
    file_name: "usage-summary-2026-11-21-m3a6kz7c.pdf",
    created_by: "key_06eqpx1trxz3h94vqjm3a6kz7c",
    created_at: "2026-11-21T10:30:00.000Z",
    updated_at: "2026-11-21T10:30:00.000Z",
    download_url: "https://licenses.example.com/api/v1/reports/exports/rptx_06eqpx1trxz3h94vqjm3a6kz7c/download"
  }]
})
export type ReportExport = typeof ReportExport.Type

const strictly = { errors: "all", onExcessProperty: "error" } as const

/** Findings about the filters of a report, as findings about `filters`. */
export const underFilters = (fields: ReadonlyArray<FieldFinding>): ReadonlyArray<FieldFinding> =>
  fields.map((field) => ({ ...field, path: field.path === "" ? "filters" : `filters.${field.path}` }))

/**
 * Reads the filters of an export as the report of this kind takes them. A filter that the report does not know is
 * UnknownField, a wrong or a missing one ValidationError, each with every finding under `filters`.
 */
export const decodeFilters = (
  kind: ReportKind,
  filters: unknown
): Effect.Effect<ReportFilters, UnknownField | ValidationError> =>
  Schema.decodeUnknownEffect(reportFilters[kind] as Schema.Codec<ReportFilters>)(filters, strictly).pipe(
    Effect.mapError(({ issue }) => {
      const fields = underFilters(findingsOf(issue))
      return fields.some(({ code }) => code === "unknown_field")
        ? failing(UnknownField, summary(`The report ${kind} has no such filter`, fields), { fields })
        : invalidRequest(fields)
    }),
    Effect.flatMap((decoded) => {
      const fields = underFilters(filterFindings(kind, decoded))
      return fields.length === 0
        ? Effect.succeed(decoded)
        : Effect.fail(invalidRequest(fields))
    })
  )
