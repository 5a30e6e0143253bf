import { Context, Effect, Layer, Stream } from "effect"
import type { ByteRange } from "../../../domain/evidence/exports/ByteRange.ts"
import { decodeFilters, underFilters } from "../../../domain/evidence/exports/ReportExport.ts"
import type {
  ReportExport,
  ReportExportCreate,
  ReportExportStatus
} from "../../../domain/evidence/exports/ReportExport.ts"
import type { ReportFilters, ReportKind } from "../../../domain/evidence/reports/Report.ts"
import { failing, NotFound, StateConflict, TokenScopeDenied } from "../../../domain/ground/wire/Errors.ts"
import type { InvalidCursor, UnknownField, ValidationError } from "../../../domain/ground/wire/Errors.ts"
import { invalidRequest } from "../../../domain/ground/wire/FieldFindings.ts"
import type { Page, PageRequest } from "../../../domain/ground/wire/Page.ts"
import type { Scope } from "../../../domain/keys/security/ManagementKey.ts"
import type { EventKind } from "../../../domain/log/EventKind.ts"
import { Announcements } from "../../ground/agenda/Announcements.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { sortedPage } from "../../ground/persistence/KeysetPagination.ts"
import { CurrentProducts, isOnlyOfProducts } from "../../ground/persistence/ProductLimit.ts"
import { Settings } from "../../ground/platform/Settings.ts"
import type { SignedAnswer } from "../../keys/security/Signing.ts"
import { Events } from "../../log/Events.ts"
import { CurrentActor, lackedScopes } from "../../log/Provenance.ts"
import { rehearsedRules } from "../reports/RehearsalReports.ts"
import { ExportFiles } from "./ExportClaims.ts"
import { exportRecord, readExport } from "./ExportRecord.ts"
import type { ExportRow } from "./ExportRecord.ts"
import {
  deleteEarlierDownloads,
  exportConditions,
  findDownload,
  findExport,
  findManifest,
  insertDownload,
  insertExport,
  listExports,
  readManifest,
  updateQueuedAgain
} from "./ExportSql.ts"
import type { ExportPart, ExportQuery } from "./ExportSql.ts"

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

const missing = () => failing(NotFound, "No report export has this id.")

/** The scopes that the export of a report needs beside those of exports: what it shows is read by them. */
const alsoNeeds: Readonly<Partial<Record<ReportKind, ReadonlyArray<Scope>>>> = {
  licenses: ["license:read"],
  rehearsal: ["product:read", "license:read"]
}

const notReady: Readonly<Record<Exclude<ReportExportStatus, "ready">, string>> = {
  queued: "The export is not ready yet: it waits for its turn.",
  running: "The export is not ready yet: it is being made.",
  failed: "The export failed; its record says why. Retry it, or create another one.",
  expired: "The export has expired, and its file was removed. Create another one."
}

/** Frozen exports as callers see them: created, followed, downloaded and checked. */
export class ReportExports extends Context.Service<ReportExports, {
  /** Creates an export, of the products that the caller is limited to. The work is durable from here on. */
  readonly create: (
    input: ReportExportCreate
  ) => Effect.Effect<ReportExport, TokenScopeDenied | UnknownField | ValidationError>
  readonly list: (page: PageRequest, query: ExportQuery) => Effect.Effect<Page<ReportExport>, InvalidCursor>
  readonly get: (id: string) => Effect.Effect<ReportExport, NotFound>
  /** Has a failed export made anew, from the tables as they are now. Repeating it succeeds. */
  readonly retry: (id: string) => Effect.Effect<ReportExport, NotFound | StateConflict>
  /** The manifest, byte for byte as it was signed; also of an expired export. */
  readonly manifest: (id: string) => Effect.Effect<SignedAnswer, NotFound | StateConflict>
  /** The file, or the snapshot that it was rendered from. */
  readonly file: (id: string, part: ExportPart) => Effect.Effect<ExportFile, NotFound | StateConflict>
}>()("countersign/services/evidence/exports/ReportExports") {
  static readonly layer = Layer.effect(
    ReportExports,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const files = yield* ExportFiles
      const identifiers = yield* Identifiers
      const announcements = yield* Announcements
      const { publicUrl } = yield* Settings

      const record = (row: ExportRow) => exportRecord(row, publicUrl)
      const append = (type: EventKind, row: ExportRow, metadata: Readonly<Record<string, number>> = {}) =>
        events.append({ type, resourceId: row.id, data: record(row), metadata })

      const create = Effect.fn("ReportExports.create")(function*(input: ReportExportCreate) {
        const filters = yield* decodeFilters(input.report_kind, input.filters ?? {})
        const [lacked] = yield* lackedScopes(alsoNeeds[input.report_kind] ?? [])
        if (lacked !== undefined) {
          return yield* failing(TokenScopeDenied, `To export the report ${input.report_kind} needs ${lacked}.`, {
            detail: lacked
          })
        }
        if (input.report_kind === "rehearsal") {
          yield* rehearsedRules(sql, filters as ReportFilters<"rehearsal">, yield* CurrentProducts).pipe(
            // As with every subject of a report, it is the export that says that there is none.
            Effect.catchTag("NOT_FOUND", () => Effect.void),
            Effect.mapError(({ error }) => invalidRequest(underFilters(error.fields ?? [])))
          )
        }
        const actor = yield* CurrentActor
        const products = yield* CurrentProducts
        const row = yield* inTransaction(
          sql,
          Effect.gen(function*() {
            const [inserted] = yield* insertExport(sql, {
              id: identifiers.next("rptx"),
              report_kind: input.report_kind,
              format: input.format ?? "json",
              filters,
              time_zone: input.time_zone,
              created_by: actor.id,
              product_ids: products
            })
            const created = readExport(inserted!)
            yield* append("report_export.created", created)
            yield* sql.afterCommit(announcements.announce("exports"))
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
          conditions: exportConditions(sql, query),
          rows: (clauses, limit) => listExports(sql, clauses, limit),
          read: (row) => record(readExport(row))
        })
      )

      const read = (id: string) =>
        Effect.flatMap(
          findExport(sql, id),
          ([row]) => row === undefined ? Effect.fail(missing()) : Effect.succeed(readExport(row))
        )

      const get = Effect.fn("ReportExports.get")((id: string) => Effect.map(read(id), record))

      const retry = Effect.fn("ReportExports.retry")(function*(id: string) {
        const [queued] = yield* updateQueuedAgain(sql, id)
        if (queued !== undefined) {
          yield* announcements.announce("exports")
          return record(readExport(queued))
        }
        const row = yield* read(id)
        if (row.status === "queued" || row.status === "running") return record(row)
        return yield* failing(StateConflict, "Only a failed export can be retried.", {
          detail: `The export is ${row.status}.`
        })
      })

      const manifest = Effect.fn("ReportExports.manifest")(function*(id: string) {
        const [row] = yield* findManifest(sql, id)
        if (row === undefined) return yield* missing()
        const { manifest, manifest_signature, status } = readManifest(row)
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
        const download = { exportId: row.id, actorId }
        const [known] = yield* findDownload(sql, download)
        if (known !== undefined) return
        yield* inTransaction(
          sql,
          Effect.gen(function*() {
            const [recorded] = yield* insertDownload(sql, download)
            if (recorded === undefined) return
            yield* deleteEarlierDownloads(sql, download)
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
