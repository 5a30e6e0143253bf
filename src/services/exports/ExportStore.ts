import { Cache, Context, Effect, Layer, Semaphore } from "effect"
import type { Statement } from "effect/sql"
import type { ExportSignature } from "../../domain/exports/ExportManifest.ts"
import type { ExportCheckpoint, ExportFailure } from "../../domain/exports/ReportExport.ts"
import { Events } from "../events/Events.ts"
import { Database } from "../persistence/Database.ts"
import { inTransaction } from "../persistence/Transaction.ts"
import { Compression } from "../platform/Compression.ts"
import { Settings } from "../platform/Settings.ts"
import type { ExportPart } from "./ExportPieces.ts"
import { ClaimLost, makeExportPieces } from "./ExportPieces.ts"
import { exportColumns, exportRecord, readExport } from "./ExportRow.ts"
import type { ExportRow } from "./ExportRow.ts"

/** How long a claim lasts unless its node extends it, in seconds. */
const leaseSeconds = 15

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

/**
 * Which worker claims: the one for `small` exports skips those that are known to take long, so that short ones pass
 * them.
 */
export type ExportLane = "small" | "any"

/** How far the work is: rows done, and how many there are. */
export interface Progress {
  readonly rows: number
  readonly total: number
}

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
  /** Claims the export that has waited longest, or one whose claim has lapsed; undefined when there is none. */
  readonly claim: (lane: ExportLane) => Effect.Effect<ExportRow | undefined>
  /** Removes what an earlier claim left unfinished; a snapshot that was frozen stays. */
  readonly clear: (claim: ExportRow) => Effect.Effect<void, ClaimLost>
  /** Keeps the claim alive. */
  readonly extend: (claim: ExportRow) => Effect.Effect<void, ClaimLost>
  /**
   * Writes one piece, and where it is given, how far the work is. That makes a new version of the row, which stays until
   * the snapshot of the database that is read has ended, and versions make finding the row slower.
   */
  readonly write: (claim: ExportRow, piece: {
    readonly part: ExportPart
    /** In bytes from the beginning of the part. */
    readonly startAt: number
    /** As {@link Compression} compressed them: at most {@link pieceSize} before. */
    readonly compressed: Uint8Array
    readonly progress?: Progress
  }) => Effect.Effect<void, ClaimLost>
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
  /** Lets the exports expire whose time is over, and removes every file that is no longer to be had; answers how many. */
  readonly expire: Effect.Effect<number>
  /**
   * The bytes from `at` on, to the end of the piece that holds them, and {@link bytesAtOnce} at most; undefined when the
   * part is not there.
   */
  readonly piece: (id: string, part: ExportPart, at: number) => Effect.Effect<Uint8Array | undefined>
}>()("countersign/services/exports/ExportStore") {
  static readonly layer = Layer.effect(
    ExportStore,
    Effect.gen(function*() {
      const sql = yield* Database
      const compression = yield* Compression
      const events = yield* Events
      const { exportRetentionDays, publicUrl } = yield* Settings
      const pieces = makeExportPieces(sql)
      const columns = exportColumns(sql)
      const lease = sql`now() + ${leaseSeconds} * interval '1 second'`

      // Most of these are one statement, and so one short transaction.
      const claim = (lane: ExportLane) =>
        sql`
          UPDATE report_exports SET status = 'running', attempt = attempt + 1, tries = tries + 1,
            leased_until = ${lease}, progress_rows = 0, updated_at = now()
          WHERE id = (
            SELECT id FROM report_exports
            WHERE ((status = 'queued' AND due_at <= now()) OR (status = 'running' AND leased_until < now()))
              ${lane === "small" ? sql`AND NOT is_large` : sql``}
            ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
          RETURNING ${columns}`.pipe(Effect.map(([row]) => row === undefined ? undefined : readExport(row)))

      const unfinished = sql<{ readonly status: string; readonly count: number }>`
        SELECT status, count(*)::int AS count FROM report_exports
        WHERE status IN ('queued', 'running') GROUP BY status`.pipe(
        Effect.map((rows) => new Map(rows.map(({ count, status }) => [status, count])))
      )

      const clear = ({ attempt, digest, id }: ExportRow) =>
        pieces.remove(
          id,
          digest === undefined ? ["snapshot", "artifact"] : ["artifact"],
          sql`UPDATE report_exports SET leased_until = ${lease}
            WHERE id = ${id} AND attempt = ${attempt} AND status = 'running' RETURNING id`
        )

      /** Changes the row of a claim that still holds; everything that a worker writes goes through here. */
      const held = ({ attempt, id }: ExportRow, changes: Statement.Fragment) =>
        sql`
          UPDATE report_exports SET ${changes} WHERE id = ${id} AND attempt = ${attempt} AND status = 'running'
          RETURNING ${columns}`.pipe(
          Effect.flatMap(([row]) =>
            row === undefined ? Effect.fail(new ClaimLost({ id })) : Effect.succeed(readExport(row))
          )
        )

      const extend = (claim: ExportRow) => Effect.asVoid(held(claim, sql`leased_until = ${lease}`))

      // One statement, and so one round trip. The commit does not wait for the disk: the commit that finishes the part
      // comes later in the same write-ahead log, and after a crash all pieces of the claim are written anew.
      const write: ExportStore["Service"]["write"] = ({ attempt, id }, { compressed, part, progress, startAt }) => {
        const mine = sql`id = ${id} AND attempt = ${attempt} AND status = 'running'`
        const held = progress === undefined ? sql`SELECT id FROM report_exports WHERE ${mine} FOR SHARE` : sql`
          UPDATE report_exports SET leased_until = ${lease}, progress_rows = ${progress.rows},
            progress_total = ${progress.total}, updated_at = now()
          WHERE ${mine} RETURNING id`
        return sql`
          WITH held AS (${held})
          INSERT INTO report_export_pieces (export_id, part, start_at, bytes, encoding)
          SELECT id, ${part}, ${startAt}, ${compressed}, 'br' FROM held
          WHERE set_config('synchronous_commit', 'off', true) = 'off' RETURNING 1`.pipe(
          Effect.flatMap(({ length }) => length === 0 ? Effect.fail(new ClaimLost({ id })) : Effect.void)
        )
      }

      const name = ({ attempt, id }: ExportRow, customerIds: ReadonlyArray<string>) =>
        customerIds.length === 0 ? Effect.void : sql`
          WITH held AS (
            SELECT id FROM report_exports WHERE id = ${id} AND attempt = ${attempt} AND status = 'running' FOR SHARE
          )
          INSERT INTO report_export_customers (customer_id, export_id)
          SELECT customer_id, id FROM held, unnest(${customerIds}::text[]) AS n (customer_id)
          ON CONFLICT DO NOTHING`.pipe(Effect.asVoid)

      // An erasure takes its number and looks for exports under a lock that conflicts with this one: either the erasure
      // sees this export, or this statement sees the erasure.
      const namesErased = (id: string, erasures: number) =>
        Effect.andThen(
          sql`LOCK TABLE customer_erasures IN SHARE MODE`.unprepared,
          sql`
            SELECT 1 FROM customer_erasures c JOIN report_export_customers n ON n.customer_id = c.customer_id
            WHERE c.number > ${erasures} AND n.export_id = ${id} LIMIT 1`
        ).pipe(Effect.map(({ length }) => length > 0))

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

      const fail = Effect.fnUntraced(function*(claim: ExportRow, failure: ExportFailure) {
        // The snapshot is given up first, so that a claim after a crash does not look for it.
        const bare = yield* held(
          claim,
          sql`as_of_sequence = NULL, checkpoint = NULL, digest = NULL, snapshot_size = NULL, seal = NULL,
            frozen_at = NULL, names_recorded = false, updated_at = now()`
        )
        yield* clear(bare)
        yield* inTransaction(
          sql,
          Effect.flatMap(
            held(
              claim,
              sql`status = 'failed', leased_until = NULL, failure = ${JSON.stringify(failure)}::jsonb,
                updated_at = now()`
            ),
            (row) => append(row, "report_export.failed")
          )
        )
      })

      const release = (claim: ExportRow, seconds: number, uncounted = false) =>
        held(
          claim,
          sql`status = 'queued', leased_until = NULL, due_at = now() + ${seconds} * interval '1 second',
            tries = tries - ${uncounted ? 1 : 0}, updated_at = now()`
        ).pipe(Effect.asVoid)

      const handOver = (claim: ExportRow) =>
        held(
          claim,
          sql`status = 'queued', leased_until = NULL, is_large = true, tries = tries - 1, updated_at = now()`
        ).pipe(Effect.asVoid)

      // A file is removed a few pieces at a time, once it can no longer be downloaded. What a node left behind when it
      // ended is found by its pieces, with a skip scan of their index.
      const discarded = sql<{ readonly id: string }>`
        WITH RECURSIVE holders AS (
          (SELECT export_id AS id FROM report_export_pieces ORDER BY export_id LIMIT 1)
          UNION ALL
          SELECT (SELECT p.export_id FROM report_export_pieces p WHERE p.export_id > h.id ORDER BY p.export_id LIMIT 1)
          FROM holders h WHERE h.id IS NOT NULL
        )
        SELECT e.id FROM holders h JOIN report_exports e ON e.id = h.id WHERE e.status IN ('expired', 'failed')`

      const expire = Effect.gen(function*() {
        const rows = yield* sql`
          UPDATE report_exports SET status = 'expired', expired_reason = 'retention', updated_at = now()
          WHERE id = ANY(ARRAY(
            SELECT id FROM report_exports WHERE status = 'ready' AND expires_at <= now()
            ORDER BY expires_at LIMIT 20 FOR UPDATE SKIP LOCKED))
          RETURNING id`
        const found = yield* discarded
        for (const { id } of found) yield* pieces.discard(id)
        return rows.length
      })

      const reading = yield* Semaphore.make(piecesAtOnce)
      const readPiece = (id: string, part: ExportPart, at: number) =>
        sql<{ readonly bytes: Uint8Array; readonly encoding: "br" | null; readonly start: number }>`
          SELECT bytes, encoding, start_at::int AS start FROM report_export_pieces
          WHERE export_id = ${id} AND part = ${part} AND start_at <= ${at} ORDER BY start_at DESC LIMIT 1`.pipe(
          Effect.map(([row]) => {
            if (row === undefined) return undefined
            const { bytes, encoding, start } = row
            return { start, bytes: encoding === null ? bytes : compression.decompress(bytes, pieceSize) }
          }),
          reading.withPermit
        )
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

      return ExportStore.of({
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
        unfinished,
        expire,
        piece
      })
    })
  )
}
