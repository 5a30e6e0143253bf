import type { LeafRow } from "../../../domain/log/LicenseChain.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"

/** An event as an archive keeps it, with its place in the chain. */
export interface ArchivedEventRow extends LeafRow {
  readonly previous_hash: Uint8Array
  readonly hash: Uint8Array
}

/** A key that checkpoints are verified with. */
export interface KeyRow {
  readonly id: string
  readonly public_key: Uint8Array
  readonly revoked_at: Date | null
}

/** Finds the newest checkpoint over at most `size` events. */
export const findCheckpointWithin = (
  sql: Database,
  size: number
): Query<{ readonly tree_size: bigint; readonly note: string }> =>
  sql<{ readonly tree_size: bigint; readonly note: string }>`
    -- name: event_checkpoints.find within archive
    SELECT tree_size, note FROM event_checkpoints WHERE tree_size <= ${size} ORDER BY tree_size DESC LIMIT 1`

/** Lists the events `first` to `last`, in their order. */
export const listArchivedEvents = (sql: Database, first: number, last: number): Query<ArchivedEventRow> =>
  sql<ArchivedEventRow>`
    -- name: events.list for archive
    SELECT sequence, id, event_type, actor_type, actor_id, resource_type, resource_id, metadata, data,
      commitments, request_id, created_at, previous_hash, hash, license_id, license_previous, license_previous_hash
    FROM events WHERE sequence >= ${first} AND sequence <= ${last} ORDER BY sequence`

/** Lists every signing key there was, the newest first. */
export const listVerifierKeys = (sql: Database): Query<KeyRow> =>
  sql<KeyRow>`
    -- name: signing_keys.list for archive
    SELECT id, public_key, revoked_at FROM signing_keys ORDER BY id DESC`

/** Finds whether an event is older than so many days. */
export const findIsOlder = (sql: Database, sequence: number, days: number): Query<{ readonly old: boolean }> =>
  sql<{ readonly old: boolean }>`
    -- name: events.find whether old
    SELECT created_at < now() - ${days} * interval '24 hours' AS old FROM events WHERE sequence = ${sequence}`

/** Lists the rows that need what comes after a place of the log, the first of each kind. */
export const listHolds = (sql: Database): Query<{ readonly sequence: bigint | null; readonly by: string }> =>
  sql<{ readonly sequence: bigint | null; readonly by: string }>`
    -- name: webhook_lanes.list holding the log
    SELECT * FROM (
      SELECT l.cursor_seq AS sequence, 'the webhook ' || l.endpoint_id || ', which has not read on: enable it, or delete it' AS by
      FROM webhook_lanes l JOIN webhook_endpoints e ON e.id = l.endpoint_id AND e.deleted_at IS NULL
      ORDER BY l.cursor_seq LIMIT 1
    ) w
    UNION ALL SELECT * FROM (
      SELECT r.seq - 1, 'the webhook ' || r.endpoint_id || ', which is to be sent an event again' FROM webhook_retries r
      JOIN webhook_endpoints e ON e.id = r.endpoint_id AND e.deleted_at IS NULL
      ORDER BY r.seq LIMIT 1
    ) r
    UNION ALL SELECT * FROM (
      SELECT (checkpoint ->> 'tree_size')::bigint AS size, 'the report export ' || id || ', which names a checkpoint'
      FROM report_exports WHERE status IN ('running', 'ready') AND checkpoint IS NOT NULL ORDER BY size LIMIT 1
    ) x
    UNION ALL SELECT max(tree_size), 'the newest signed checkpoint' FROM event_checkpoints
    UNION ALL SELECT tree_size, 'the tree, which is still being filled' FROM event_chain`

/** The border of what a drop up to a place would drop: the latest time of an event of it, and the hash of the last. */
export interface DropBorder {
  readonly until: Date
  readonly hash: Uint8Array
}

/** Finds the {@link DropBorder} of a place. */
export const findDropBorder = (sql: Database, upto: number): Query<DropBorder> =>
  sql<DropBorder>`
    -- name: event_archive.find border
    SELECT
      -- guard: the border of the dropped time never moves back
      greatest(d.dropped_until, (
        SELECT max(created_at) FROM events WHERE sequence > d.dropped_sequence AND sequence <= ${upto}
      )) AS until,
      (SELECT hash FROM event_places WHERE sequence = ${upto}) AS hash
    FROM event_archive d`

/** Moves the border of what was dropped; answers nothing when it is there or further already. */
export const updateDropped = (
  sql: Database,
  upto: number,
  { hash, until }: DropBorder
): Query<{ readonly dropped: bigint }> =>
  sql<{ readonly dropped: bigint }>`
    -- name: event_archive.update dropped
    UPDATE event_archive SET dropped_sequence = ${upto}, dropped_hash = ${hash}, dropped_until = ${until}
    -- guard: the log is dropped once up to a place
    WHERE dropped_sequence < ${upto} RETURNING dropped_sequence AS dropped`

/**
 * Deletes a slice of the events up to a place: a record goes with its place, or both stay. Of each license its last event stays
 * known, which its next one names.
 */
export const deletePlaces = (sql: Database, upto: number, limit: number): Query<object> =>
  sql`
    -- name: event_places.delete dropped
    WITH gone AS (
      DELETE FROM event_places WHERE sequence = ANY(ARRAY(
        -- guard: an event after the border is not deleted
        SELECT sequence FROM event_places WHERE sequence <= ${upto} ORDER BY sequence LIMIT ${limit}
      )) RETURNING ordinal, sequence, hash, license_previous, coalesce(license_id, resource_id) AS license_id
    ), ends AS (
      INSERT INTO dropped_license_ends AS d (license_id, sequence, hash)
      SELECT DISTINCT ON (license_id) license_id, sequence, hash FROM gone
      WHERE license_previous IS NOT NULL OR starts_with(license_id, 'lic_')
      ORDER BY license_id, sequence DESC
      ON CONFLICT (license_id) DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash
      -- guard: an older slice takes nothing back
      WHERE d.sequence < excluded.sequence
    ), records AS (
      DELETE FROM event_records WHERE ordinal = ANY(ARRAY(SELECT ordinal FROM gone))
    )
    SELECT ordinal FROM gone`

/** Deletes a slice of the checkpoints before a place, with the signatures of witnesses on them. */
export const deleteCheckpoints = (sql: Database, before: number, limit: number): Query<object> =>
  sql`
    -- name: event_checkpoints.delete dropped
    WITH gone AS (
      DELETE FROM event_checkpoints WHERE tree_size = ANY(ARRAY(
        -- guard: the checkpoint at the border stays
        SELECT tree_size FROM event_checkpoints WHERE tree_size < ${before} ORDER BY tree_size LIMIT ${limit}
      )) RETURNING tree_size
    ), signatures AS (
      DELETE FROM checkpoint_cosignatures WHERE tree_size = ANY(ARRAY(SELECT tree_size FROM gone))
    )
    SELECT tree_size FROM gone`

/** Deletes a slice of the tiles of a level before an index. */
export const deleteTiles = (sql: Database, level: number, before: number, limit: number): Query<object> =>
  sql`
    -- name: event_tiles.delete dropped
    DELETE FROM event_tiles WHERE level = ${level} AND index = ANY(ARRAY(
      SELECT index FROM event_tiles WHERE level = ${level} AND index < ${before} ORDER BY index LIMIT ${limit}
    )) RETURNING index`
