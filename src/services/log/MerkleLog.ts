import { Effect, Exit } from "effect"
import { Hex } from "effect/encoding"
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
import { environments } from "../../domain/ground/environments/Environment.ts"
import { joinedBytes } from "../../domain/ground/parsing/ByteTexts.ts"
import type { EpochStart } from "../../domain/log/EpochPlace.ts"
import { leafHash } from "../../domain/log/EventLeaf.ts"
import { leafTextOfRow } from "../../domain/log/LicenseChain.ts"
import type { LogEpoch } from "../../domain/log/LogEpoch.ts"
import { CurrentEnvironment } from "../ground/environments/CurrentEnvironment.ts"
import { Database } from "../ground/persistence/Database.ts"
import { Cryptography } from "../ground/platform/Cryptography.ts"
import { Settings } from "../ground/platform/Settings.ts"
import {
  insertLogName,
  insertTiles,
  listEpochs,
  listEpochStarts,
  listLeaves,
  listTiles,
  lockChain,
  updateTreeSize
} from "./MerkleLogSql.ts"

/** The starts of the epochs after the first, in order. */
export const readEpochStarts = (sql: Database): Effect.Effect<ReadonlyArray<EpochStart>> =>
  listEpochStarts(sql).pipe(
    Effect.map((rows) =>
      rows.map((row) => ({
        epoch: row.epoch,
        first_sequence: Number(row.first_sequence),
        restored_sequence: Number(row.restored_sequence)
      }))
    ),
    Effect.withTracerEnabled(false)
  )

/**
 * {@link readEpochStarts}, cached for a second. An epoch begins while no node runs, so the cache is stale only on a
 * node whose database was exchanged while it ran.
 */
export const knownEpochStarts = (sql: Database): Effect.Effect<Effect.Effect<ReadonlyArray<EpochStart>>> =>
  Effect.cachedWithTTL(readEpochStarts(sql), (exit) => Exit.isSuccess(exit) ? "1 second" : 0)

/** The epochs of the log, starting with the first, with what is recorded about each. */
export const readEpochs = (sql: Database, log: string): Effect.Effect<ReadonlyArray<LogEpoch>> =>
  listEpochs(sql).pipe(
    Effect.map((rows) => [
      { epoch: 1, origin: log, first_sequence: 1 },
      ...rows.map(({ first_sequence, restored_sequence, started_at, witness, ...row }) => ({
        ...row,
        first_sequence: Number(first_sequence),
        restored_sequence: Number(restored_sequence),
        ...(witness === null ? {} : { witness }),
        started_at: started_at.toISOString()
      }))
    ])
  )

/**
 * The name of the log, which is its origin in epoch 1. It is made at the first start and never changes, even when the
 * log is moved; its random part makes it unique. One of another environment than live has its name in it.
 */
export const logName = Effect.gen(function*() {
  const sql = yield* Database
  const crypto = yield* Cryptography
  const { publicUrl } = yield* Settings
  const { pathPrefix } = environments[yield* CurrentEnvironment]
  // With its port: a statement prints the address at which it is checked by the name of its log.
  const { host } = new URL(publicUrl)
  const named = new TextEncoder().encode(
    `${host.replace(/[^A-Za-z0-9.:[\]-]/g, "")}${pathPrefix}/events/${Hex.encode(crypto.randomBytes(8))}`
  )
  const [kept] = yield* insertLogName(sql, named)
  return new TextDecoder().decode(kept!.value)
})

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
