import { joinedBytes } from "../../ground/parsing/ByteTexts.ts"
import type { Sha256 } from "../../log/EventLeaf.ts"
import { Frontier, nodesOf, rootOver } from "./MerkleTree.ts"
import type { Range, TreeNode } from "./MerkleTree.ts"

/**
 * How a Merkle tree is kept: in tiles of up to 16 hashes. A tile of level 0 holds leaf hashes, one of level n the roots
 * of 16 tiles of the level below. A full tile never changes again; each level has at most one that is not full yet, and
 * together those are the edge at which the tree grows. The open tile of level 0 is not stored: its hashes are those of
 * the last few leaves. So a tree of a million leaves has 67,000 tiles and grows by writing two at every 16th leaf.
 */

/** Hashes of a full tile, and how many levels of the tree it spans. */
const width = 16
const height = 4
const hashSize = 32

/** Where a tile is. */
export interface TilePosition {
  readonly level: number
  readonly index: number
}

/** Hashes one after another, 32 bytes each; fewer than 16 in the last tile of a level. */
export interface Tile extends TilePosition {
  readonly hashes: Uint8Array
}

/** The hashes of the tile of each level that is not full, from level 0 up. */
export type Edge = ReadonlyArray<ReadonlyArray<Uint8Array>>

const hashesOf = (tile: Uint8Array): Array<Uint8Array> =>
  Array.from(
    { length: tile.length / hashSize },
    (_, index) => tile.slice(index * hashSize, (index + 1) * hashSize)
  )

/** A tile as it is stored: zeros stand for the hashes that are still to come, so that its size never changes. */
export const storedTile = (hashes: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(width * hashSize)
  bytes.set(hashes)
  return bytes
}

/** Whether a tile is to be stored: an open one of level 0 is not. */
export const isKept = ({ hashes, level }: Tile): boolean => level > 0 || hashes.length === width * hashSize

/** The leaves of a tile of level 0: how many come before them, and the number of the last one. */
export const leavesOf = ({ index }: TilePosition): { readonly after: number; readonly last: number } => ({
  after: index * width,
  last: (index + 1) * width
})

/** The hashes of a stored tile. No hash is all zeros. */
export const readTile = (bytes: Uint8Array): Uint8Array => {
  let length = bytes.length
  while (length > 0 && bytes.subarray(length - hashSize, length).every((byte) => byte === 0)) length -= hashSize
  return bytes.subarray(0, length)
}

const rootOf = (hashes: ReadonlyArray<Uint8Array>, sha256: Sha256): Uint8Array => {
  const frontier = new Frontier(sha256)
  for (const hash of hashes) frontier.append(hash)
  return frontier.root()
}

/** How many hashes a level has in a tree of `size` leaves. */
const countAt = (level: number, size: number): number => Math.floor(size / width ** level)

/** The tiles of the edge of a tree of `size` leaves, at most one a level. */
export const edgePositions = (size: number): ReadonlyArray<TilePosition> => {
  const positions: Array<TilePosition> = []
  for (let level = 0; countAt(level, size) > 0; level++) {
    const count = countAt(level, size)
    if (count % width > 0) positions.push({ level, index: Math.floor(count / width) })
  }
  return positions
}

/** The highest level on which a tree of `size` leaves has a full tile. */
export const lastTileLevel = (size: number): number => {
  let level = -1
  while (countAt(level + 2, size) > 0) level += 1
  return level
}

/**
 * How many tiles of a level are needed no more once the leaves before a multiple of 16 are dropped: those of each 16 that lie wholly
 * before that leaf. No proof for the rest, and no growth of the tree, reads one of them: of every subtree that it needs, the parent
 * reaches beyond that leaf, and so does the tile that holds its hashes. That each 16 go together leaves those who read tiles of 256
 * (`witnessing/TiledLog.ts`) with whole ones.
 */
export const tilesBefore = (level: number, leaf: number): number => countAt(level + 2, leaf) * width

