import { Hex } from "effect/encoding"
import type { SqlClient, Statement } from "effect/sql"
import { isKept, storedTile } from "../../domain/evidence/transparency/MerkleTiles.ts"
import type { Tile, TilePosition } from "../../domain/evidence/transparency/MerkleTiles.ts"
import type { LeafRow } from "../../domain/log/LicenseChain.ts"
import type { EpochStarted } from "../../domain/log/LogEpoch.ts"
import type { Database, Query } from "../ground/persistence/Database.ts"
import { integers } from "../ground/persistence/StatementParts.ts"

/** Where an epoch begins, and the last event of the one before that it keeps. */
export interface StartRow {
  readonly epoch: number
  readonly first_sequence: bigint
  readonly restored_sequence: bigint
}

/** An epoch after the first, as it is recorded. */
export interface EpochRow extends StartRow {
  readonly origin: string
  readonly previous_origin: string
  readonly restored_hash: string
  readonly reason: string
  readonly witness: NonNullable<EpochStarted["witness"]> | null
  readonly started_at: Date
}

/** The starts of the epochs after the first, in order. */
export const listEpochStarts = (sql: Database): Query<StartRow> =>
  sql<StartRow>`
    -- name: log_epochs.list starts
    SELECT epoch, first_sequence, restored_sequence FROM log_epochs ORDER BY epoch`

/** The epochs after the first, in order. */
export const listEpochs = (sql: Database): Query<EpochRow> =>
  sql<EpochRow>`
    -- name: log_epochs.list
    SELECT * FROM log_epochs ORDER BY epoch`

/** Stores the name of the log, unless it has one; answers the one that it has then. */
export const insertLogName = (sql: Database, name: Uint8Array): Query<{ readonly value: Uint8Array }> =>
  sql<{ readonly value: Uint8Array }>`
    -- name: service_state.insert log origin
    INSERT INTO service_state (key, value) VALUES ('log_origin', ${name})
    -- guard: the log keeps its first name
    ON CONFLICT (key) DO UPDATE SET value = service_state.value
    RETURNING value`

interface TileRow {
  readonly level: number
  readonly index: bigint
  readonly hashes: Uint8Array
}

/**
 * Common table expressions that write the tiles which are new or have grown, if `condition` holds. Their parameters,
 * {@link tileParameters}, are numbered from `first`. They do not use INSERT ... ON CONFLICT DO UPDATE, which would lock
 * the row first and write that lock to the WAL.
 */
export const writtenTiles = (first: number, condition = "true"): string => `
  tiles AS (
    SELECT l AS level, i AS index, decode(h, 'hex') AS hashes
    FROM unnest($${first}::smallint[], $${first + 1}::bigint[], $${first + 2}::text[]) AS g (l, i, h)
    WHERE ${condition}
  ), tiles_grown AS (
    UPDATE event_tiles t SET hashes = g.hashes FROM tiles g WHERE t.level = g.level AND t.index = g.index
    RETURNING t.level, t.index
  ), tiles_added AS (
    INSERT INTO event_tiles (level, index, hashes)
    SELECT level, index, hashes FROM tiles WHERE (level, index) NOT IN (SELECT level, index FROM tiles_grown)
  )`

/** The parameters of {@link writtenTiles}. */
export const tileParameters = (changed: ReadonlyArray<Tile>): readonly [
  levels: ReadonlyArray<bigint>,
  indexes: ReadonlyArray<bigint>,
  hashes: ReadonlyArray<string>
] => {
  const tiles = changed.filter(isKept)
  return [
    integers(tiles.map(({ level }) => level)),
    integers(tiles.map(({ index }) => index)),
    tiles.map(({ hashes }) => Hex.encode(storedTile(hashes)))
  ]
}

const fillQuery = `
  -- name: event_tiles.update grown
  WITH ${writtenTiles(1)} SELECT`

/** Writes the tiles that are new or have grown. */
export const insertTiles = (sql: SqlClient.SqlClient, changed: ReadonlyArray<Tile>): Statement.Statement<object> =>
  sql.unsafe(fillQuery, tileParameters(changed))

/** The columns of an event that its leaf is made of. */
export const leafColumns =
  "sequence, id, event_type, actor_type, actor_id, resource_type, resource_id, metadata, data, " +
  "commitments, request_id, created_at, license_id, license_previous, license_previous_hash"

/** The events after one and up to another, as their leaves say them. */
export const listLeaves = (sql: SqlClient.SqlClient, after: number, last: number): Statement.Statement<LeafRow> =>
  sql<LeafRow>`
    -- name: events.list leaves
    SELECT ${sql.literal(leafColumns)} FROM events WHERE sequence > ${after} AND sequence <= ${last} ORDER BY sequence`

/** The tiles at these positions that are stored. */
export const listTiles = (
  sql: SqlClient.SqlClient,
  positions: ReadonlyArray<TilePosition>
): Statement.Statement<TileRow> =>
  sql<TileRow>`
    -- name: event_tiles.list at positions
    SELECT t.level, t.index, t.hashes
    FROM unnest(
      ${integers(positions.map(({ level }) => level))}::smallint[],
      ${integers(positions.map(({ index }) => index))}::bigint[]
    ) AS p (level, index)
    JOIN event_tiles t ON t.level = p.level AND t.index = p.index`

/** The end of the feed and that of its tree, held against whoever else makes either longer. */
export const lockChain = (
  sql: SqlClient.SqlClient
): Statement.Statement<{ readonly last_sequence: bigint; readonly tree_size: bigint }> =>
  sql<{ readonly last_sequence: bigint; readonly tree_size: bigint }>`
    -- name: event_chain.lock for tree
    SELECT last_sequence, tree_size FROM event_chain FOR UPDATE`

/** Notes how many leaves the tree has. */
export const updateTreeSize = (sql: SqlClient.SqlClient, size: number): Statement.Statement<object> =>
  sql`
    -- name: event_chain.update tree size
    UPDATE event_chain SET tree_size = ${size}`
