import { Context, Data, Effect, Layer, Metric, Option, Schema, Stream } from "effect"
import { Hex } from "effect/encoding"
import { csvWriter } from "../../../domain/evidence/exports/Csv.ts"
import { sealText } from "../../../domain/evidence/exports/ExportSeal.ts"
import { namedBy } from "../../../domain/evidence/exports/NamedCustomers.ts"
import { freezeTimeZone, maximumPdfRows, tooManyRows } from "../../../domain/evidence/exports/ReportExport.ts"
import type { ExportCheckpoint } from "../../../domain/evidence/exports/ReportExport.ts"
import {
  snapshotEnd,
  snapshotRowBytes,
  snapshotRowWriter,
  snapshotStart
} from "../../../domain/evidence/exports/ReportSnapshot.ts"
import type { SnapshotHead, StatementEvidence } from "../../../domain/evidence/exports/ReportSnapshot.ts"
import { reportSchemaOf } from "../../../domain/evidence/reports/Report.ts"
import type { ReportRow } from "../../../domain/evidence/reports/Report.ts"
import type { RowBlock } from "../../../domain/ground/rows/RowCells.ts"
import type { NotFound, ValidationError } from "../../../domain/ground/wire/Errors.ts"
import { Slices } from "../../ground/environments/CurrentEnvironment.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { CurrentProducts } from "../../ground/persistence/ProductLimit.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { limitIdleTime, readOneSnapshotLong } from "../../ground/persistence/TransactionSql.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { Compression } from "../../ground/platform/Ports.ts"
import { Settings } from "../../ground/platform/Settings.ts"
import { Signing } from "../../keys/security/Signing.ts"
import { feedPlace } from "../../log/FeedPosition.ts"
import type { FeedPlace } from "../../log/FeedPosition.ts"
import { namesIn } from "../reports/OpenedReport.ts"
import type { OpenedReport } from "../reports/OpenedReport.ts"
import { ReportSource } from "../reports/ReportSource.ts"
import { findCheckpointOf, findLatestCheckpoint } from "../transparency/CheckpointSql.ts"
import { makeLicenseEvidence, mostEvents } from "../transparency/LicenseEvidence.ts"
import { makeCosigningQuorum } from "../transparency/WitnessKeeper.ts"
import { ExportClaims } from "./ExportClaims.ts"
import type { ClaimLost } from "./ExportClaims.ts"
import * as ExportMetrics from "./ExportMetrics.ts"
import type { ExportRow } from "./ExportRecord.ts"
import { Unrenderable } from "./ExportRenderer.ts"
import { findCheckpointUpTo, findNewestErasure, findSealingKey } from "./ExportSql.ts"
import type { ExportPart } from "./ExportSql.ts"
import { makePieceWriter } from "./PieceWriter.ts"
import type { PieceWriter, WrittenPart } from "./PieceWriter.ts"

/** Rows that are written before yielding to the event loop: less than a millisecond of work. */
const slice = 200

/** A report as it is written: its head, its rows, and whom they name. */
interface SnapshotSource {
  readonly claim: ExportRow
  readonly head: SnapshotHead
  readonly report: Pick<OpenedReport, "blocks" | "columns" | "rows" | "total">
  /** Records the customers that rows name, before they are written. */
  readonly name: (rows: ReadonlyArray<ReportRow>) => Effect.Effect<void>
  /** Opens a part of the export. Its writes do not belong to the transaction that the report is read in. */
  readonly open: (part: ExportPart) => PieceWriter
}

/** The written parts: the snapshot, and the file of a CSV, which is whole with it. */
interface WrittenSnapshot {
  readonly snapshot: WrittenPart
  readonly file: WrittenPart | undefined
}

/**
 * Writes a report as canonical JSON, and a CSV on the way, line by line beside each row: the same that is rendered from
 * a snapshot that is read again.
 */
