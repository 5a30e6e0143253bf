import { encodeBase64 } from "../../ground/parsing/ByteTexts.ts"
import { decodeBase64 } from "../../ground/parsing/StrictBytes.ts"
import type { Sha256 } from "../../log/EventLeaf.ts"

/** The contents of a checkpoint. */
export interface CheckpointBody {
  /** Which log. */
  readonly origin: string
  readonly size: number
  /** 32 bytes. */
  readonly root: Uint8Array
}

/** The signed text of a checkpoint (C2SP tlog-checkpoint): origin, tree size and base64 root, a line each. */
export const checkpointText = ({ origin, root, size }: CheckpointBody): string =>
  `${origin}\n${size}\n${encodeBase64(root)}\n`

/** Reads the text of a checkpoint, whose further lines are passed over; undefined when it is none. */
export const readCheckpointText = (text: string): CheckpointBody | undefined => {
  const [origin = "", size = "", root = ""] = text.split("\n")
  const bytes = decodeBase64(root, 32)
  const count = readSize(size)
  return origin === "" || count === undefined || bytes === undefined ? undefined : { origin, size: count, root: bytes }
}

/** Reads the size of a tree in decimal digits; undefined when the text is none. */
export const readSize = (text: string): number | undefined => {
  const size = /^(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : undefined
  return Number.isSafeInteger(size) ? size : undefined
}

/** The first line of a proof. */
const magic = "c2sp.org/tlog-proof@v1"
/** The longest path that is read: that of a tree of more leaves than any log has. */
const longestPath = 64

/** The proof that a leaf is in a log (C2SP tlog-proof); nothing of it is verified. */
export interface TlogProof {
  /** The leaf itself, as the opaque extra data of the format: the proof of an event then needs no file beside it. */
  readonly leaf?: string | undefined
  /** The index of the leaf, from 0. */
  readonly index: number
  /** Its audit path (RFC 6962, 2.1.1), 32 bytes each. */
  readonly hashes: ReadonlyArray<Uint8Array>
  /** The note of the checkpoint to whose root the path leads. */
  readonly note: string
}

/** The text of a proof. */
export const writeTlogProof = ({ hashes, index, leaf, note }: TlogProof): string =>
  [
    magic,
    ...(leaf === undefined ? [] : [`extra ${encodeBase64(new TextEncoder().encode(leaf))}`]),
    `index ${index}`,
    ...hashes.map((hash) => encodeBase64(hash)),
    "",
    note
  ].join("\n")

/** Whether a text says that it is a proof. */
export const isTlogProof = (text: string): boolean => text.startsWith(`${magic}\n`)

/** The text of the extra data; undefined when the line has none, or it is no UTF-8. */
const leafIn = (line: string): string | undefined => {
  const bytes = decodeBase64(line.slice("extra ".length))
  try {
    return bytes === undefined ? undefined : new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Reads {@link writeTlogProof}; undefined when the text is no proof, or its extra data is no text. */
export const readTlogProof = (text: string): TlogProof | undefined => {
  const end = text.indexOf("\n\n")
  if (!isTlogProof(text) || end < 0) return undefined
  const [, ...lines] = text.slice(0, end).split("\n")
  const extra = lines[0]?.startsWith("extra ") === true ? lines.shift() : undefined
  const leaf = extra === undefined ? undefined : leafIn(extra)
  const [first = "", ...path] = lines
  const index = readSize(/^index (\S+)$/.exec(first)?.[1] ?? "")
  const hashes = path.flatMap((line) => decodeBase64(line, 32) ?? [])
  if (index === undefined || hashes.length < path.length || path.length > longestPath) return undefined
  if (extra !== undefined && leaf === undefined) return undefined
  return { leaf, index, hashes, note: text.slice(end + 2) }
}

/**
 * The Merkle tree of RFC 6962 section 2.1. Leaves are given by their hashes, SHA-256(0x00 || leaf); sizes and indexes
 * are numbers up to 2^53, so nothing here uses bitwise operators, which cut to 32 bits.
 */

/** A half-open range of leaves, `[from, to)`, that is a subtree of some tree of this kind. */
export type Range = readonly [from: number, to: number]

/** A complete subtree: its 2^level leaves begin with leaf index * 2^level. */
export interface TreeNode {
  readonly level: number
  readonly index: number
}

/** The input of an inner node's hash. One buffer is used again for all: every event of the feed needs at least one. */
const pair = Uint8Array.of(1, ...new Uint8Array(64))

/** The hash of an inner node: SHA-256(0x01 || left || right), 32 bytes from 32 and 32. */
export const nodeHash = (left: Uint8Array, right: Uint8Array, sha256: Sha256): Uint8Array => {
  pair.set(left, 1)
  pair.set(right, 33)
  return sha256(pair)
}

/** The level of the largest complete tree of at most `count` leaves, which is at least 1. */
const levelWithin = (count: number): number => {
  let level = 0
  while (2 ** (level + 1) <= count) level += 1
  return level
}

/** The largest power of two below `count`, which is at least 2: where RFC 6962 divides a list. */
export const split = (count: number): number => 2 ** levelWithin(count - 1)

/** The complete subtrees that a range of a tree consists of, from left to right, the largest first. */
export const nodesOf = ([from, to]: Range): ReadonlyArray<TreeNode> => {
  const nodes: Array<TreeNode> = []
  for (let at = from; at < to;) {
    const level = levelWithin(to - at)
    nodes.push({ level, index: at / 2 ** level })
    at += 2 ** level
  }
  return nodes
}

/** The root over adjacent complete subtrees, the largest of which is on the left. */
export const rootOver = (hashes: ReadonlyArray<Uint8Array>, sha256: Sha256): Uint8Array =>
  hashes.length === 0
    ? sha256("")
    : hashes.reduceRight((right, left) => nodeHash(left, right, sha256))

/** A tree of which only the right edge is kept, about log2(n) hashes: enough to append and to compute the root. */
export class Frontier {
  private readonly hashes: Array<Uint8Array> = []
  private readonly levels: Array<number> = []
  private readonly sha256: Sha256
  private leaves = 0

  constructor(sha256: Sha256) {
    this.sha256 = sha256
  }

  /** How many leaves the tree has. */
  get size(): number {
    return this.leaves
  }

  /** Adds a complete subtree of 2^level leaves; nothing smaller may have been added before it. Level 0 is a leaf. */
  append(hash: Uint8Array, level = 0): void {
    let joined = hash
    let at = level
    while (this.levels.at(-1) === at) {
      this.levels.pop()
      joined = nodeHash(this.hashes.pop()!, joined, this.sha256)
      at += 1
    }
    this.hashes.push(joined)
    this.levels.push(at)
    this.leaves += 2 ** level
  }

  /** The Merkle tree hash, 32 bytes; of the empty tree SHA-256 of nothing. */
  root(): Uint8Array {
    return rootOver(this.hashes, this.sha256)
  }
}

/**
 * The ranges whose hashes are the audit path of leaf `index` (from 0) in the tree of `size` leaves, from the bottom up
 * (RFC 6962 section 2.1.1).
 */
export const inclusionRanges = (index: number, size: number): ReadonlyArray<Range> => {
  const ranges: Array<Range> = []
  let from = 0
  let to = size
  while (to - from > 1) {
    const middle = from + split(to - from)
    if (index < middle) {
      ranges.push([middle, to])
      to = middle
    } else {
      ranges.push([from, middle])
      from = middle
    }
  }
  return ranges.toReversed()
}

/**
 * The ranges whose hashes prove that the tree of `first` leaves begins the tree of `second` leaves, in the order of
 * RFC 6962 section 2.1.2. `first` is from 1 to `second`.
 */
export const consistencyRanges = (first: number, second: number): ReadonlyArray<Range> => {
  const ranges: Array<Range> = []
  let from = 0
  let to = second
  while (to !== first) {
    const middle = from + split(to - from)
    if (first <= middle) {
      ranges.push([middle, to])
      to = middle
    } else {
      ranges.push([from, middle])
      from = middle
    }
  }
  // The caller has the root of the old tree, so the range is omitted if it is the whole old tree.
  if (from > 0) ranges.push([from, to])
  return ranges.toReversed()
}

const equal = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index])

const isSize = (value: number): boolean => Number.isSafeInteger(value) && value >= 1

const areHashes = (hashes: ReadonlyArray<Uint8Array>): boolean => hashes.every(({ length }) => length === 32)

const half = (value: number): number => Math.floor(value / 2)

/** Whether the proof leads from the leaf hash to the root (RFC 9162 section 2.1.3.2). */
export const verifyInclusion = (
  proof: {
    readonly leafHash: Uint8Array
    /** From 0. */
    readonly index: number
    readonly size: number
    readonly root: Uint8Array
    readonly hashes: ReadonlyArray<Uint8Array>
  },
  sha256: Sha256
): boolean => {
  const { hashes, index, leafHash, root, size } = proof
  if (!isSize(size) || !isSize(index + 1) || index >= size || !areHashes([leafHash, ...hashes])) return false
  let node = index
  let last = size - 1
  let hash = leafHash
  for (const sibling of hashes) {
    if (last === 0) return false
    if (node % 2 === 1 || node === last) {
      hash = nodeHash(sibling, hash, sha256)
      while (node % 2 === 0 && node !== 0) {
        node = half(node)
        last = half(last)
      }
    } else {
      hash = nodeHash(hash, sibling, sha256)
    }
    node = half(node)
    last = half(last)
  }
  return last === 0 && equal(hash, root)
}

/** Whether the proof shows that the first tree begins the second (RFC 9162 section 2.1.4.2). */
export const verifyConsistency = (
  proof: {
    readonly first: number
    readonly firstRoot: Uint8Array
    readonly second: number
    readonly secondRoot: Uint8Array
    readonly hashes: ReadonlyArray<Uint8Array>
  },
  sha256: Sha256
): boolean => {
  const { first, firstRoot, hashes, second, secondRoot } = proof
  if (!isSize(first) || !isSize(second) || first > second || !areHashes([firstRoot, ...hashes])) return false
  if (first === second) return hashes.length === 0 && equal(firstRoot, secondRoot)
  const isPower = 2 ** levelWithin(first) === first
  const [start, ...rest] = isPower ? [firstRoot, ...hashes] : hashes
  if (start === undefined || hashes.length === 0) return false
  let node = first - 1
  let last = second - 1
  while (node % 2 === 1) {
    node = half(node)
    last = half(last)
  }
  let old = start
  let now = start
  for (const hash of rest) {
    if (last === 0) return false
    if (node % 2 === 1 || node === last) {
      old = nodeHash(hash, old, sha256)
      now = nodeHash(hash, now, sha256)
      while (node % 2 === 0 && node !== 0) {
        node = half(node)
        last = half(last)
      }
    } else {
      now = nodeHash(now, hash, sha256)
    }
    node = half(node)
    last = half(last)
  }
  return last === 0 && equal(old, firstRoot) && equal(now, secondRoot)
}
