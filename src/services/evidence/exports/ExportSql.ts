import { Schema } from "effect"
import type { Statement } from "effect/sql"
import { claimSeconds } from "../../../domain/evidence/exports/ExportChange.ts"
import type { ExportChange, FromNow } from "../../../domain/evidence/exports/ExportChange.ts"
import { ExportSignature } from "../../../domain/evidence/exports/ExportManifest.ts"
import { ReportExportStatus } from "../../../domain/evidence/exports/ReportExport.ts"
import type { ReportFormat } from "../../../domain/evidence/exports/ReportExport.ts"
import type { ReportFilters, ReportKind } from "../../../domain/evidence/reports/Report.ts"
import type { Database, Fragments, Member, Query } from "../../ground/persistence/Database.ts"
import type { SortedClauses } from "../../ground/persistence/KeysetPagination.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { assignments } from "../../ground/persistence/StatementParts.ts"
import { exportColumns } from "./ExportRecord.ts"

/** An export to create. */
export interface NewExport {
  readonly id: string
  readonly report_kind: ReportKind
  readonly format: ReportFormat
  readonly filters: ReportFilters
  readonly time_zone: string | undefined
  readonly created_by: string
  /** The products that its creator is limited to. */
  readonly product_ids: ReadonlyArray<string> | undefined
}

/** Creates an export; returns it. */
export const insertExport = (sql: Database, created: NewExport): Query<object> =>
  sql`
    -- name: report_exports.insert
    INSERT INTO report_exports (id, report_kind, format, filters, time_zone, created_by, product_ids)
    VALUES (${created.id}, ${created.report_kind}, ${created.format}, ${JSON.stringify(created.filters)}::jsonb,
      ${created.time_zone ?? null}, ${created.created_by}, ${created.product_ids ?? null}::text[])
    RETURNING ${exportColumns(sql)}`

/** Which exports to list. */
export interface ExportQuery {
  readonly report_kind?: ReportKind
  readonly format?: ReportFormat
  readonly status?: ReportExportStatus
}

/** The exports of a query, as conditions. */
export const exportConditions = (sql: Fragments, query: ExportQuery): ReadonlyArray<Statement.Fragment> =>
  Object.entries<string>({ ...query }).map(([column, value]) => sql`${sql(column)} = ${value}`)

/** A page of exports. */
export const listExports = (sql: Database, { orderBy, place, where }: SortedClauses, limit: number): Query<object> =>
  sql`
    -- name: report_exports.list
    SELECT ${exportColumns(sql)} ${place} FROM report_exports ${where} ${orderBy} LIMIT ${limit}`

/** An export. */
export const findExport = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: report_exports.find
    SELECT ${exportColumns(sql)} FROM report_exports WHERE id = ${id}`

/** Queues an export again, from the start, if it has failed; returns it. */
export const updateQueuedAgain = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: report_exports.update queued again
    UPDATE report_exports SET status = 'queued', failure = NULL, tries = 0, due_at = now(), progress_rows = 0,
      progress_total = NULL, updated_at = now()
    WHERE id = ${id} AND status = 'failed' RETURNING ${exportColumns(sql)}`

/** Reads the manifest of an export, and how the export stands. */
export const readManifest = rowReader(Schema.Struct({
  status: ReportExportStatus,
  manifest: Schema.optionalKey(Schema.String),
  manifest_signature: Schema.optionalKey(ExportSignature)
}))

