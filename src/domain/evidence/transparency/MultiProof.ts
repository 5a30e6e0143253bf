import type { Sha256 } from "../../log/EventLeaf.ts"
import { nodeHash, split } from "./MerkleTree.ts"
import type { Range } from "./MerkleTree.ts"

/**
 * One proof for many leaves of a tree. It has each hash once that the paths of the leaves share, and none that follows from the
 * leaves: the tree is divided as RFC 6962 does, and a part without a known leaf is given by its hash, from left to right.
 */

/** The leaves that are known, by their indexes from 0, each once and in order; and the number of leaves of the tree. */
export interface KnownLeaves {
  readonly indexes: ReadonlyArray<number>
  readonly size: number
}

/** Whether indexes are those of leaves of the tree, each once and in order. */
const areOrdered = ({ indexes, size }: KnownLeaves): boolean =>
  Number.isSafeInteger(size) && size > 0 &&
  indexes.every((index, at) => Number.isSafeInteger(index) && index > (indexes[at - 1] ?? -1) && index < size)

/** The place of the first index that is not below a limit. */
const firstFrom = (indexes: ReadonlyArray<number>, limit: number, low: number, high: number): number => {
  let [from, to] = [low, high]
  while (from < to) {
    const middle = (from + to) >> 1
    if (indexes[middle]! < limit) from = middle + 1
    else to = middle
  }
  return from
}

/**
 * Folds the tree over the known leaves: a part without one is `unknown`, a leaf `known` by its place among the indexes, and
 * anything else joins its halves.
 */
const fold = <Part>(
  { indexes, size }: KnownLeaves,
  on: {
    readonly unknown: (range: Range) => Part
    readonly known: (place: number) => Part
    readonly both: (left: Part, right: Part) => Part
  }
): Part => {
  const of = (from: number, to: number, low: number, high: number): Part => {
    if (low === high) return on.unknown([from, to])
    if (to - from === 1) return on.known(low)
    const middle = from + split(to - from)
    const between = firstFrom(indexes, middle, low, high)
    return on.both(of(from, middle, low, between), of(middle, to, between, high))
  }
  return of(0, size, 0, indexes.length)
}

/** The ranges whose hashes prove the known leaves, from left to right. Throws where the indexes are none of the tree. */
export const multiProofRanges = (known: KnownLeaves): ReadonlyArray<Range> => {
  if (!areOrdered(known)) throw new RangeError("The leaves are not in order, or not in the tree")
  const ranges: Array<Range> = []
  fold<void>(known, { unknown: (range) => void ranges.push(range), known: () => undefined, both: () => undefined })
  return ranges
}

/** The root that known leaves and the hashes of {@link multiProofRanges} lead to; undefined where they fit no tree. */
export const multiProofRoot = (
  known: KnownLeaves & { readonly leafHashes: ReadonlyArray<Uint8Array>; readonly hashes: ReadonlyArray<Uint8Array> },
  sha256: Sha256
): Uint8Array | undefined => {
  const { hashes, indexes, leafHashes } = known
  if (!areOrdered(known) || leafHashes.length !== indexes.length) return undefined
  if ([...leafHashes, ...hashes].some(({ length }) => length !== 32)) return undefined
  let taken = 0
  const root = fold<Uint8Array | undefined>(known, {
    unknown: () => hashes[taken++],
    known: (place) => leafHashes[place],
    both: (left, right) => left === undefined || right === undefined ? undefined : nodeHash(left, right, sha256)
  })
  return taken === hashes.length ? root : undefined
}
