import type { Edge, Tile } from "../../src/domain/evidence/transparency/MerkleTiles.ts"
import { grow, isKept, storedTile } from "../../src/domain/evidence/transparency/MerkleTiles.ts"
import { sha256 } from "./Sha256.ts"

/** Leaves that the tree grows by at once. */
const grownAtOnce = 16_384

/** Collects the leaves of a tree from its first one, and writes each tile once: when it is full, or at the end. */
export const makeTreeWriter = (
  writeTile: (tile: { readonly level: number; readonly index: number; readonly hashes: Uint8Array }) => void
) => {
  let edge: Edge = []
  let size = 0
  let leaves: Array<Uint8Array> = []
  const unfinished = new Map<number, Tile>()
  const write = ({ hashes, index, level }: Tile) => writeTile({ level, index, hashes: storedTile(hashes) })
  const flush = () => {
    const grown = grow(edge, size, leaves, sha256)
    size += leaves.length
    edge = grown.edge
    leaves = []
    for (const tile of grown.tiles) {
      if (tile.hashes.length === 512) {
        write(tile)
        unfinished.delete(tile.level)
      } else unfinished.set(tile.level, tile)
    }
  }
  return {
    add: (leaf: Uint8Array) => {
      leaves.push(leaf)
      if (leaves.length === grownAtOnce) flush()
    },
    end: () => {
      flush()
      for (const tile of unfinished.values()) if (isKept(tile)) write(tile)
    }
  }
}