/** The manifest of an export. */
export const findManifest = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: report_exports.find manifest
    SELECT status, manifest, manifest_signature FROM report_exports WHERE id = ${id}`

/** The downloader and the export. */
export interface ExportDownload {
  readonly exportId: string
  readonly actorId: string
}

const hour = "date_trunc('hour', now(), 'UTC')"

/** The download of an export by an actor in this hour. */
export const findDownload = (sql: Database, { actorId, exportId }: ExportDownload): Query<object> =>
  sql`
    -- name: report_export_downloads.find
    SELECT 1 FROM report_export_downloads
    WHERE export_id = ${exportId} AND actor_id = ${actorId} AND hour = ${sql.literal(hour)}`

/** Records a download in this hour; answers nothing when the hour has one already. */
export const insertDownload = (
  sql: Database,
  { actorId, exportId }: ExportDownload
): Query<{ readonly actor_id: string }> =>
  sql<{ readonly actor_id: string }>`
    -- name: report_export_downloads.insert
    INSERT INTO report_export_downloads (export_id, actor_id, hour)
    VALUES (${exportId}, ${actorId}, ${sql.literal(hour)})
    -- guard: a download is recorded once an hour
    ON CONFLICT DO NOTHING RETURNING actor_id`

/** Removes what is known of the actor's downloads in earlier hours. */
export const deleteEarlierDownloads = (sql: Database, { actorId, exportId }: ExportDownload): Query<object> =>
  sql`
    -- name: report_export_downloads.delete earlier
    DELETE FROM report_export_downloads
    WHERE export_id = ${exportId} AND actor_id = ${actorId} AND hour < ${sql.literal(hour)}`

/** The two texts of an export: what was frozen, and the file that was rendered from it. */
export type ExportPart = "snapshot" | "artifact"

/**
 * Which worker claims: the one for `small` exports skips those that are known to take long, so that short ones pass
 * them.
 */
export type ExportLane = "small" | "any"

/** The claim of a worker: an export, and the number of the claim (fencing token). */
export interface Claim {
  readonly id: string
  readonly attempt: number
}

/** A row that only says that it is there. */
export interface Identified {
  readonly id: string
}

/**
 * Pieces that one statement removes: 2 MB of file. One may have ten thousand, and the sequencer waits for running
 * transactions.
 */
export const removedAtOnce = 32

/** Exports that one statement lets expire. */
const expiredAtOnce = 20

const valueOf = (sql: Database, value: unknown): Statement.Fragment => {
  if (typeof value === "object" && value !== null) {
    return "secondsFromNow" in value
      ? sql`now() + ${(value as FromNow).secondsFromNow} * interval '1 second'`
      : sql`${JSON.stringify(value)}::jsonb`
  }
  return value === null ? sql`NULL` : sql`${value as Member}`
}

/** The values that a change sets, by column. */
const valuesOf = (
  sql: Database,
  { columns, uncounted }: ExportChange
): Readonly<Record<string, Statement.Fragment>> => ({
  ...Object.fromEntries(Object.entries(columns).map(([column, value]) => [column, valueOf(sql, value)])),
  ...(typeof columns.frozen_at === "string" ? { frozen_at: sql`${columns.frozen_at}::text::timestamptz` } : {}),
  ...(uncounted === true ? { tries: sql`tries - 1` } : {})
})

/** The export of a claim, as long as no other worker has claimed it since and its work has not ended. */
const holds = (sql: Database, { attempt, id }: Claim) =>
  sql`id = ${id} AND status = 'running'
    -- guard: stale claim
    AND attempt = ${attempt}
  `

/** When the next export may be claimed. */
export const exportsDue = (sql: Database): Statement.Fragment =>
  sql`SELECT least(
    (SELECT min(due_at) FROM report_exports WHERE status = 'queued'),
    (SELECT min(leased_until) FROM report_exports WHERE status = 'running'))`

/**
 * Claims the export that has waited longest, or one whose claim has lapsed. Two workers that look at the same time find
 * different ones.
 */
export const claimExport = (sql: Database, lane: ExportLane): Query<object> =>
  sql`
    -- name: report_exports.claim
    UPDATE report_exports SET status = 'running', attempt = attempt + 1, tries = tries + 1,
      leased_until = now() + ${claimSeconds} * interval '1 second', progress_rows = 0, updated_at = now()
    WHERE id = (
      SELECT id FROM report_exports
      WHERE (
        -- guard: an export waits until it is due
        (status = 'queued' AND due_at <= now())
        -- guard: a claim that lasts is taken from nobody
        OR (status = 'running' AND leased_until < now()))
        ${lane === "small" ? sql`AND NOT is_large` : sql``}
      -- guard: an export is claimed by one worker
      ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING ${exportColumns(sql)}`

/** Changes the export of a claim that still holds; everything that a worker writes goes through here. */
export const updateClaimed = (sql: Database, claim: Claim, change: ExportChange): Query<object> =>
  sql`
    -- name: report_exports.update claimed
    UPDATE report_exports SET ${assignments(sql, valuesOf(sql, change))} WHERE ${holds(sql, claim)}
    RETURNING ${exportColumns(sql)}`

/** Locks the export of a claim that still holds against being claimed by another worker. */
export const lockClaimed = (sql: Database, claim: Claim): Query<Identified> =>
  sql<Identified>`
    -- name: report_exports.lock claimed
    SELECT id FROM report_exports WHERE ${holds(sql, claim)} FOR SHARE`

/** A piece to store. */
export interface NewPiece {
  readonly part: ExportPart
  /** In bytes from the beginning of the part. */
  readonly startAt: number
  readonly compressed: Uint8Array
}

/**
 * Stores a piece of the export that `held` locks, in one round trip; answers nothing when it locks none. The commit does
 * not wait for the disk: the commit that finishes the part comes later in the same write-ahead log, and after a crash
 * all pieces of the claim are written anew.
 */
export const insertPiece = (
  sql: Database,
  { compressed, part, startAt }: NewPiece,
  held: Statement.Fragment
): Query<Identified> =>
  sql<Identified>`
    -- name: report_export_pieces.insert
    WITH held AS (${held})
    INSERT INTO report_export_pieces (export_id, part, start_at, bytes, encoding)
    SELECT id, ${part}, ${startAt}, ${compressed}, 'br' FROM held
    WHERE set_config('synchronous_commit', 'off', true) = 'off' RETURNING export_id AS id`

/** Records that the snapshot of the export that `held` locks names these customers. */
export const insertNamedCustomers = (
  sql: Database,
  customerIds: ReadonlyArray<string>,
  held: Statement.Fragment
): Query<Identified> =>
  sql<Identified>`
    -- name: report_export_customers.insert
    WITH held AS (${held})
    INSERT INTO report_export_customers (customer_id, export_id)
    SELECT customer_id, id FROM held, unnest(${customerIds}::text[]) AS n (customer_id)
    ON CONFLICT DO NOTHING RETURNING customer_id AS id`

/**
 * Locks the numbers of erasures. An erasure takes its number and looks for exports under a lock that conflicts with this
 * one: either it sees the export that freezes, or {@link findErasedSince} sees the erasure.
 */
export const lockErasures = (sql: Database): Query<object> => sql`LOCK TABLE customer_erasures IN SHARE MODE`

/** Somebody whom the export names and who was erased after the erasure of this number. */
export const findErasedSince = (sql: Database, exportId: string, erasures: number): Query<Identified> =>
  sql<Identified>`
    -- name: customer_erasures.find since snapshot
    SELECT c.customer_id AS id FROM customer_erasures c
    JOIN report_export_customers n ON n.customer_id = c.customer_id
    -- guard: a snapshot that names somebody erased since is not frozen
    WHERE c.number > ${erasures} AND n.export_id = ${exportId} LIMIT 1`

/** The newest signed checkpoint that covers nothing after a sequence. */
export const findCheckpointUpTo = (sql: Database, sequence: number): Query<object> =>
  sql`
    -- name: event_checkpoints.find before snapshot
    SELECT tree_size, root_hash FROM event_checkpoints WHERE tree_size <= ${sequence} ORDER BY tree_size DESC LIMIT 1`

/** The number of the newest erasure of a customer; 0 before the first. */
export const findNewestErasure = (sql: Database): Query<{ readonly number: number }> =>
  sql<{ readonly number: number }>`
    -- name: customer_erasures.find newest
    SELECT coalesce(max(number), 0)::float8 AS number FROM customer_erasures`

/** The key that seals are signed with. */
export const findSealingKey = (sql: Database): Query<{ readonly kid: string }> =>
  sql<{ readonly kid: string }>`
    -- name: signing_keys.find for seal
    SELECT id AS kid FROM signing_keys WHERE status = 'active'`

/** How many exports are not done, by their status. */
export const countUnfinished = (sql: Database): Query<{ readonly status: string; readonly count: number }> =>
  sql<{ readonly status: string; readonly count: number }>`
    -- name: report_exports.count unfinished
    SELECT status, count(*)::int AS count FROM report_exports WHERE status IN ('queued', 'running') GROUP BY status`

/** The piece of a part that holds a byte. */
export const findPiece = (
  sql: Database,
  id: string,
  part: ExportPart,
  at: number
): Query<{ readonly bytes: Uint8Array; readonly encoding: "br" | null; readonly start: number }> =>
  sql<{ readonly bytes: Uint8Array; readonly encoding: "br" | null; readonly start: number }>`
    -- name: report_export_pieces.find
    SELECT bytes, encoding, start_at::int AS start FROM report_export_pieces
    WHERE export_id = ${id} AND part = ${part} AND start_at <= ${at} ORDER BY start_at DESC LIMIT 1`

/** Lets exports expire whose time is over. */
export const updateExpired = (sql: Database): Query<Identified> =>
  sql<Identified>`
    -- name: report_exports.update expired
    UPDATE report_exports SET status = 'expired', expired_reason = 'retention', updated_at = now()
    WHERE id = ANY(ARRAY(
      SELECT id FROM report_exports WHERE status = 'ready' AND expires_at <= now()
      ORDER BY expires_at LIMIT ${expiredAtOnce} FOR UPDATE SKIP LOCKED))
    RETURNING id`

/**
 * Exports that can no longer be downloaded and still have pieces, also those that a node left behind when it ended: they
 * are found by their pieces, with a skip scan of their index.
 */
export const listDiscarded = (sql: Database): Query<Identified> =>
  sql<Identified>`
    -- name: report_export_pieces.list discarded
    WITH RECURSIVE holders AS (
      (SELECT export_id AS id FROM report_export_pieces ORDER BY export_id LIMIT 1)
      UNION ALL
      SELECT (SELECT p.export_id FROM report_export_pieces p WHERE p.export_id > h.id ORDER BY p.export_id LIMIT 1)
      FROM holders h WHERE h.id IS NOT NULL
    )
    SELECT e.id FROM holders h JOIN report_exports e ON e.id = h.id WHERE e.status IN ('expired', 'failed')`

/** Locks an export that can no longer be downloaded. */
export const lockDiscarded = (sql: Database, id: string): Query<Identified> =>
  sql<Identified>`
    -- name: report_exports.lock discarded
    SELECT id FROM report_exports WHERE id = ${id}
      -- guard: a file that can be downloaded is not removed
      AND status IN ('expired', 'failed')
    FOR NO KEY UPDATE`

/**
 * Removes some pieces of the export that `held` locks, and with a snapshot the list of customers that it names; answers
 * whether it locks one, and how many pieces are gone.
 */
export const deletePieces = (
  sql: Database,
  parts: ReadonlyArray<ExportPart>,
  held: Statement.Fragment
): Query<{ readonly held: number; readonly gone: number }> =>
  sql<{ readonly held: number; readonly gone: number }>`
    -- name: report_export_pieces.delete parts
    WITH held AS (${held}), gone AS (
      DELETE FROM report_export_pieces WHERE (export_id, part, start_at) IN (
        SELECT p.export_id, p.part, p.start_at FROM held JOIN report_export_pieces p ON p.export_id = held.id
        WHERE p.part = ANY(${parts}::text[]) ORDER BY p.part, p.start_at LIMIT ${removedAtOnce})
      RETURNING 1), named AS (
      DELETE FROM report_export_customers WHERE export_id IN (SELECT id FROM held)
        AND ${parts.includes("snapshot")})
    SELECT (SELECT count(*)::int FROM held) AS held, (SELECT count(*)::int FROM gone) AS gone`
