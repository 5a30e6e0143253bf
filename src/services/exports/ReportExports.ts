import { Context, Effect, Layer, Schema, Stream } from "effect"
import type { EventKind } from "../../domain/events/EventKind.ts"
import type { ByteRange } from "../../domain/exports/ByteRange.ts"
import { ExportSignature } from "../../domain/exports/ExportManifest.ts"
import type { ReportExport, ReportExportCreate, ReportFormat } from "../../domain/exports/ReportExport.ts"
import { decodeFilters, ReportExportStatus } from "../../domain/exports/ReportExport.ts"
import type { ReportKind } from "../../domain/reports/Report.ts"
import type { InvalidCursor, UnknownField, ValidationError } from "../../domain/wire/Errors.ts"
import { failing, NotFound, StateConflict } from "../../domain/wire/Errors.ts"
import type { Page, PageRequest } from "../../domain/wire/Page.ts"
import { Events } from "../events/Events.ts"
import { CurrentActor } from "../events/Provenance.ts"
import { Database } from "../persistence/Database.ts"
import { Identifiers } from "../persistence/Identifiers.ts"
import { sortedPage } from "../persistence/KeysetPagination.ts"
import { CurrentProducts, isOnlyOfProducts } from "../persistence/ProductLimit.ts"
import { rowReader } from "../persistence/RowToWire.ts"
import { inTransaction } from "../persistence/Transaction.ts"
import { Settings } from "../platform/Settings.ts"
import type { SignedAnswer } from "../security/Signing.ts"
import { ExportFiles } from "./ExportFiles.ts"
import { exportColumns, exportRecord, readExport } from "./ExportRow.ts"
import type { ExportRow } from "./ExportRow.ts"
import { ExportSignal } from "./ExportSignal.ts"
import type { ExportPart } from "./ExportSql.ts"

/** Which exports to list. */
export interface ExportQuery {
  readonly report_kind?: ReportKind
  readonly format?: ReportFormat
  readonly status?: ReportExportStatus
}

/** A file that can be sent. */
export interface ExportFile {
  readonly export: ReportExport
  /** `sha256:` and 64 hex digits. */
  readonly digest: string
  /** In bytes. */
  readonly size: number
  /** The bytes of a range, read from the database as they are taken. */
  readonly bytes: (range: ByteRange) => Stream.Stream<Uint8Array>
  /** Records the download, once per caller and hour, with the first range of that hour. */
  readonly downloaded: (range: ByteRange) => Effect.Effect<void>
}

const readManifest = rowReader(Schema.Struct({
  status: ReportExportStatus,
  manifest: Schema.optionalKey(Schema.String),
  manifest_signature: Schema.optionalKey(ExportSignature)
}))

const missing = () => failing(NotFound, "No report export has this id.")

const notReady: Readonly<Record<Exclude<ReportExportStatus, "ready">, string>> = {
  queued: "The export is not ready yet: it waits for its turn.",
  running: "The export is not ready yet: it is being made.",
  failed: "The export failed; its record says why. Retry it, or create another one.",
  expired: "The export has expired, and its file was removed. Create another one."
}