/** A tile is missing or holds too few hashes: the stored tree was changed from outside. */
const missing = ({ index, level }: TilePosition): Error => new Error(`Tile ${index} of level ${level} is not there`)

const keyOf = ({ index, level }: TilePosition): string => `${level}/${index}`

const byPosition = (tiles: ReadonlyArray<Tile>): ReadonlyMap<string, Uint8Array> =>
  new Map(tiles.map((tile) => [keyOf(tile), tile.hashes]))

/** The edge of a tree of `size` leaves from the tiles at {@link edgePositions}. Throws when one is not there. */
export const edgeOf = (size: number, tiles: ReadonlyArray<Tile>): Edge => {
  const found = byPosition(tiles)
  const edge: Array<ReadonlyArray<Uint8Array>> = []
  for (const position of edgePositions(size)) {
    const count = countAt(position.level, size) % width
    const hashes = hashesOf(found.get(keyOf(position)) ?? new Uint8Array())
    if (hashes.length < count) throw missing(position)
    while (edge.length < position.level) edge.push([])
    edge.push(hashes.slice(0, count))
  }
  return edge
}

/** The root of the tree whose edge this is, 32 bytes. */
export const edgeRoot = (edge: Edge, sha256: Sha256): Uint8Array => {
  const frontier = new Frontier(sha256)
  for (let level = edge.length - 1; level >= 0; level--) {
    for (const hash of edge[level]!) frontier.append(hash, level * height)
  }
  return frontier.root()
}

/** Grows a tree of `size` leaves: answers its new edge, and every tile that is new or has grown. */
export const grow = (
  edge: Edge,
  size: number,
  leafHashes: ReadonlyArray<Uint8Array>,
  sha256: Sha256
): { readonly edge: Edge; readonly tiles: ReadonlyArray<Tile> } => {
  const grown: Array<ReadonlyArray<Uint8Array>> = [...edge]
  const tiles: Array<Tile> = []
  let hashes = leafHashes
  for (let level = 0; hashes.length > 0; level++) {
    let index = Math.floor(countAt(level, size) / width)
    let open = [...grown[level] ?? []]
    const above: Array<Uint8Array> = []
    for (const hash of hashes) {
      open.push(hash)
      if (open.length < width) continue
      tiles.push({ level, index, hashes: joinedBytes(open) })
      above.push(rootOf(open, sha256))
      index += 1
      open = []
    }
    if (open.length > 0) tiles.push({ level, index, hashes: joinedBytes(open) })
    grown[level] = open
    hashes = above
  }
  return { edge: grown, tiles }
}

/** The tile that holds the hashes below a complete subtree. */
const tileOf = ({ index, level }: TreeNode): TilePosition => ({
  level: Math.floor(level / height),
  index: Math.floor((index * 2 ** (level % height)) / width)
})

/** The tiles that hold the hashes of these ranges, each once. */
export const positionsOf = (ranges: ReadonlyArray<Range>): ReadonlyArray<TilePosition> => [
  ...new Map(ranges.flatMap(nodesOf).map(tileOf).map((position) => [keyOf(position), position])).values()
]

/** The hash of each range, from the tiles at {@link positionsOf}. Throws when one is not there. */
export const hashesOfRanges = (
  ranges: ReadonlyArray<Range>,
  tiles: ReadonlyArray<Tile>,
  sha256: Sha256
): ReadonlyArray<Uint8Array> => {
  const found = byPosition(tiles)
  const hashOf = (node: TreeNode): Uint8Array => {
    const position = tileOf(node)
    const count = 2 ** (node.level % height)
    const start = (node.index * count) % width
    const hashes = hashesOf(found.get(keyOf(position)) ?? new Uint8Array()).slice(start, start + count)
    if (hashes.length < count) throw missing(position)
    return rootOf(hashes, sha256)
  }
  return ranges.map((range) => rootOver(nodesOf(range).map(hashOf), sha256))
}
