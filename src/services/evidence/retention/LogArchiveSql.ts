import type { LeafRow } from "../../../domain/log/LeafRow.ts"
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
