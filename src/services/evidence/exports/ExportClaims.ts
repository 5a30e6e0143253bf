import { Context, Effect, Layer } from "effect"
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
import { Settings } from "../../ground/platform/Settings.ts"
import { Events } from "../../log/Events.ts"
import { ClaimLost, makeExportPieces } from "./ExportFiles.ts"
import { exportRecord, readExport } from "./ExportRow.ts"
import type { ExportRow } from "./ExportRow.ts"
import {
  claimExport,
  countUnfinished,
  findErasedSince,
  insertNamedCustomers,
  insertPiece,
  lockClaimed,
  lockErasures,
  updateClaimed
} from "./ExportSql.ts"
import type { ExportLane, NewPiece } from "./ExportSql.ts"

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