export const writeSnapshot = Effect.fnUntraced(function*(
  { claim, head, name, open, report }: SnapshotSource
): Effect.fn.Return<WrittenSnapshot, ClaimLost> {
  // The transaction that waits between slices only reads a snapshot: it has no id, and nobody waits for it.
  const slices = yield* Slices
  const writer = open("snapshot")
  const csv = claim.format === "csv" ? { ...csvWriter(head), writer: open("artifact") } : undefined
  // A row of a document counts half once it is frozen, because the document is still to be rendered from it.
  const share = claim.format === "pdf" ? 0.5 : 1
  const counted = ExportMetrics.rows[claim.format]
  let rows = 0
  const progress = () => ({ rows: Math.floor(rows * share), total: report.total })
  const rowText = snapshotRowWriter(report.columns)
  const rowBytes = snapshotRowBytes(report.columns)
  const write = (texts: ReadonlyArray<string>, prefix?: ",") => writer.addTexts(texts, progress(), prefix)
  const writeLines = (lines: ReadonlyArray<string>) =>
    csv === undefined ? Effect.void : csv.writer.addTexts(lines, progress())

  const addRows = Effect.fnUntraced(function*(chunk: ReadonlyArray<ReportRow>) {
    yield* name(chunk)
    for (let at = 0; at < chunk.length; at += slice) yield* slices.run(addSome(chunk.slice(at, at + slice)))
  })

  const addSome = Effect.fnUntraced(function*(some: ReadonlyArray<ReportRow>) {
    const texts = some.map(rowText)
    yield* rows === 0 ? write(texts.slice(0, 1)) : write(texts.slice(0, 1), ",")
    yield* write(texts.slice(1), ",")
    rows += some.length
    yield* Metric.update(counted, some.length)
    if (csv !== undefined) yield* writeLines(some.map(csv.row))
  })

  const addBlock = Effect.fnUntraced(function*(block: RowBlock) {
    yield* Metric.update(counted, block.length)
    for (let at = 0; at < block.length; at += slice) yield* slices.run(putSome(block, at))
    block.release()
  })

  const putSome = Effect.fnUntraced(function*(block: RowBlock, from: number) {
    const end = Math.min(block.length, from + slice)
    for (let at = from; at < end; at++) {
      const row = block.row(at)
      rows += 1
      if (writer.put(row, rowBytes)) yield* writer.flush(progress())
      if (csv?.writer.put(row, csv.rowBytes) === true) yield* csv.writer.flush(progress())
    }
  })

  yield* write([snapshotStart(head)])
  if (csv !== undefined) yield* writeLines([csv.head])
  yield* report.blocks === undefined
    ? Stream.runForEach(report.rows, addRows)
    : Stream.runForEach(report.blocks, addBlock)
  if (rows !== report.total) {
    return yield* Effect.die(new Error(`The report has ${rows} rows, and not ${report.total} as it said`))
  }
  yield* write([snapshotEnd])
  return {
    snapshot: yield* writer.end(progress()),
    file: csv === undefined ? undefined : yield* csv.writer.end(progress())
  }
})

/**
 * The checkpoint that an export names: the newest one up to its place in the feed, and where witnesses are required, the
 * newest that enough of them have signed.
 */
const makeSealedCheckpoint = Effect.gen(function*() {
  const sql = yield* Database
  const quorum = yield* makeCosigningQuorum

  const find = Effect.fnUntraced(function*(sequence: number) {
    if (!quorum.isRequired) return (yield* findCheckpointUpTo(sql, sequence))[0]
    const size = yield* quorum.sizeUpTo(sequence)
    const [signed] = size === 0 ? [] : yield* findCheckpointOf(sql, size)
    return signed && { tree_size: signed.tree_size, root_hash: signed.root_hash }
  })

  /** Waits until enough witnesses have signed what is the newest checkpoint now; where they are away, goes on and says so. */
  const awaited = Effect.gen(function*() {
    const [latest] = quorum.isRequired ? yield* findLatestCheckpoint(sql) : []
    if (latest === undefined || (yield* quorum.covers(Number(latest.tree_size)))) return
    yield* Effect.logWarning(
      "Not enough witnesses have signed the newest checkpoint: the export names an older one that they have signed, or none"
    )
  })

  return { find, awaited }
})