/** Frozen exports as callers see them: created, followed, downloaded and checked. */
export class ReportExports extends Context.Service<ReportExports, {
  /** Creates an export, of the products that the caller is limited to. The work is durable from here on. */
  readonly create: (input: ReportExportCreate) => Effect.Effect<ReportExport, UnknownField | ValidationError>
  readonly list: (page: PageRequest, query: ExportQuery) => Effect.Effect<Page<ReportExport>, InvalidCursor>
  readonly get: (id: string) => Effect.Effect<ReportExport, NotFound>
  /** Has a failed export made anew, from the tables as they are now. Repeating it succeeds. */
  readonly retry: (id: string) => Effect.Effect<ReportExport, NotFound | StateConflict>
  /** The manifest, byte for byte as it was signed; also of an expired export. */
  readonly manifest: (id: string) => Effect.Effect<SignedAnswer, NotFound | StateConflict>
  /** The file, or the snapshot that it was rendered from. */
  readonly file: (id: string, part: ExportPart) => Effect.Effect<ExportFile, NotFound | StateConflict>
}>()("countersign/services/exports/ReportExports") {
  static readonly layer = Layer.effect(
    ReportExports,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const files = yield* ExportFiles
      const identifiers = yield* Identifiers
      const signal = yield* ExportSignal
      const { publicUrl } = yield* Settings
      const columns = exportColumns(sql)

      const record = (row: ExportRow) => exportRecord(row, publicUrl)
      const append = (type: EventKind, row: ExportRow, metadata: Readonly<Record<string, number>> = {}) =>
        events.append({ type, resourceId: row.id, data: record(row), metadata })

      const create = Effect.fn("ReportExports.create")(function*(input: ReportExportCreate) {
        const filters = yield* decodeFilters(input.report_kind, input.filters ?? {})
        const actor = yield* CurrentActor
        const products = yield* CurrentProducts
        const row = yield* inTransaction(
          sql,
          Effect.gen(function*() {
            const rows = yield* sql`
              -- name: report_exports.insert
              INSERT INTO report_exports (id, report_kind, format, filters, time_zone, created_by, product_ids)
              VALUES (${identifiers.next("rptx")}, ${input.report_kind}, ${input.format ?? "json"},
                ${JSON.stringify(filters)}::jsonb, ${input.time_zone ?? null}, ${actor.id},
                ${products ?? null}::text[])
              RETURNING ${columns}`
            const created = readExport(rows[0]!)
            yield* append("report_export.created", created)
            yield* sql.afterCommit(signal.wake)
            return created
          })
        )
        return record(row)
      })

      const list = Effect.fn("ReportExports.list")((page: PageRequest, query: ExportQuery) =>
        sortedPage({
          sql,
          list: "report_exports",
          products: (products) => isOnlyOfProducts(sql, "product_ids", products),
          filters: query,
          page,
          conditions: Object.entries<string>({ ...query }).map(([column, value]) => sql`${sql(column)} = ${value}`),
          rows: ({ orderBy, place, where }, limit) =>
            sql`
              -- name: report_exports.list
              SELECT ${columns} ${place} FROM report_exports ${where} ${orderBy} LIMIT ${limit}`,
          read: (row) => record(readExport(row))
        })
      )

      const read = (id: string) =>
        sql`
          -- name: report_exports.find
          SELECT ${columns} FROM report_exports WHERE id = ${id}`.pipe(
          Effect.flatMap(([row]) => row === undefined ? Effect.fail(missing()) : Effect.succeed(readExport(row)))
        )

      const get = Effect.fn("ReportExports.get")((id: string) => Effect.map(read(id), record))

      const retry = Effect.fn("ReportExports.retry")(function*(id: string) {
        const rows = yield* sql`
          -- name: report_exports.update queued again
          UPDATE report_exports SET status = 'queued', failure = NULL, tries = 0, due_at = now(), progress_rows = 0,
            progress_total = NULL, updated_at = now()
          WHERE id = ${id} AND status = 'failed' RETURNING ${columns}`
        if (rows[0] !== undefined) {
          yield* signal.wake
          return record(readExport(rows[0]))
        }
        const row = yield* read(id)
        if (row.status === "queued" || row.status === "running") return record(row)
        return yield* failing(StateConflict, "Only a failed export can be retried.", { detail: `It is ${row.status}.` })
      })

      const manifest = Effect.fn("ReportExports.manifest")(function*(id: string) {
        const rows = yield* sql`
          -- name: report_exports.find manifest
          SELECT status, manifest, manifest_signature FROM report_exports WHERE id = ${id}`
        if (rows[0] === undefined) return yield* missing()
        const { manifest, manifest_signature, status } = readManifest(rows[0])
        if (manifest === undefined) {
          return yield* failing(StateConflict, notReady[status as keyof typeof notReady], { detail: status })
        }
        return { data: manifest, signature: manifest_signature! }
      })

      const bytesOf = (id: string, part: ExportPart, { end, start }: ByteRange) =>
        Stream.unfold(
          start,
          Effect.fnUntraced(function*(at: number) {
            if (at > end) return undefined
            const piece = yield* files.piece(id, part, at)
            if (piece === undefined || piece.length === 0) {
              return yield* Effect.die(new Error(`The file of ${id} ends at ${at}: it has just expired`))
            }
            return [piece.subarray(0, end - at + 1), at + piece.length] as const
          })
        )

      /** A client may fetch a file in many ranges: one event per caller, export and hour is enough. */
      const downloaded = Effect.fnUntraced(function*(row: ExportRow, actorId: string, { end, start }: ByteRange) {
        const hour = sql`date_trunc('hour', now(), 'UTC')`
        const mine = sql`export_id = ${row.id} AND actor_id = ${actorId}`
        const known = yield* sql`
          -- name: report_export_downloads.find
          SELECT 1 FROM report_export_downloads WHERE ${mine} AND hour = ${hour}`
        if (known.length > 0) return
        yield* inTransaction(
          sql,
          Effect.gen(function*() {
            const noted = yield* sql`
              -- name: report_export_downloads.insert
              INSERT INTO report_export_downloads (export_id, actor_id, hour) VALUES (${row.id}, ${actorId}, ${hour})
              ON CONFLICT DO NOTHING RETURNING 1`
            if (noted.length === 0) return
            yield* sql`
              -- name: report_export_downloads.delete earlier
              DELETE FROM report_export_downloads WHERE ${mine} AND hour < ${hour}`
            yield* append("report_export.downloaded", row, { first_byte: start, last_byte: end })
          })
        )
      })

      const file = Effect.fn("ReportExports.file")(function*(id: string, part: ExportPart) {
        const row = yield* read(id)
        if (row.status !== "ready") {
          return yield* failing(StateConflict, notReady[row.status], { detail: row.status })
        }
        const stored = row.format === "json" ? "snapshot" : part
        const digest = part === "snapshot" ? row.digest! : row.artifact_digest!
        const size = part === "snapshot" ? row.snapshot_size! : row.artifact_size!
        return {
          export: record(row),
          digest,
          size,
          bytes: (range: ByteRange) => bytesOf(id, stored, range),
          downloaded: (range: ByteRange) => Effect.flatMap(CurrentActor, (actor) => downloaded(row, actor.id, range))
        } satisfies ExportFile
      })

      return ReportExports.of({ create, list, get, retry, manifest, file })
    })
  )
}
