import { unpacked } from "./unpacked.ts"

/** The separators that spreadsheets write, by the language of who saves the file. */
const separators = [",", ";", "\t"] as const

/** A table as text. */
export interface CsvText {
  /** The cells of each line, the header first. */
  readonly records: ReadonlyArray<ReadonlyArray<string>>
  readonly separator: string
}

/** The separator of a text: the one that its first line has most often outside of quotes. */
const separatorOf = (text: string): string => {
  const head = text.slice(0, 100_000).replaceAll(/"(?:[^"]|"")*"/g, "").split(/[\r\n]/, 1)[0]!
  const count = (separator: string) => head.split(separator).length
  return separators.reduce((one, other) => count(other) > count(one) ? other : one)
}

const cellPattern = (separator: string) =>
  new RegExp(`("(?:[^"]|"")*"?|)([^${separator}\r\n]*)(${separator}|\r\n|\r|\n|$)`, "y")

/**
 * Reads a CSV as programs write it: with any of the usual separators and ends of lines, with quotes or without. What
 * stands behind a closing quote belongs to its cell, as it does for spreadsheets.
 */
export const readCsv = (given: string): CsvText => {
  const text = given.startsWith("\uFEFF") ? given.slice(1) : given
  const separator = separatorOf(text)
  const pattern = cellPattern(separator)
  const records: Array<ReadonlyArray<string>> = []
  let cells: Array<string> = []
  for (let at = 0; at < text.length;) {
    pattern.lastIndex = at
    const [whole = "", quoted = "", plain = "", end = ""] = pattern.exec(text) ?? []
    cells.push(
      (quoted === "" ? "" : quoted.slice(1, quoted.length > 1 && quoted.endsWith("\"") ? -1 : undefined)
        .replaceAll("\"\"", "\"")) + plain
    )
    at += whole.length
    if (end === separator && at < text.length) continue
    if (end === separator) cells.push("")
    records.push(cells)
    cells = []
  }
  return { records, separator }
}

/** Reads bytes as the text that a program meant: UTF-8, UTF-16 with its mark, or else the code page of western Windows. */
export const tableText = (bytes: Uint8Array): { readonly text: string; readonly isUtf8: boolean } => {
  const isWide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
  if (isWide) {
    return { text: new TextDecoder(bytes[0] === 0xff ? "utf-16le" : "utf-16be").decode(bytes), isUtf8: false }
  }
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes), isUtf8: true }
  } catch {
    return { text: new TextDecoder("windows-1252").decode(bytes), isUtf8: false }
  }
}

/** Bytes that an attachment has at most. */
const mostBytes = 64 * 1024 * 1024

const latin = new TextDecoder("latin1")

const mark = new TextEncoder().encode("/Type/EmbeddedFile")

/** The places of a text in bytes. */
const placesOf = (bytes: Uint8Array, text: Uint8Array): ReadonlyArray<number> => {
  const places: Array<number> = []
  for (let at = bytes.indexOf(text[0]!); at !== -1; at = bytes.indexOf(text[0]!, at + 1)) {
    if (text.every((byte, offset) => bytes[at + offset] === byte)) places.push(at)
  }
  return places
}

/**
 * The one file that is attached to a PDF as the service wrote it (ISO 32000-1 section 7.11.4); undefined where there is none or more,
 * or where another program has written the document anew.
 */
export const attachmentIn = async (pdf: Uint8Array): Promise<Uint8Array | undefined> => {
  const [at, ...others] = placesOf(pdf, mark)
  if (at === undefined || others.length > 0) return undefined
  // The dictionary of the stream ends here; what it says is below a kilobyte.
  const head = latin.decode(pdf.subarray(at, at + 1_000))
  const found = /^[^\r\n]*\/Filter\/FlateDecode\/Length (\d{1,9})>>\nstream\n/.exec(head)
  if (found === null) return undefined
  const start = at + found[0].length
  try {
    return await unpacked(pdf.subarray(start, start + Number(found[1])), "deflate", mostBytes)
  } catch {
    return undefined
  }
}
