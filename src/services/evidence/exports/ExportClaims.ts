import { Cache, Context, Data, Effect, Layer, Semaphore } from "effect"
import type { Statement } from "effect/sql"
import {
  extended,
  failed,
  frozen,
  handedOver,
  progressed,
  queuedAgain,
  ready,
  thawed
} from "../../../domain/evidence/exports/ExportChange.ts"
import type { ExportChange, Finished, Frozen, Progress } from "../../../domain/evidence/exports/ExportChange.ts"
import type { ExportFailure } from "../../../domain/evidence/exports/ReportExport.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Compression } from "../../ground/platform/Ports.ts"
import { Settings } from "../../ground/platform/Settings.ts"
import { Events } from "../../log/Events.ts"
import { exportRecord, readExport } from "./ExportRecord.ts"
import type { ExportRow } from "./ExportRecord.ts"
import {
  claimExport,
  countUnfinished,
  deletePieces,
  findErasedSince,
  findPiece,
  insertNamedCustomers,
  insertPiece,
  listDiscarded,
  lockClaimed,
  lockDiscarded,
  lockErasures,
  removedAtOnce,
  updateClaimed,
  updateExpired
} from "./ExportSql.ts"
import type { ExportLane, ExportPart, NewPiece } from "./ExportSql.ts"

/** The claim is lost: another node took the export, or its work ended. The worker must stop writing. */
export class ClaimLost extends Data.TaggedError("ClaimLost")<{ readonly id: string }> {}

/** Removes the pieces of exports, a few at a time, and with a snapshot the list of customers that it names. */
export const makeExportPieces = (sql: Database) => {
  /** Removes pieces of the export that `held` locks; fails when it locks none. */
  const remove = (id: string, parts: ReadonlyArray<ExportPart>, held: Statement.Fragment) =>
    deletePieces(sql, parts, held).pipe(
      Effect.flatMap(([row]) => row!.held === 0 ? Effect.fail(new ClaimLost({ id })) : Effect.succeed(row!.gone)),
      Effect.repeat({ while: (gone) => gone === removedAtOnce }),
      Effect.asVoid
    )

  /** Removes all pieces of an export that can no longer be downloaded. */
  const discard = (id: string) =>
    remove(id, ["snapshot", "artifact"], lockDiscarded(sql, id)).pipe(
      Effect.catchTag("ClaimLost", () => Effect.void)
    )

  return { remove, discard }
}

/**
 * How many pieces are read at once, over all downloads (backpressure). The kernel buffers megabytes of a file before
 * its receiver has read a byte: without this limit, hundreds of downloads would be read as fast as the database can,
 * fill memory, and make everybody else wait.
 */
const piecesAtOnce = 1

/**
 * How many pieces stay decompressed between two slices of them, and for how long: so a slice costs no statement and no
 * decompression, and hundreds of slow downloads do not leave a piece to be collected for each of theirs.
 */
const piecesOpen = 8
const openFor = "1 second"

/**
 * The size of a stored piece in bytes, before it is compressed; the last one of a part is shorter. Each piece costs a
 * statement.
 */
export const pieceSize = 256 * 1024

/** How much of a piece is handed out at once, in bytes: as much is held for each download whose receiver is slow. */
const bytesAtOnce = 32 * 1024

