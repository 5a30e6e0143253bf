import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import {
  edgeOf,
  edgePositions,
  grow,
  hashesOfRanges,
  leavesOf,
  positionsOf,
  readTile
} from "../../domain/evidence/transparency/MerkleTiles.ts"
import type { Edge, Tile, TilePosition } from "../../domain/evidence/transparency/MerkleTiles.ts"
import type { Range } from "../../domain/evidence/transparency/MerkleTree.ts"
import { joinedBytes } from "../../domain/ground/parsing/ByteTexts.ts"
import { leafHash } from "../../domain/log/EventLeaf.ts"
import { leafTextOfRow } from "../../domain/log/LeafRow.ts"
import { CurrentEnvironment } from "../ground/environments/CurrentEnvironment.ts"
import { Cryptography } from "../ground/platform/Cryptography.ts"
import { insertTiles, listLeaves, listTiles, lockChain, updateTreeSize } from "./MerkleLogSql.ts"

/** The maximum of events added in one step to a tree that lags behind its feed. */
const fillLimit = 1000

/** The stored Merkle tree over the feed. The sequencer, the checkpoints and the proofs use it. */
export const makeMerkleLog = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const { sha256 } = yield* Cryptography
  const environment = yield* CurrentEnvironment

  /** The hashes of the leaves after `size`, up to `last`; they end at the first gap. */
  const readLeaves = (size: number, last: number) =>
    Effect.map(
      listLeaves(sql, size, last),
      (rows) => {
        const gap = rows.findIndex(({ sequence }, index) => Number(sequence) !== size + 1 + index)
        return (gap === -1 ? rows : rows.slice(0, gap)).map((row) => leafHash(leafTextOfRow(row, environment), sha256))
      }
    )

  /** The tiles at these positions that exist. The tile of the last leaves is computed from them. */
  const read = Effect.fnUntraced(function*(positions: ReadonlyArray<TilePosition>) {
    if (positions.length === 0) return []
    const rows = yield* listTiles(sql, positions)
    const tiles: Array<Tile> = rows.map(({ hashes, index, level }) => ({
      level,
      index: Number(index),
      hashes: readTile(hashes)
    }))
    for (const position of positions) {
      if (position.level > 0 || tiles.some(({ index, level }) => level === 0 && index === position.index)) continue
      const { after, last } = leavesOf(position)
      tiles.push({ ...position, hashes: joinedBytes(yield* readLeaves(after, last)) })
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
    const [chain] = yield* lockChain(sql)
    const size = Number(chain!.tree_size)
    if (chain!.last_sequence === chain!.tree_size) return 0
    const last = Math.min(Number(chain!.last_sequence), size + fillLimit)
    const leaves = yield* readLeaves(size, last)
    if (leaves.length < last - size) {
      return yield* Effect.die(new Error(`The event ${size + leaves.length + 1} is not there`))
    }
    const { tiles } = grow(yield* edge(size), size, leaves, sha256)
    yield* insertTiles(sql, tiles)
    yield* updateTreeSize(sql, size + leaves.length)
    return leaves.length
  })

  /**
   * Adds one batch of the events that the tree lags behind; returns their number, 0 when the tree is up to date.
   * Progress is durable, so a batch is never added twice, however often the service restarts.
   */
  const fill = sql.withTransaction(fillBatch).pipe(Effect.withTracerEnabled(false), Effect.orDie)

  return { edge, hashes, fill, tiles: read }
})
