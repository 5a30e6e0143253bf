import { Effect, Metric, Stream } from "effect"
import { csvWriter } from "../../../domain/evidence/exports/Csv.ts"
import { snapshotEnd, snapshotRowBytes, snapshotRowWriter, snapshotStart } from "../../../domain/evidence/exports/ReportSnapshot.ts"
import type { SnapshotHead } from "../../../domain/evidence/exports/ReportSnapshot.ts"
import type { ReportRow } from "../../../domain/evidence/reports/Report.ts"
import type { RowBlock } from "../../../domain/ground/rows/RowCells.ts"
import { Slices } from "../../ground/environments/Slices.ts"
import type { OpenedReport } from "../reports/OpenedReport.ts"
import * as ExportMetrics from "./ExportMetrics.ts"
import type { ClaimLost } from "./ExportPieces.ts"
import type { ExportRow } from "./ExportRow.ts"
import type { ExportPart } from "./ExportSql.ts"
import type { PieceWriter, WrittenPart } from "./PieceWriter.ts"

/** Rows that are written before yielding to the event loop: less than a millisecond of work. */
const slice = 200

/** A report as it is written: its head, its rows, and whom they name. */
export interface SnapshotSource {
  readonly claim: ExportRow
  readonly head: SnapshotHead
  readonly report: Pick<OpenedReport, "blocks" | "columns" | "rows" | "total">
  /** Records the customers that rows name, before they are written. */
  readonly name: (rows: ReadonlyArray<ReportRow>) => Effect.Effect<void>
  /** Opens a part of the export. Its writes do not belong to the transaction that the report is read in. */
  readonly open: (part: ExportPart) => PieceWriter
}

/** The written parts: the snapshot, and the file of a CSV, which is whole with it. */
export interface WrittenSnapshot {
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
