import { createReadStream } from "node:fs"
import { open } from "node:fs/promises"
import { nearest } from "../../domain/ground/parsing/Nearest.ts"
import { byteText, strayByte } from "../../domain/ground/parsing/StrictBytes.ts"

/** The file cannot be read in its format. The message names the line. */
export class UnreadableFile extends Error {
  override readonly name = "UnreadableFile"
}

const newline = 0x0a

/** The encoding of a byte order mark; undefined without one. */
const markedEncoding = async (file: string): Promise<string | undefined> => {
  const handle = await open(file)
  try {
    const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0)
    return buffer[0] === 0xff && buffer[1] === 0xfe
      ? "utf-16le"
      : buffer[0] === 0xfe && buffer[1] === 0xff
      ? "utf-16be"
      : undefined
  } finally {
    await handle.close()
  }
}

/** Whether an encoding of this name can be read (WHATWG Encoding Standard). */
export const isEncoding = (name: string): boolean => {
  try {
    return new TextDecoder(name).encoding !== ""
  } catch {
    return false
  }
}

const countLines = (bytes: Uint8Array): number => bytes.reduce((count, byte) => byte === newline ? count + 1 : count, 0)

/** The reason why lines are not of the encoding. */
const undecodable = (encoding: string, lines: number, bytes: Uint8Array): UnreadableFile => {
  const stray = encoding === "utf-8" ? strayByte(bytes) : undefined
  if (stray === undefined) return new UnreadableFile(`Line ${lines + 1}, or one after it, is not ${encoding}`)
  const line = lines + countLines(bytes.subarray(0, stray.offset)) + 1
  return new UnreadableFile(
    `Line ${line} is not UTF-8: there is a byte ${
      byteText(stray.byte)
    }. Save the file as UTF-8, or specify its encoding: ` +
      "--encoding windows-1252 for what Excel saves as CSV in Western Europe and America"
  )
}

/**
 * The text of a file, whole lines at a time, without its byte order mark. Bytes that are not of the encoding fail
 * with {@link UnreadableFile}: replaced, they would permanently damage a customer's name.
 */
export async function* fileText(file: string, given?: string): AsyncGenerator<string> {
  const { encoding } = new TextDecoder(given ?? await markedEncoding(file) ?? "utf-8")
  const decoder = new TextDecoder(encoding, { fatal: true })
  let lines = 0
  const decoded = (bytes: Uint8Array, isLast: boolean): string => {
    try {
      const text = decoder.decode(bytes, { stream: !isLast })
      lines += countLines(bytes)
      return text
    } catch {
      throw undecodable(encoding, lines, bytes)
    }
  }
  let rest = Buffer.alloc(0)
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    const bytes = Buffer.concat([rest, chunk])
    const end = bytes.lastIndexOf(newline) + 1
    rest = bytes.subarray(end)
    if (end > 0) yield decoded(bytes.subarray(0, end), false)
  }
  const last = decoded(rest, true)
  if (last !== "") yield last
}

/** Common aliases of encodings. */
const encodings: Readonly<Record<string, string>> = {
  ansi: "windows-1252",
  western: "windows-1252",
  excel: "windows-1252",
  "latin-1": "windows-1252",
  "utf-8-sig": "utf-8",
  "utf-8-bom": "utf-8",
  utf8bom: "utf-8",
  "mac-roman": "macintosh"
}

/** The encoding that an unknown name probably means. */
export const nearestEncoding = (name: string): string | undefined =>
  encodings[name.trim().toLowerCase().replaceAll("_", "-")] ??
    nearest(name, ["utf-8", "windows-1250", "windows-1251", "windows-1252", "iso-8859-1", "utf-16le", "macintosh"])

/** The lines of a text that comes in pieces, without the line feed that ends them, but with a carriage return before it. */
export async function* wholeLines(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ""
  for await (const piece of pieces) {
    const lines = (rest + piece).split("\n")
    rest = lines.pop()!
    yield* lines
  }
  if (rest !== "") yield rest
}

/** The lines of a text that comes in pieces, without what ends them. A line of JSON may hold every other separator. */
export async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of wholeLines(pieces)) yield line.replace(/\r$/, "")
}

/** The first line of a file that is not empty. */
export const firstLine = async (file: string, encoding?: string): Promise<string> => {
  for await (const line of linesOf(fileText(file, encoding))) if (line.trim() !== "") return line
  return ""
}

/** Whether a file is JSON: its name says so, or its first character. */
export const isJsonFile = async (file: string, encoding?: string): Promise<boolean> =>
  /\.(ndjson|jsonl|json)$/i.test(file) || /^\s*[{[]/.test(await firstLine(file, encoding))
