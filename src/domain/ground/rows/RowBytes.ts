import type { RowCells } from "./RowCells.ts"

/** Writes rows of a file as bytes, in place. */
export interface RowWriter {
  /** The most bytes that the row may take, and that writing it may touch. */
  readonly most: (row: RowCells) => number
  /** Writes the row to `target` from `at` on; answers where it ends. */
  readonly write: (row: RowCells, target: Uint8Array, at: number) => number
}

const wordLength = 4

/** A byte in each of the four places of a word. */
const everywhere = (byte: number): number => Math.imul(byte, 0x01010101)
const byteOf = (character: string): number => everywhere(character.charCodeAt(0))

const ones = everywhere(0x01)
const highBits = everywhere(0x80)
/** The first character that is no control character. It is also the bit by which a backslash differs from a bar. */
const spaces = byteOf(" ")
const [quotes, backslashes, commas, semicolons, bars] = [
  byteOf("\""),
  byteOf("\\"),
  byteOf(","),
  byteOf(";"),
  byteOf("|")
]

/**
 * Has the highest bit of each byte set that is zero or, behind such a one, looks like it: a byte borrows from the next one
 * when more is taken from it than it has.
 */
const zeros = (word: number): number => (word - ones) & ~word

/** Has the highest bit of each byte set that JSON escapes (RFC 8785): control characters, the quote and the backslash. */
const escapedInJson = (word: number): number =>
  ((word - spaces) & ~word) | zeros(word ^ quotes) | zeros(word ^ backslashes)

/** Has the highest bit of each byte set that is not printable ASCII, or is a quote, a separator or a backslash. */
const notPlainInCsv = (word: number): number =>
  word | (word + ones) | ((word - spaces) & ~word) | zeros(word ^ quotes) | zeros(word ^ commas) |
  zeros(word ^ semicolons) | zeros((word | spaces) ^ bars)

/**
 * Copies bytes word by word, for JSON in half the time that it takes byte by byte; a native copy costs more for so few.
 * Answers whether one of them may be of the kind that is looked for, which has the highest bit of its byte. "May": see
 * {@link zeros}.
 */
const copier =
  (kind: (word: number) => number) =>
  (source: DataView, start: number, end: number, target: DataView, at: number): boolean => {
    let found = 0
    let from = start
    let to = at
    for (; from + wordLength <= end; from += wordLength, to += wordLength) {
      const word = source.getInt32(from, true)
      target.setInt32(to, word, true)
      found |= kind(word)
    }
    for (; from < end; from++, to++) {
      const byte = source.getUint8(from)
      target.setUint8(to, byte)
      found |= kind(everywhere(byte))
    }
    return (found & highBits) !== 0
  }

/** Copies a text, and answers whether JSON may have to escape it. */
export const copyForJson = copier(escapedInJson)

/** Copies a text, and answers whether it may have to be judged before it is a cell of a CSV. */
export const copyForCsv = copier(notPlainInCsv)

/** Bytes as words, the last one filled up with zeros. */
export const wordsOf = (bytes: Uint8Array): Int32Array => {
  const padded = new DataView(new ArrayBuffer(Math.ceil(bytes.length / wordLength) * wordLength))
  for (const [index, byte] of bytes.entries()) padded.setUint8(index, byte)
  return Int32Array.from(
    { length: padded.byteLength / wordLength },
    (_, index) => padded.getInt32(wordLength * index, true)
  )
}

/** How many bytes behind their end {@link writeWords} may touch. */
export const wordOverhang = wordLength - 1

/** Writes words at a place, whose last one may stand over: what is written next covers it. */
export const writeWords = (words: Int32Array, target: DataView, at: number): void => {
  for (let index = 0, to = at; index < words.length; index++, to += wordLength) target.setInt32(to, words[index]!, true)
}

/** The largest buffer that is kept for its view, in bytes. */
const keptBytes = 1024 * 1024

/**
 * Answers views of the buffers of bytes, and keeps the last one. Each writer has one of its own: those of a CSV and of its
 * snapshot take turns, row by row.
 */
export const makeViews = (): (bytes: Uint8Array) => DataView => {
  let viewed: DataView = new DataView(new ArrayBuffer(0))
  return ({ buffer }) => {
    if (viewed.buffer === buffer) return viewed
    const view = new DataView(buffer)
    if (buffer.byteLength <= keptBytes) viewed = view
    return view
  }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Writes a text as UTF-8 at a place; answers where it ends. */
export const writeText = (text: string, target: Uint8Array, at: number): number =>
  at + encoder.encodeInto(text, target.subarray(at)).written

/** The text of a cell. */
export const cellText = ({ ends, starts, views }: RowCells, index: number): string => {
  const { buffer, byteOffset } = views[index]!
  const start = starts[index]!
  return decoder.decode(new Uint8Array(buffer, byteOffset + start, ends[index]! - start))
}

/** The bytes of all cells of a row. */
export const cellBytes = ({ ends, starts }: RowCells): number => {
  let bytes = 0
  for (let index = 0; index < starts.length; index++) bytes += ends[index]! - starts[index]!
  return bytes
}