/**
 * How many times, and how far apart, it is tried to get a snapshot in which no event waits for its place in the feed.
 */
const quietTries = 25
const quietPause = "20 millis"

/** The report has more rows than the worker for small exports takes on. */
export class TakesLong extends Data.TaggedError("TakesLong") {}

const readCheckpoint = rowReader(Schema.Struct({ tree_size: Schema.Int, root_hash: Schema.Uint8Array }))

/** The facts of one snapshot of the database beside the report. */
interface Known {
  readonly place: FeedPlace
  /** The newest signed checkpoint that covers nothing after the place. */
  readonly checkpoint: ExportCheckpoint | undefined
  /** The number of the newest erasure of a customer. */
  readonly erasures: number
}

/**
 * Begins a snapshot, in the open transaction. If `settled`, it answers undefined while events wait for their place in the
 * feed: the report never counts those, but current names and states may already reflect them.
 */
const beginSnapshot = Effect.fnUntraced(function*(
  sql: Database,
  settled: boolean,
  checkpointUpTo: Effect.Success<typeof makeSealedCheckpoint>["find"]
) {
  yield* readOneSnapshotLong(sql)
  // Slices of an environment beside live may wait for seconds between two reads.
  yield* limitIdleTime(sql, "30s")
  const place = yield* feedPlace(sql)
  if (settled && place.waitingSince !== undefined) return undefined
  const row = yield* checkpointUpTo(place.lastSequence)
  const signed = row && readCheckpoint(row)
  const [newest] = yield* findNewestErasure(sql)
  return {
    place,
    checkpoint: signed && { tree_size: signed.tree_size, root_hash: Hex.encode(signed.root_hash) },
    erasures: newest!.number
  } satisfies Known
})

/** Names are for documents, whose readers cannot look ids up; readers of the other formats can. */
interface ForPeople {
  readonly names: Readonly<Record<string, string>>
  readonly logo: string | undefined
}

