import { Zlib } from "fflate"
import { compression } from "./pdfText.ts"

/** Objects with consecutive numbers that stand one after the other. */
export interface ObjectRun {
  readonly first: number
  length: number
  /** The stream that they are packed in; 0 for a single object that stands alone. */
  readonly stream: number
  /** The place of the first one in its stream; of an object that stands alone, its offset in the file. */
  readonly place: number
}

/** The bytes of an entry: one for its kind, six for its place, two for its index. */
const width = 9

/** How many bytes are compressed at once. */
const slice = 64 * 1024

/** Writes the entry of an object, the highest byte of each number first. */
const writeEntry = (entry: Uint8Array, kind: number, place: number, last: number): void => {
  entry[0] = kind
  entry[1] = Math.floor(place / 2 ** 40)
  entry[2] = Math.floor(place / 2 ** 32)
  entry[3] = place >>> 24
  entry[4] = place >>> 16
  entry[5] = place >>> 8
  entry[6] = place
  entry[7] = last >>> 8
  entry[8] = last
}

/**
 * The content of a cross-reference stream (ISO 32000-1 section 7.5.8) for `count` objects, compressed, and what its
 * dictionary says of it. Each entry is written as its difference from the one before (PNG's predictor "up"), which for
 * millions of packed objects is the same again and again, and compressed as it is made.
 */
export const crossReferences = (
  runs: Array<ObjectRun>,
  count: number
): { readonly data: Uint8Array; readonly entries: string } => {
  runs.sort((one, other) => one.first - other.first)
  const pieces: Array<Uint8Array> = []
  const zlib = new Zlib(compression, (piece) => pieces.push(piece))
  let before = new Uint8Array(width)
  let entry = new Uint8Array(width)
  const bytes = new Uint8Array(slice + width)
  let filled = 0
  let next = 0
  for (let object = 0; object < count; object++) {
    const run = runs[next]
    if (run !== undefined && object >= run.first) {
      const index = object - run.first
      if (run.stream === 0) writeEntry(entry, 1, run.place, 0)
      else writeEntry(entry, 2, run.stream, run.place + index)
      if (index === run.length - 1) next += 1
    } else {
      // A number that was reserved and never used is a free entry as well.
      writeEntry(entry, 0, 0, object === 0 ? 0xffff : 0)
    }
    bytes[filled++] = 2
    for (let at = 0; at < width; at++) bytes[filled++] = entry[at]! - before[at]!
    ;[before, entry] = [entry, before]
    if (filled >= slice) {
      zlib.push(bytes.slice(0, filled))
      filled = 0
    }
  }
  zlib.push(bytes.slice(0, filled), true)
  const data = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let end = 0
  for (const piece of pieces) {
    data.set(piece, end)
    end += piece.length
  }
  return { data, entries: `/W[1 6 2]/DecodeParms<</Predictor 12/Columns ${width}>>` }
}
