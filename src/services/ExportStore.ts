import { Context, Data, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Statement } from "effect/sql"
import type { ExportSignature } from "../domain/ExportManifest.ts"
import type { ExportCheckpoint, ExportFailure } from "../domain/ReportExport.ts"
import { Events } from "./Events.ts"
import { exportColumns, exportRecord } from "./ExportRow.ts"
import type { ExportRow } from "./ExportRow.ts"
import { Settings } from "./Settings.ts"
import { inTransaction } from "./Transaction.ts"

/** How long a claim lives without a word from its node, in seconds. */
const leaseSeconds = 15

/** Another node has claimed the export, or it is no longer to be made: whoever is told so writes nothing more. */
export class ClaimLost extends Data.TaggedError("ClaimLost")<{ readonly id: string }> {}

/** The two texts of an export: what was frozen, and the file that was rendered from it. */
export type ExportPart = "snapshot" | "artifact"

/** What is fixed when a snapshot is complete. */
export interface Frozen {
  readonly as_of_sequence: number
  readonly checkpoint: ExportCheckpoint | undefined
  readonly digest: string
  readonly snapshot_size: number
  readonly seal: ExportSignature
  /** RFC 3339. */
  readonly frozen_at: string
  /** The number of the newest erasure of a customer that the snapshot knows of. */
  readonly erasures: number
}

/** What is fixed when the file is complete. `manifest` is canonical JSON, as it was signed. */
export interface Finished {
  readonly artifact_digest: string
  readonly artifact_size: number
  readonly manifest: string
  readonly manifest_signature: ExportSignature
}