/** The head of the snapshot of a report. Members without a value are left out. */
const headOf = (
  claim: ExportRow,
  report: OpenedReport,
  { checkpoint, place }: Known,
  { evidence, forPeople, vendor }: {
    readonly evidence: StatementEvidence | undefined
    readonly forPeople: ForPeople | undefined
    readonly vendor: string | undefined
  }
): SnapshotHead => {
  const frozen_at = place.readAt.toISOString()
  const presentation = {
    ...(forPeople?.logo === undefined ? {} : { logo: forPeople.logo }),
    ...(forPeople === undefined || Object.keys(forPeople.names).length === 0 ? {} : { names: forPeople.names }),
    ...(claim.time_zone === undefined ? {} : { time_zone: freezeTimeZone(claim.time_zone, frozen_at) }),
    ...(vendor === undefined ? {} : { vendor })
  }
  return {
    as_of_sequence: place.lastSequence,
    ...(checkpoint === undefined ? {} : { checkpoint }),
    ...(evidence === undefined ? {} : { evidence }),
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
}

/** The frozen export: its row, and its file where that is whole already. */
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
}>()("countersign/services/evidence/exports/ExportFreezer") {
  static readonly layer = Layer.effect(
    ExportFreezer,
    Effect.gen(function*() {
      const sql = yield* Database
      const claims = yield* ExportClaims
      const compression = yield* Compression
      const crypto = yield* Cryptography
      const signing = yield* Signing
      const source = yield* ReportSource
      const sealed = yield* makeSealedCheckpoint
      const evidenceOf = yield* makeLicenseEvidence
      const { vendorLogo, vendorName } = yield* Settings

      /** The events that a statement follows from, in the snapshot that is read. */
      const gathered = ({ product_ids }: ExportRow, { filters }: OpenedReport, { lastSequence }: FeedPlace) => {
        const text = (name: string) => Option.getOrUndefined(Schema.decodeUnknownOption(Schema.String)(filters[name]))
        const scope = {
          customerId: text("customer_id"),
          licenseId: text("license_id"),
          featureCode: text("feature_code"),
          limit: product_ids,
          lastSequence
        }
        return evidenceOf.gather(scope, { from: text("from") ?? "", to: text("to") ?? "" })
      }

      /** Opens the report in the snapshot that is read; undefined where that is not settled, see {@link beginSnapshot}. */
      const open = Effect.fnUntraced(function*(claim: ExportRow, limit: number, settled: boolean) {
        const known = yield* beginSnapshot(sql, settled, sealed.find)
        if (known === undefined) return undefined
        // The products are those of the key that made the export, whoever may see it later.
        const report = yield* source.open(claim.report_kind, claim.filters, known.place).pipe(
          Effect.provideService(CurrentProducts, claim.product_ids)
        )
        const most = claim.format === "pdf" ? maximumPdfRows(report.columns.length) : Infinity
        if (report.total > most) {
          return yield* new Unrenderable({ code: "TOO_MANY_ROWS", message: tooManyRows(report.total, most) })
        }
        if (report.total > limit) return yield* new TakesLong()
        const forPeople = claim.format === "pdf"
          ? { names: yield* namesIn(sql, report, claim.product_ids), logo: vendorLogo }
          : undefined
        return { known, report, forPeople }
      })

      /** A report that was opened, and its evidence. */
      interface Opened extends Pick<NonNullable<Effect.Success<ReturnType<typeof open>>>, "forPeople" | "known"> {
        readonly report: OpenedReport
      }

      /** Writes the report by the claim, whose database is another pool than that of the snapshot: no pool lends twice to one export. */
      const write = Effect.fnUntraced(function*(
        claim: ExportRow,
        { forPeople, known, report }: Opened,
        evidence: StatementEvidence | undefined
      ) {
        const { inRow, inSummary } = namedBy(claim.report_kind, claim.filters, report.summary, forPeople?.names)
        yield* claims.name(claim, inSummary)
        const head = headOf(claim, report, known, { evidence, forPeople, vendor: vendorName })
        const { file, snapshot } = yield* writeSnapshot({
          claim,
          head,
          report,
          name: (rows) => claims.name(claim, [...new Set(rows.flatMap(inRow))]),
          open: (part) => makePieceWriter({ claims, compression, crypto }, claim, part)
        })
        const frozen = {
          as_of_sequence: head.as_of_sequence,
          checkpoint: known.checkpoint,
          digest: snapshot.digest,
          snapshot_size: snapshot.size,
          frozen_at: head.frozen_at,
          erasures: known.erasures
        }
        return { frozen, ...(file === undefined ? {} : { file }) }
      })

      /**
       * Reads the report in one snapshot, and writes it while it is read. A statement with evidence has no more rows than that has
       * events: they are held until a checkpoint covers them, which the snapshot would not see, and written after it has ended.
       */
      const read = (claim: ExportRow, limit: number, settled: boolean) =>
        sql.withTransaction(Effect.gen(function*() {
          const opened = yield* open(claim, limit, settled)
          if (opened === undefined) return undefined
          const evidence = claim.report_kind === "statement" && opened.report.total <= mostEvents
            ? yield* gathered(claim, opened.report, opened.known.place)
            : undefined
          if (evidence === undefined) return { written: yield* write(claim, opened, undefined) }
          const rows = yield* Stream.runCollect(opened.report.rows)
          return { held: { ...opened, report: { ...opened.report, rows: Stream.fromIterable(rows) } }, evidence }
        }))

      const freeze = Effect.fn("ExportFreezer.freeze")(function*(claim: ExportRow, most: number) {
        yield* sealed.awaited
        let found = yield* read(claim, most, true)
        for (let tries = 1; found === undefined; tries++) {
          yield* Effect.sleep(quietPause)
          found = yield* read(claim, most, tries < quietTries)
        }
        const { frozen, ...file } = found.written ??
          (yield* write(claim, found.held, yield* evidenceOf.prove(found.evidence)))
        const [active] = yield* findSealingKey(sql)
        const seal = yield* signing.sign(active!.kid, sealText(frozen.digest))
        return { row: yield* claims.freeze(claim, { ...frozen, seal }), ...file }
      })

      return ExportFreezer.of({ freeze })
    })
  )
}