/** The stored files of exports: read slice by slice, and removed once they are no longer to be had. */
export class ExportFiles extends Context.Service<ExportFiles, {
  /**
   * The bytes from `at` on, to the end of the piece that holds them, and {@link bytesAtOnce} at most; undefined when the
   * part is not there.
   */
  readonly piece: (id: string, part: ExportPart, at: number) => Effect.Effect<Uint8Array | undefined>
  /** Lets the exports expire whose time is over, and removes every file that is no longer to be had; answers how many. */
  readonly expire: Effect.Effect<number>
}>()("countersign/services/evidence/exports/ExportFiles") {
  static readonly layer = Layer.effect(
    ExportFiles,
    Effect.gen(function*() {
      const sql = yield* Database
      const compression = yield* Compression
      const pieces = makeExportPieces(sql)

      const reading = yield* Semaphore.make(piecesAtOnce)
      const readPiece = (id: string, part: ExportPart, at: number) =>
        Effect.map(findPiece(sql, id, part, at), ([row]) => {
          if (row === undefined) return undefined
          const { bytes, encoding, start } = row
          return { start, bytes: encoding === null ? bytes : compression.decompress(bytes, pieceSize) }
        }).pipe(reading.withPermit)
      const opened = yield* Cache.make({
        capacity: piecesOpen,
        timeToLive: openFor,
        lookup: (key: string) => {
          const [id, part, at] = key.split("/") as [string, ExportPart, string]
          return readPiece(id, part, Number(at))
        }
      })
      const piece = Effect.fnUntraced(function*(id: string, part: ExportPart, at: number) {
        const open = yield* Cache.get(opened, `${id}/${part}/${at - at % pieceSize}`)
        if (open === undefined) return undefined
        // Files of an earlier version are in pieces of another size.
        const isHeld = at < open.start + open.bytes.length
        const { bytes, start } = isHeld ? open : (yield* readPiece(id, part, at)) ?? open
        // A copy, so that the rest is not held with it; a Buffer's own `slice` would be a view.
        return Uint8Array.from(bytes.subarray(at - start, at - start + bytesAtOnce))
      })

      const expire = Effect.gen(function*() {
        const expired = yield* updateExpired(sql)
        for (const { id } of yield* listDiscarded(sql)) yield* pieces.discard(id)
        return expired.length
      })

      return ExportFiles.of({ piece, expire })
    })
  )
}

/** A piece, and where it is given, how far the work is. */
export interface WrittenPiece extends NewPiece {
  readonly progress?: Progress
}

