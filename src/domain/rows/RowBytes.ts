import type { RowCells } from "./RowCells.ts"

/** Writes rows of a file as bytes, in place. */
export interface RowWriter {
  /** The most bytes that the row may take. */
  readonly most: (row: RowCells) => number
  /** Writes the row to `target` from `at` on; answers where it ends. */
  readonly write: (row: RowCells, target: Uint8Array, at: number) => number
}

/** What the bytes of a text ask for, as bits of what {@link copyCell} answers. */
export const escapedInJson = 1
export const notPlainInCsv = 2

/**
 * The kind of each byte. JSON escapes control characters, the quote and the backslash (RFC 8785). A cell of a CSV is
 * judged as a text unless it is printable ASCII without a quote, a separator or a backslash.
 */
const kinds = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte)
  return (byte < 0x20 || "\"\\".includes(character) ? escapedInJson : 0) |
    (byte < 0x20 || byte > 0x7e || "\",;|\\".includes(character) ? notPlainInCsv : 0)
})

/** Copies bytes, and answers the kinds of all of them. A loop, because a native copy costs more for so few. */
export const copyCell = (source: Uint8Array, start: number, end: number, target: Uint8Array, at: number): number => {
  let found = 0
  for (let from = start, to = at; from < end; from++, to++) {
    const byte = source[from]!
    found |= kinds[byte]!
    target[to] = byte
  }
  return found
}

/** Writes bytes at a place; answers where they end. */
export const writeBytes = (bytes: Uint8Array, target: Uint8Array, at: number): number => {
  for (let from = 0; from < bytes.length; from++) target[at + from] = bytes[from]!
  return at + bytes.length
}

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Writes a text as UTF-8 at a place; answers where it ends. */
export const writeText = (text: string, target: Uint8Array, at: number): number =>
  at + encoder.encodeInto(text, target.subarray(at)).written

/** The text of a cell. */
export const cellText = ({ ends, starts, texts }: RowCells, index: number): string =>
  decoder.decode(texts[index]!.subarray(starts[index], ends[index]))

/** The bytes of all cells of a row. */
export const cellBytes = ({ ends, starts }: RowCells): number => {
  let bytes = 0
  for (let index = 0; index < starts.length; index++) bytes += ends[index]! - starts[index]!
  return bytes
}
