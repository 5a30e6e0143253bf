import { Effect } from "effect"
import { Hex } from "effect/encoding"
import { SqlClient } from "effect/sql"
import type { EventColumns } from "../../domain/events/EventLeaf.ts"
import { leafHash, leafText } from "../../domain/events/EventLeaf.ts"
import {
  edgeOf,
  edgePositions,
  grow,
  hashesOfRanges,
  isKept,
  joined,
  leavesOf,
  positionsOf,
  readTile,
  storedTile
} from "../../domain/transparency/MerkleTiles.ts"
import type { Edge, Tile, TilePosition } from "../../domain/transparency/MerkleTiles.ts"
import type { Range } from "../../domain/transparency/MerkleTree.ts"
import { integers } from "../persistence/NumberArrays.ts"
import { Cryptography } from "../platform/Cryptography.ts"

/** The maximum of events added in one step to a tree that lags behind its feed. */
const fillLimit = 1000

interface TileRow {
  readonly level: number
  readonly index: bigint
  readonly hashes: Uint8Array
}

type LeafRow = Omit<EventColumns, "sequence" | "created_at"> & {
  readonly sequence: bigint
  readonly created_at: Date
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

const fillQuery = `WITH ${writtenTiles(1)} SELECT`

/** The stored Merkle tree over the feed. The sequencer, the checkpoints and the proofs use it. */
export const makeMerkleLog = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { sha256 } = yield* Cryptography

  /** The hashes of the leaves after `size`, up to `last`; they end at the first gap. */
  const readLeaves = (size: number, last: number) =>
    Effect.map(
      sql<LeafRow>`
        SELECT sequence, id, event_type, actor_type, actor_id, resource_type, resource_id, metadata, data, commitments,
          request_id, created_at
        FROM events WHERE sequence > ${size} AND sequence <= ${last} ORDER BY sequence`,
      (rows) => {
        const gap = rows.findIndex(({ sequence }, index) => Number(sequence) !== size + 1 + index)
        return (gap === -1 ? rows : rows.slice(0, gap)).map((row) =>
          leafHash(leafText({ ...row, created_at: row.created_at.toISOString() }), sha256)
        )
      }
    )

  /** The tiles at these positions that exist. The tile of the last leaves is computed from them. */
  const read = Effect.fnUntraced(function*(positions: ReadonlyArray<TilePosition>) {
    if (positions.length === 0) return []
    const rows = yield* sql<TileRow>`
      SELECT t.level, t.index, t.hashes
      FROM unnest(
        ${integers(positions.map(({ level }) => level))}::smallint[],
        ${integers(positions.map(({ index }) => index))}::bigint[]
      ) AS p (level, index)
      JOIN event_tiles t ON t.level = p.level AND t.index = p.index`
    const tiles: Array<Tile> = rows.map(({ hashes, index, level }) => ({
      level,
      index: Number(index),
      hashes: readTile(hashes)
    }))
    for (const position of positions) {
      if (position.level > 0 || tiles.some(({ index, level }) => level === 0 && index === position.index)) continue
      const { after, last } = leavesOf(position)
      tiles.push({ ...position, hashes: joined(yield* readLeaves(after, last)) })
    }
    return tiles
  }, Effect.orDie)

  /** The edge of the tree of `size` leaves. Dies when a tile is missing. */
  const edge = (size: number): Effect.Effect<Edge> =>
    Effect.flatMap(read(edgePositions(size)), (tiles) => Effect.sync(() => edgeOf(size, tiles)))

  /** The hash of each range of leaves, which must lie within the tree. Dies when a tile is missing. */
  const hashes = (ranges: ReadonlyArray<Range>): Effect.Effect<ReadonlyArray<Uint8Array>> =>
    Effect.flatMap(
      read(positionsOf(ranges)),
      (tiles) => Effect.sync(() => hashesOfRanges(ranges, tiles, sha256))
    )

  const fillBatch = Effect.gen(function*() {
    const [chain] = yield* sql<{ readonly last_sequence: bigint; readonly tree_size: bigint }>`
      SELECT last_sequence, tree_size FROM event_chain FOR UPDATE`
    const size = Number(chain!.tree_size)
    if (chain!.last_sequence === chain!.tree_size) return 0
    const last = Math.min(Number(chain!.last_sequence), size + fillLimit)
    const leaves = yield* readLeaves(size, last)
    if (leaves.length < last - size) {
      return yield* Effect.die(new Error(`The event ${size + leaves.length + 1} is not there`))
    }
    const { tiles } = grow(yield* edge(size), size, leaves, sha256)
    yield* sql.unsafe(fillQuery, tileParameters(tiles))
    yield* sql`UPDATE event_chain SET tree_size = ${size + leaves.length}`
    return leaves.length
  })

  /**
   * Adds one batch of the events that the tree lags behind; returns their number, 0 when the tree is up to date.
   * Progress is durable, so a batch is never added twice, however often the service restarts.
   */
  const fill = sql.withTransaction(fillBatch).pipe(Effect.withTracerEnabled(false), Effect.orDie)

  return { edge, hashes, fill }
})