/** Exports as their workers see them: claimed, written piece by piece, and finished once. */
export class ExportClaims extends Context.Service<ExportClaims, {
  /** Claims the export that has waited longest, or one whose claim has lapsed; undefined when there is none. */
  readonly claim: (lane: ExportLane) => Effect.Effect<ExportRow | undefined>
  /** Removes what an earlier claim left unfinished; a snapshot that was frozen stays. */
  readonly clear: (claim: ExportRow) => Effect.Effect<void, ClaimLost>
  /** Keeps the claim alive. */
  readonly extend: (claim: ExportRow) => Effect.Effect<void, ClaimLost>
  /**
   * Writes one piece, as {@link Compression} compressed it. `progress` makes a new version of the row, which stays until
   * the snapshot of the database that is read has ended, and versions make finding the row slower.
   */
  readonly write: (claim: ExportRow, piece: WrittenPiece) => Effect.Effect<void, ClaimLost>
  /** Records that the snapshot names these customers. */
  readonly name: (claim: ExportRow, customerIds: ReadonlyArray<string>) => Effect.Effect<void>
  /**
   * Fixes the snapshot; answers the row as it is now. A snapshot that names somebody who was erased since it was read is
   * given up, and made anew.
   */
  readonly freeze: (claim: ExportRow, frozen: Frozen) => Effect.Effect<ExportRow, ClaimLost>
  /** Makes the file available, with its event. */
  readonly finish: (claim: ExportRow, finished: Finished) => Effect.Effect<void, ClaimLost>
  /** Ends the work for good, with its event; what was written is removed. */
  readonly fail: (claim: ExportRow, failure: ExportFailure) => Effect.Effect<void, ClaimLost>
  /** Gives the claim back: another one may be made in `seconds`. `uncounted`: it was not the export's fault. */
  readonly release: (claim: ExportRow, seconds: number, uncounted?: boolean) => Effect.Effect<void, ClaimLost>
  /** Gives the claim back, for the worker that takes exports of any size. */
  readonly handOver: (claim: ExportRow) => Effect.Effect<void, ClaimLost>
  /** How many exports are not done, by their status. */
  readonly unfinished: Effect.Effect<ReadonlyMap<string, number>>
}>()("countersign/services/evidence/exports/ExportClaims") {
  static readonly layer = Layer.effect(
    ExportClaims,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const { exportRetentionDays, publicUrl } = yield* Settings
      const pieces = makeExportPieces(sql)

      const claim = (lane: ExportLane) =>
        Effect.map(claimExport(sql, lane), ([row]) => row === undefined ? undefined : readExport(row))

      /** Makes a change of a claim that still holds. */
      const change = (claim: ExportRow, made: ExportChange) =>
        Effect.flatMap(
          updateClaimed(sql, claim, made),
          ([row]) => row === undefined ? Effect.fail(new ClaimLost({ id: claim.id })) : Effect.succeed(readExport(row))
        )

      const clear = (claim: ExportRow) =>
        pieces.remove(
          claim.id,
          claim.digest === undefined ? ["snapshot", "artifact"] : ["artifact"],
          updateClaimed(sql, claim, extended())
        )

      const extend = (claim: ExportRow) => Effect.asVoid(change(claim, extended()))

      const write = (claim: ExportRow, { progress, ...piece }: WrittenPiece) => {
        const held = progress === undefined ? lockClaimed(sql, claim) : updateClaimed(sql, claim, progressed(progress))
        return Effect.flatMap(
          insertPiece(sql, piece, held),
          ({ length }) => length === 0 ? Effect.fail(new ClaimLost({ id: claim.id })) : Effect.void
        )
      }

      const name = (claim: ExportRow, customerIds: ReadonlyArray<string>) =>
        customerIds.length === 0
          ? Effect.void
          : Effect.asVoid(insertNamedCustomers(sql, customerIds, lockClaimed(sql, claim)))

      const freeze = Effect.fnUntraced(function*(claim: ExportRow, fixed: Frozen) {
        const row = yield* inTransaction(
          sql,
          Effect.gen(function*() {
            yield* lockErasures(sql).unprepared
            const erased = yield* findErasedSince(sql, claim.id, fixed.erasures)
            return erased.length > 0 ? undefined : yield* change(claim, frozen(fixed))
          })
        )
        if (row !== undefined) return row
        // The next claim removes what was written.
        yield* release(claim, 0, true)
        return yield* new ClaimLost({ id: claim.id })
      })

      const append = (row: ExportRow, type: "report_export.ready" | "report_export.failed") =>
        events.append({ type, resourceId: row.id, data: exportRecord(row, publicUrl) })

      const finish = (claim: ExportRow, finished: Finished) =>
        inTransaction(
          sql,
          Effect.flatMap(
            change(claim, ready(finished, exportRetentionDays)),
            (row) => append(row, "report_export.ready")
          )
        )

      const fail = Effect.fnUntraced(function*(claim: ExportRow, failure: ExportFailure) {
        // The snapshot is given up first, so that a claim after a crash does not look for it.
        yield* clear(yield* change(claim, thawed()))
        yield* inTransaction(
          sql,
          Effect.flatMap(change(claim, failed(failure)), (row) => append(row, "report_export.failed"))
        )
      })

      const release = (claim: ExportRow, seconds: number, uncounted = false) =>
        Effect.asVoid(change(claim, queuedAgain(seconds, !uncounted)))

      const handOver = (claim: ExportRow) => Effect.asVoid(change(claim, handedOver()))

      const unfinished = Effect.map(
        countUnfinished(sql),
        (rows) => new Map(rows.map(({ count, status }) => [status, count]))
      )

      return ExportClaims.of({
        claim,
        clear,
        extend,
        write,
        name,
        freeze,
        finish,
        fail,
        release,
        handOver,
        unfinished
      })
    })
  )
}
