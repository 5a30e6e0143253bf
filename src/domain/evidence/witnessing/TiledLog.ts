import { joinedBytes } from "../../ground/parsing/ByteTexts.ts"
import type { Tile, TilePosition } from "../transparency/MerkleTiles.ts"

/**
 * The tree as C2SP tlog-tiles has it read: in tiles of 256 hashes. Each is 16 tiles of 16 as they are stored, one after
 * another: a hash of level L covers 256^L leaves here, and 16^(2L) there.
 */

/** Hashes of a full tile, entries of a full bundle. */
const width = 256
/** Hashes of a stored tile. */
const storedWidth = 16
const hashSize = 32

/** Bytes of the longest entry of a bundle: its length is a uint16. */
export const longestEntry = 65_535

/** A part of a level: the tile, and how many of its hashes. 256 is the full tile; fewer are a partial one. */
export interface TilePart extends TilePosition {
  readonly width: number
}

/**
 * Reads `<N>[.p/<W>]`: the index in elements of three digits, of which all but the last begin with `x`, and the width of a partial
 * tile. Undefined for any other spelling, so that each part has one address.
 */
export const readTileName = (name: string): Omit<TilePart, "level"> | undefined => {
  const [, elements, last, partial] = /^((?:x\d{3}\/){0,4})(\d{3})(?:\.p\/([1-9]\d{0,2}))?$/.exec(name) ?? []
  if (elements === undefined || elements.startsWith("x000/")) return undefined
  const part = partial === undefined ? width : Number(partial)
  if (partial !== undefined && part >= width) return undefined
  return { index: Number(elements.replace(/[x/]/g, "") + last), width: part }
}

/** Reads a level, 0 to 63 in decimal digits without leading zeros; undefined for any other text. */
export const readTileLevel = (text: string): number | undefined =>
  /^(?:\d|[1-5]\d|6[0-3])$/.test(text) ? Number(text) : undefined

/** How many leaves come before the end of a part. */
export const endOf = ({ index, level, width: part }: TilePart): number => (index * width + part) * width ** level

/** How many leaves come before the end of the full tile, whose part it is: what is pruned goes by that. */
export const fullEndOf = (part: TilePart): number => endOf({ ...part, width })

/** The stored tiles that a part consists of. */
export const storedTilesOf = ({ index, level, width: part }: TilePart): ReadonlyArray<TilePosition> =>
  Array.from({ length: Math.ceil(part / storedWidth) }, (_, at) => ({
    level: 2 * level,
    index: index * storedWidth + at
  }))

/** The hashes of a part from its stored tiles, 32 bytes each; undefined where one is not there. */
export const partOf = (part: TilePart, tiles: ReadonlyArray<Tile>): Uint8Array | undefined => {
  const hashes = storedTilesOf(part).map(({ index }) =>
    tiles.find((tile) => tile.index === index)?.hashes ?? new Uint8Array()
  )
  // A short tile in the middle would move all that follow it to other places.
  if (hashes.slice(0, -1).some(({ length }) => length !== storedWidth * hashSize)) return undefined
  const bytes = joinedBytes(hashes)
  return bytes.length < part.width * hashSize ? undefined : bytes.slice(0, part.width * hashSize)
}

const utf8 = new TextEncoder()

/** A bundle of entries, or the place of the first one that is longer than a bundle can say. */
export type EntryBundle = { readonly bytes: Uint8Array } | { readonly tooLong: number }

/** Writes leaves as a bundle: the bytes that are hashed, each after its length as a big-endian uint16. */
export const entryBundle = (leaves: ReadonlyArray<string>): EntryBundle => {
  const entries = leaves.map((leaf) => utf8.encode(leaf))
  const tooLong = entries.findIndex(({ length }) => length > longestEntry)
  return tooLong >= 0
    ? { tooLong }
    : { bytes: joinedBytes(entries.flatMap((entry) => [Uint8Array.of(entry.length >> 8, entry.length & 255), entry])) }
}