/** Exports as their workers see them: claimed, written piece by piece, and finished once. */
export class ExportStore extends Context.Service<ExportStore, {
  /**
   * Takes on the export that has waited longest, or one whose node is gone; undefined when there is none. What an
   * earlier claim left unfinished is removed; a snapshot that was frozen stays.
   */
  readonly claim: Effect.Effect<ExportRow | undefined>
  /** Keeps the claim alive. */
  readonly extend: (claim: ExportRow) => Effect.Effect<void, ClaimLost>
  /** Writes one piece, and how far the work is. */
  readonly write: (claim: ExportRow, piece: {
    readonly part: ExportPart
    /** In bytes from the beginning of the part. */
    readonly startAt: number
    readonly bytes: Uint8Array
    readonly rows: number
    readonly total: number
  }) => Effect.Effect<void, ClaimLost>
  /** Writes down that the snapshot names these customers. */
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
  readonly release: (claim: ExportRow, seconds: number, uncounted?: boolean) => Effect.Effect<void>
  /** Removes the files whose time is over; answers how many. */
  readonly expire: Effect.Effect<number>
  /** The bytes from `at` to the end of the piece that holds them; undefined when the part is not there. */
  readonly piece: (id: string, part: ExportPart, at: number) => Effect.Effect<Uint8Array | undefined>
}>()("countersign/services/ExportStore") {
  static readonly layer = Layer.effect(
    ExportStore,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const events = yield* Events
      const { exportRetentionDays, publicUrl } = yield* Settings
      const columns = sql.csv(exportColumns.map((column) => sql`${sql(column)}`))
      const lease = sql`now() + ${leaseSeconds} * interval '1 second'`

      const removePieces = (id: string, parts: ReadonlyArray<ExportPart>) =>
        sql`
          WITH named AS (
            DELETE FROM report_export_customers WHERE export_id = ${id} AND ${parts.includes("snapshot")}
          )
          DELETE FROM report_export_pieces WHERE export_id = ${id} AND part = ANY(${parts}::text[])`

      const claim = inTransaction(
        sql,
        Effect.gen(function*() {
          const rows = yield* sql<ExportRow>`
            UPDATE report_exports SET status = 'running', attempt = attempt + 1, tries = tries + 1,
              leased_until = ${lease}, progress_rows = 0, updated_at = now()
            WHERE id = (
              SELECT id FROM report_exports
              WHERE (status = 'queued' AND due_at <= now()) OR (status = 'running' AND leased_until < now())
              ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
            RETURNING ${columns}`
          const row = rows[0]
          if (row !== undefined) {
            yield* removePieces(row.id, row.digest === null ? ["snapshot", "artifact"] : ["artifact"])
          }
          return row
        }).pipe(Effect.orDie)
      )

      /** Changes the row of a claim that still holds; everything that a worker writes goes through here. */
      const held = ({ attempt, id }: ExportRow, changes: Statement.Fragment) =>
        sql<ExportRow>`
          UPDATE report_exports SET ${changes} WHERE id = ${id} AND attempt = ${attempt} AND status = 'running'
          RETURNING ${columns}`.pipe(
          Effect.orDie,
          Effect.flatMap(([row]) => row === undefined ? Effect.fail(new ClaimLost({ id })) : Effect.succeed(row))
        )

      const extend = (claim: ExportRow) => Effect.asVoid(held(claim, sql`leased_until = ${lease}`))

      // One statement, and so one round trip. The disk is not waited for: the commit that fixes what was written comes
      // later in the same log, and a piece that a crash takes is written anew with all others of its claim.
      const write: ExportStore["Service"]["write"] = (claim, { bytes, part, rows, startAt, total }) =>
        sql`
          WITH held AS (
            UPDATE report_exports SET leased_until = ${lease}, progress_rows = ${rows}, progress_total = ${total},
              updated_at = now()
            WHERE id = ${claim.id} AND attempt = ${claim.attempt} AND status = 'running'
            RETURNING id, set_config('synchronous_commit', 'off', true)
          )
          INSERT INTO report_export_pieces (export_id, part, start_at, bytes)
          SELECT id, ${part}, ${startAt}, ${bytes} FROM held RETURNING 1`.pipe(
          Effect.orDie,
          Effect.flatMap(({ length }) => length === 0 ? Effect.fail(new ClaimLost({ id: claim.id })) : Effect.void)
        )

      const name = ({ attempt, id }: ExportRow, customerIds: ReadonlyArray<string>) =>
        customerIds.length === 0 ? Effect.void : sql`
          WITH held AS (
            SELECT id FROM report_exports WHERE id = ${id} AND attempt = ${attempt} AND status = 'running' FOR SHARE
          )
          INSERT INTO report_export_customers (customer_id, export_id)
          SELECT customer_id, id FROM held, unnest(${customerIds}::text[]) AS n (customer_id)
          ON CONFLICT DO NOTHING`.pipe(Effect.asVoid, Effect.orDie)

      // An erasure numbers itself and looks for exports under the other side of this lock: either it sees this export,
      // or this sees the erasure.
      const namesErased = (id: string, erasures: number) =>
        Effect.andThen(
          sql`LOCK TABLE customer_erasures IN SHARE MODE`.unprepared,
          sql`
            SELECT 1 FROM customer_erasures c JOIN report_export_customers n ON n.customer_id = c.customer_id
            WHERE c.number > ${erasures} AND n.export_id = ${id} LIMIT 1`
        ).pipe(Effect.map(({ length }) => length > 0), Effect.orDie)

      const freeze = Effect.fnUntraced(
        function*(claim: ExportRow, { checkpoint, erasures, frozen_at, ...frozen }: Frozen) {
          const row = yield* inTransaction(
            sql,
            Effect.gen(function*() {
              if (yield* namesErased(claim.id, erasures)) return undefined
              return yield* held(
                claim,
                sql`as_of_sequence = ${frozen.as_of_sequence}, digest = ${frozen.digest},
                  checkpoint = ${checkpoint === undefined ? null : JSON.stringify(checkpoint)}::jsonb,
                  snapshot_size = ${frozen.snapshot_size}, seal = ${JSON.stringify(frozen.seal)}::jsonb,
                  frozen_at = ${frozen_at}::text::timestamptz, names_recorded = true, updated_at = now()`
              )
            })
          )
          if (row !== undefined) return row
          // The next claim removes what was written.
          yield* release(claim, 0, true)
          return yield* new ClaimLost({ id: claim.id })
        }
      )

      const append = (row: ExportRow, type: "report_export.ready" | "report_export.failed") =>
        events.append({ type, resourceId: row.id, data: exportRecord(row, publicUrl) })

      const finish = (claim: ExportRow, finished: Finished) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const row = yield* held(
              claim,
              sql`status = 'ready', leased_until = NULL, artifact_digest = ${finished.artifact_digest},
                artifact_size = ${finished.artifact_size}, manifest = ${finished.manifest},
                manifest_signature = ${JSON.stringify(finished.manifest_signature)}::jsonb,
                progress_rows = progress_total, ready_at = now(), updated_at = now(),
                expires_at = now() + ${exportRetentionDays} * interval '24 hours'`
            )
            yield* append(row, "report_export.ready")
          })
        )

      const fail = (claim: ExportRow, failure: ExportFailure) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const row = yield* held(
              claim,
              sql`status = 'failed', leased_until = NULL, failure = ${JSON.stringify(failure)}::jsonb,
                as_of_sequence = NULL, checkpoint = NULL, digest = NULL, snapshot_size = NULL, seal = NULL,
                frozen_at = NULL, names_recorded = false, updated_at = now()`
            )
            yield* Effect.orDie(removePieces(row.id, ["snapshot", "artifact"]))
            yield* append(row, "report_export.failed")
          })
        )

      const release = (claim: ExportRow, seconds: number, uncounted = false) =>
        held(
          claim,
          sql`status = 'queued', leased_until = NULL, due_at = now() + ${seconds} * interval '1 second',
            tries = tries - ${uncounted ? 1 : 0}, updated_at = now()`
        ).pipe(Effect.catchTag("ClaimLost", () => Effect.void), Effect.asVoid)

      const expire = inTransaction(
        sql,
        Effect.gen(function*() {
          const rows = yield* sql<{ readonly id: string }>`
            UPDATE report_exports SET status = 'expired', expired_reason = 'retention', updated_at = now()
            WHERE id = ANY(ARRAY(
              SELECT id FROM report_exports WHERE status = 'ready' AND expires_at <= now()
              ORDER BY expires_at LIMIT 20 FOR UPDATE SKIP LOCKED))
            RETURNING id`
          yield* sql`DELETE FROM report_export_pieces WHERE export_id = ANY(${rows.map(({ id }) => id)}::text[])`
          return rows.length
        }).pipe(Effect.orDie)
      )

      const piece = (id: string, part: ExportPart, at: number) =>
        sql<{ readonly start_at: bigint; readonly bytes: Uint8Array }>`
          SELECT start_at, bytes FROM report_export_pieces
          WHERE export_id = ${id} AND part = ${part} AND start_at <= ${at} ORDER BY start_at DESC LIMIT 1`.pipe(
          Effect.map(([row]) => row === undefined ? undefined : row.bytes.subarray(at - Number(row.start_at))),
          Effect.orDie
        )

      return ExportStore.of({ claim, extend, write, name, freeze, finish, fail, release, expire, piece })
    })
  )
}
