import { Context, Data, Effect, Layer, Metric, Schema, Stream } from "effect"
import { Hex } from "effect/encoding"
import { csvWriter } from "../../domain/exports/Csv.ts"
import { sealText } from "../../domain/exports/ExportSeal.ts"
import { namedBy } from "../../domain/exports/NamedCustomers.ts"
import { maximumPdfRows, tooManyRows } from "../../domain/exports/ReportExport.ts"
import type { ExportCheckpoint } from "../../domain/exports/ReportExport.ts"
import { snapshotEnd, snapshotRowBytes, snapshotRowWriter, snapshotStart } from "../../domain/exports/ReportSnapshot.ts"
import type { SnapshotHead } from "../../domain/exports/ReportSnapshot.ts"
import { freezeTimeZone } from "../../domain/exports/TimeZone.ts"
import { reportSchemaOf } from "../../domain/reports/Report.ts"
import type { ReportRow } from "../../domain/reports/Report.ts"
import type { RowBlock } from "../../domain/reports/RowCells.ts"
import type { NotFound, ValidationError } from "../../domain/wire/Errors.ts"
import { feedPlace } from "../events/FeedPosition.ts"
import { Database } from "../persistence/Database.ts"
import { CurrentProducts } from "../persistence/ProductLimit.ts"
import { rowReader } from "../persistence/RowToWire.ts"
import { outsideTransaction } from "../persistence/Transaction.ts"
import { Compression } from "../platform/Compression.ts"
import { Cryptography } from "../platform/Cryptography.ts"
import { Settings } from "../platform/Settings.ts"
import { namesIn } from "../reports/ReportNames.ts"
import { ReportSource } from "../reports/ReportSource.ts"
import { Signing } from "../security/Signing.ts"
import { ExportClaims } from "./ExportClaims.ts"
import * as ExportMetrics from "./ExportMetrics.ts"
import type { ClaimLost } from "./ExportPieces.ts"
import { Unrenderable } from "./ExportRenderer.ts"
import type { ExportRow } from "./ExportRow.ts"
import type { ExportPart } from "./ExportSql.ts"
import { makePieceWriter } from "./PieceWriter.ts"
import type { WrittenPart } from "./PieceWriter.ts"

/** Rows that are written before yielding to the event loop: less than a millisecond of work. */
const slice = 200

/**
 * How many times, and how far apart, it is tried to get a snapshot in which no event waits for its place in the feed.
 */
const quietTries = 25
const quietPause = "20 millis"

/** The report has more rows than the worker for small exports takes on. */
export class TakesLong extends Data.TaggedError("TakesLong") {}

const readCheckpoint = rowReader(Schema.Struct({ tree_size: Schema.Int, root_hash: Schema.Uint8Array }))

/** The newest signed checkpoint that covers nothing after `sequence`. */
const latestCheckpoint = Effect.fnUntraced(function*(sql: Database, sequence: number) {
  const rows = yield* sql`
    -- name: event_checkpoints.find before snapshot
    SELECT tree_size, root_hash FROM event_checkpoints WHERE tree_size <= ${sequence}
    ORDER BY tree_size DESC LIMIT 1`
  if (rows[0] === undefined) return undefined
  const { root_hash, tree_size } = readCheckpoint(rows[0])
  return { tree_size, root_hash: Hex.encode(root_hash) } satisfies ExportCheckpoint
})

/** What was frozen: the row of the export, and its file where that is whole already. */
export interface FrozenReport {
  readonly row: ExportRow
  readonly file?: WrittenPart
}

/**
 * Freezes reports: reads one in a single snapshot of the database, and stores it as canonical JSON. A CSV is written on
 * the way, line by line beside each row of the snapshot: the same that is rendered from a snapshot that is read again.
 */
