import type { Statement } from "effect/sql"
import { introducing, revoking } from "../../../domain/evidence/transparency/LogKeys.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"

/** A signed checkpoint. */
export interface CheckpointRow {
  readonly tree_size: bigint
  readonly root_hash: Uint8Array
  readonly kid: string
  readonly note: string
  readonly created_at: Date
}

/** A public key of the log, 32 bytes. */
export interface LogKey {
  readonly public_key: Uint8Array
}

/** The tree that may be due for a checkpoint, and the key that signs. */
export interface UnsignedTree {
  readonly tree_size: bigint
  /** The size of the newest signed tree. */
  readonly signed: bigint
  /** The epoch of the last event in the tree. */
  readonly epoch: number
  readonly kid: string
  readonly public_key: Uint8Array
  /** Unix seconds of the database's clock. */
  readonly time: number
}

/** The columns of a checkpoint that was signed. */
export interface SignedTree {
  readonly size: number
  readonly root: Uint8Array
  readonly kid: string
  readonly note: string
  /** Unix seconds of the database's clock. */
  readonly time: number
}

/** Witnesses are asked for a checkpoint for as long as it is new: the one after it may take over before all have signed. */
export const checkpointsDue = (sql: Database): Statement.Fragment =>
  sql`SELECT now() FROM (SELECT created_at FROM event_checkpoints ORDER BY tree_size DESC LIMIT 1) c
    WHERE created_at > now() - interval '1 minute'`

/** Finds the newest checkpoint. */
export const findLatestCheckpoint = (sql: Database): Query<CheckpointRow> =>
  sql<CheckpointRow>`
    -- name: event_checkpoints.find latest
    SELECT tree_size, root_hash, kid, note, created_at FROM event_checkpoints ORDER BY tree_size DESC LIMIT 1`

/** Finds the first checkpoint over at least so many events. */
export const findCoveringCheckpoint = (sql: Database, size: number): Query<CheckpointRow> =>
  sql<CheckpointRow>`
    -- name: event_checkpoints.find covering
    SELECT tree_size, root_hash, kid, note, created_at FROM event_checkpoints
    WHERE tree_size >= ${size} ORDER BY tree_size LIMIT 1`

/** Finds the checkpoint over just so many events. */
export const findCheckpointOf = (sql: Database, size: number): Query<CheckpointRow> =>
  sql<CheckpointRow>`
    -- name: event_checkpoints.find of size
    SELECT tree_size, root_hash, kid, note, created_at FROM event_checkpoints WHERE tree_size = ${size}`

/** Lists the public keys that have signed checkpoints, or will. A revoked key proves nothing: anybody may have it. */
export const listLogKeys = (sql: Database): Query<LogKey> =>
  sql<LogKey>`
    -- name: signing_keys.list for notes
    SELECT public_key FROM signing_keys WHERE status <> 'revoked'`

/** Finds the public key that signed a checkpoint. */
export const findLogKey = (sql: Database, kid: string): Query<LogKey> =>
  sql<LogKey>`
    -- name: signing_keys.find for note
    SELECT public_key FROM signing_keys WHERE id = ${kid}`

/** A key that signed before the active one. */
export interface FormerKey extends LogKey {
  readonly kid: string
}

/** Keys that were active before sign at most so many lines of a checkpoint: readers of notes read 64. */
const mostFormerKeys = 16

/**
 * Lists the retired keys that sign a checkpoint as well, where their private halves are here: the one that was retired last, and each that
 * introduced a key in an event after the newest signed tree. So the first checkpoint that covers an introduction is signed by the key that
 * introduced, however many rotations it covers.
 */
export const listFormerKeys = (sql: Database, signed: bigint | number): Query<FormerKey> =>
  sql<FormerKey>`
    -- name: signing_keys.list former
    WITH held AS (SELECT * FROM signing_keys WHERE status = 'retired' AND get_byte(private_key, 0) <> 0)
    SELECT id AS kid, public_key FROM held
    WHERE id = (SELECT id FROM held ORDER BY retired_at DESC, id DESC LIMIT 1)
      OR id = ANY(ARRAY(
        SELECT e.data::jsonb -> 'introduced_by' ->> 'kid' FROM events e
        WHERE type_key = hashtextextended(${introducing}, 0) AND event_type = ${introducing} AND sequence > ${signed}
      ))
    ORDER BY retired_at DESC, id DESC LIMIT ${mostFormerKeys}`

/** Lists the places of the newest events about the keys of the log after one, at most so many, in their order. */
export const listKeyEvents = (
  sql: Database,
  after: number,
  most: number
): Query<{ readonly sequence: bigint }> =>
  sql<{ readonly sequence: bigint }>`
    -- name: event_places.list key events
    WITH said AS MATERIALIZED (
      SELECT sequence FROM event_places
      WHERE hashtextextended(event_type, 0) = ANY(ARRAY[hashtextextended(${introducing}, 0), hashtextextended(${revoking}, 0)])
        AND event_type IN (${introducing}, ${revoking}) AND sequence > ${after}
    ), newest AS (SELECT sequence FROM said ORDER BY sequence DESC LIMIT ${most})
    SELECT sequence FROM newest ORDER BY sequence`

/** Finds the age of the newest checkpoint, in seconds. */
export const findCheckpointAge = (sql: Database): Query<{ readonly age: number }> =>
  sql<{ readonly age: number }>`
    -- name: event_checkpoints.find age
    SELECT extract(epoch FROM now() - created_at)::float8 AS age
    FROM event_checkpoints ORDER BY tree_size DESC LIMIT 1`

/** Finds the {@link UnsignedTree}. */
export const findUnsignedTree = (sql: Database): Query<UnsignedTree> =>
  sql<UnsignedTree>`
    -- name: event_chain.find unsigned tree
    SELECT c.tree_size, coalesce((SELECT max(tree_size) FROM event_checkpoints), 0) AS signed,
      coalesce((SELECT max(epoch) FROM log_epochs WHERE first_sequence <= c.tree_size), 1) AS epoch,
      k.id AS kid, k.public_key, floor(extract(epoch FROM now()))::float8 AS time
    FROM event_chain c, signing_keys k WHERE k.status = 'active'`

/** Inserts a checkpoint, unless another node has signed the same tree. A node of an earlier release names no version of the leaves. */
export const insertCheckpoint = (sql: Database, { kid, note, root, size, time }: SignedTree): Query<object> =>
  sql`
    -- name: event_checkpoints.insert
    INSERT INTO event_checkpoints (tree_size, root_hash, kid, note, created_at, leaf_version)
    VALUES (${size}, ${root}, ${kid}, ${note}, to_timestamp(${time}::float8), 2)
    -- guard: the first signature of a tree stays
    ON CONFLICT (tree_size) DO NOTHING`

/** Finds how many events are in the tree. */
export const findTreeSize = (sql: Database): Query<{ readonly tree_size: bigint }> =>
  sql<{ readonly tree_size: bigint }>`
    -- name: event_chain.find tree size
    SELECT tree_size FROM event_chain`
