import { Zlib } from "fflate"
import { compression, latin } from "./pdfText.ts"

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

/** The entry of an object as bytes, the highest first. */
const entryOf = (kind: number, place: number, last: number): ReadonlyArray<number> => [
  kind,
  Math.floor(place / 2 ** 40),
  Math.floor(place / 2 ** 32),
  place >>> 24,
  place >>> 16,
  place >>> 8,
  place,
  last >>> 8,
  last
]

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
  // A number that was reserved and never used is a free entry as well.
  const free = entryOf(0, 0, 0)
  let before = free
  let text = ""
  let next = 0
  for (let object = 0; object < count; object++) {
    const run = runs[next]
    let entry = object === 0 ? entryOf(0, 0, 0xffff) : free
    if (run !== undefined && object >= run.first) {
      const index = object - run.first
      entry = run.stream === 0 ? entryOf(1, run.place, 0) : entryOf(2, run.stream, run.place + index)
      if (index === run.length - 1) next += 1
    }
    text += String.fromCharCode(2, ...entry.map((byte, at) => (byte - before[at]!) & 0xff))
    before = entry
    if (text.length >= slice) {
      zlib.push(latin(text))
      text = ""
    }
  }
  zlib.push(latin(text), true)
  const data = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let end = 0
  for (const piece of pieces) {
    data.set(piece, end)
    end += piece.length
  }
  return { data, entries: `/W[1 6 2]/DecodeParms<</Predictor 12/Columns ${width}>>` }
}