export class ExportFreezer extends Context.Service<ExportFreezer, {
  /**
   * Freezes the report of a claim; answers its row with the digest, and the file of a CSV. `TakesLong`: it has more rows than `most`. Every
   * other failure is final: the filters lead nowhere, or to more than the format can hold.
   */
  readonly freeze: (
    claim: ExportRow,
    most: number
  ) => Effect.Effect<FrozenReport, ClaimLost | NotFound | TakesLong | Unrenderable | ValidationError>
}>()("countersign/services/exports/ExportFreezer") {
  static readonly layer = Layer.effect(
    ExportFreezer,
    Effect.gen(function*() {
      const sql = yield* Database
      const claims = yield* ExportClaims
      const compression = yield* Compression
      const crypto = yield* Cryptography
      const signing = yield* Signing
      const source = yield* ReportSource
      const { vendorLogo, vendorName } = yield* Settings

      // Reads belong to one read-only snapshot. Writes go beside it, each in a transaction of its own.
      const outside = <A, E>(effect: Effect.Effect<A, E>) => outsideTransaction(sql, effect)

      /**
       * Reads the report in one snapshot. If `settled`, it answers undefined while events wait for their place in the
       * feed: the report never counts those, but current names and states may already reflect them.
       */
      const read = Effect.fnUntraced(function*(claim: ExportRow, limit: number, settled: boolean) {
        yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`.unprepared
        yield* sql`SET LOCAL statement_timeout = 0`.unprepared
        const place = yield* feedPlace(sql)
        if (settled && place.waitingSince !== undefined) return undefined
        const as_of_sequence = place.lastSequence
        const checkpoint = yield* latestCheckpoint(sql, as_of_sequence)
        const [known] = yield* sql<{ readonly erasures: number }>`
          -- name: customer_erasures.count before snapshot
          SELECT coalesce(max(number), 0)::float8 AS erasures FROM customer_erasures`
        // Of the products of the key that made the export, whoever may see it later.
        const report = yield* source.open(claim.report_kind, claim.filters, place).pipe(
          Effect.provideService(CurrentProducts, claim.product_ids)
        )
        const most = claim.format === "pdf" ? maximumPdfRows(report.columns.length) : Infinity
        if (report.total > most) {
          return yield* new Unrenderable({ code: "TOO_MANY_ROWS", message: tooManyRows(report.total, most) })
        }
        if (report.total > limit) return yield* new TakesLong()
        // Who reads a document cannot look ids up; what reads the other formats can.
        const forPeople = claim.format === "pdf"
          ? { names: yield* namesIn(sql, report, claim.product_ids), logo: vendorLogo }
          : undefined
        const { inRow, inSummary } = namedBy(claim.report_kind, claim.filters, report.summary, forPeople?.names)
        yield* outside(claims.name(claim, inSummary))
        const open = (part: ExportPart) => makePieceWriter({ claims, compression, crypto }, claim, part)
        const writer = open("snapshot")
        // A row of a document counts half once it is frozen, because the document is still to be rendered from it.
        const share = claim.format === "pdf" ? 0.5 : 1
        const frozen_at = place.readAt.toISOString()
        const presentation = {
          ...(forPeople?.logo === undefined ? {} : { logo: forPeople.logo }),
          ...(forPeople === undefined || Object.keys(forPeople.names).length === 0 ? {} : { names: forPeople.names }),
          ...(claim.time_zone === undefined ? {} : { time_zone: freezeTimeZone(claim.time_zone, frozen_at) }),
          ...(vendorName === undefined ? {} : { vendor: vendorName })
        }
        let rows = 0
        const counted = ExportMetrics.rows[claim.format]
        const progress = () => ({ rows: Math.floor(rows * share), total: report.total })
        const write = (texts: ReadonlyArray<string>, prefix?: ",") =>
          outside(writer.addTexts(texts, progress(), prefix))
        const head: SnapshotHead = {
          as_of_sequence,
          ...(checkpoint === undefined ? {} : { checkpoint }),
          filters: report.filters,
          frozen_at,
          ...(Object.keys(presentation).length === 0 ? {} : { presentation }),
          report_kind: claim.report_kind,
          report_schema: reportSchemaOf(claim.report_kind),
          row_count: report.total,
          ...(report.series === undefined ? {} : { series: report.series }),
          summary: report.summary,
          columns: report.columns
        }
        yield* write([snapshotStart(head)])
        const csv = claim.format === "csv" ? { ...csvWriter(head), writer: open("artifact") } : undefined
        const writeLines = (lines: ReadonlyArray<string>) =>
          csv === undefined ? Effect.void : outside(csv.writer.addTexts(lines, progress()))
        if (csv !== undefined) yield* writeLines([csv.head])
        const rowText = snapshotRowWriter(report.columns)
        const addRows = Effect.fnUntraced(function*(chunk: ReadonlyArray<ReportRow>) {
          yield* outside(claims.name(claim, [...new Set(chunk.flatMap(inRow))]))
          for (let at = 0; at < chunk.length; at += slice) {
            const some = chunk.slice(at, at + slice)
            const texts = some.map(rowText)
            yield* rows === 0 ? write(texts.slice(0, 1)) : write(texts.slice(0, 1), ",")
            yield* write(texts.slice(1), ",")
            rows += some.length
            yield* Metric.update(counted, some.length)
            if (csv !== undefined) yield* writeLines(some.map(csv.row))
            yield* Effect.yieldNow
          }
        })
        const rowBytes = snapshotRowBytes(report.columns)
        const addBlock = Effect.fnUntraced(function*(block: RowBlock) {
          yield* Metric.update(counted, block.length)
          for (let at = 0; at < block.length; at++) {
            const row = block.row(at)
            rows += 1
            if (writer.put(row, rowBytes)) yield* outside(writer.flush(progress()))
            if (csv?.writer.put(row, csv.rowBytes) === true) yield* outside(csv.writer.flush(progress()))
            if (at % slice === 0) yield* Effect.yieldNow
          }
          block.release()
        })
        yield* report.blocks === undefined
          ? Stream.runForEach(report.rows, addRows)
          : Stream.runForEach(report.blocks, addBlock)
        if (rows !== report.total) {
          return yield* Effect.die(new Error(`The report has ${rows} rows, and not ${report.total} as it said`))
        }
        yield* write([snapshotEnd])
        const { digest, size } = yield* outside(writer.end(progress()))
        const file = csv === undefined ? {} : { file: yield* outside(csv.writer.end(progress())) }
        const frozen = { as_of_sequence, checkpoint, digest, snapshot_size: size, frozen_at, erasures: known!.erasures }
        return { frozen, ...file }
      })

      const freeze = Effect.fn("ExportFreezer.freeze")(function*(claim: ExportRow, most: number) {
        const once = (settled: boolean) => sql.withTransaction(read(claim, most, settled))
        let found = yield* once(true)
        for (let tries = 1; found === undefined; tries++) {
          yield* Effect.sleep(quietPause)
          found = yield* once(tries < quietTries)
        }
        const { frozen, ...file } = found
        const [active] = yield* sql<{ readonly kid: string }>`
          -- name: signing_keys.find for seal
          SELECT id AS kid FROM signing_keys WHERE status = 'active'`
        const seal = yield* signing.sign(active!.kid, sealText(frozen.digest))
        return { row: yield* claims.freeze(claim, { ...frozen, seal }), ...file }
      })

      return ExportFreezer.of({ freeze })
    })
  )
}
