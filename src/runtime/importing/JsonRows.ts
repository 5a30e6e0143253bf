import { jsonErrorPosition, jsonLoss } from "../../domain/ground/parsing/JsonText.ts"
import { kindOf } from "../../domain/ground/wire/Expected.ts"
import { fileText, firstLine, linesOf, UnreadableFile } from "./FileText.ts"
import { isMember } from "./Mapping.ts"
import type { Mapping } from "./Mapping.ts"
import { readRow } from "./RowReader.ts"
import type { Cell, ImportRow, ImportSource } from "./RowReader.ts"

/** A value in a document, as it stands there. */
interface JsonElement {
  readonly text: string
  /** The line on which it begins, from 1. */
  readonly line: number
}

const space = /[ \t\n\r]*/y
const string = /"(?:[^"\\]|\\[^])*"/y
const scalar = /[^\s,\]}]+/y

/** Scans documents of valid JSON. Anything else ends the scan. */
class Scanner {
  at = 0
  private readonly text: string
  private line = 1
  private counted = 0

  constructor(text: string) {
    this.text = text
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0] ?? ""
    this.at += found.length
    return found
  }

  private peek(): string {
    this.take(space)
    return this.text[this.at] ?? ""
  }

  get isOver(): boolean {
    return this.peek() === ""
  }

  private lineHere(): number {
    for (; this.counted < this.at; this.counted++) if (this.text.charCodeAt(this.counted) === 10) this.line += 1
    return this.line
  }

  /** Passes one value, however deep. */
  private pass(): void {
    let depth = 0
    do {
      const next = this.peek()
      if (next === "{" || next === "[") depth += 1
      else if (next === "}" || next === "]") depth -= 1
      else if (next === "\"") {
        this.take(string)
        continue
      } else if (next !== "," && next !== ":") {
        if (this.take(scalar) === "") return
        continue
      }
      this.at += 1
    } while (depth > 0)
  }

  /** Passes one value and yields what stands in the list at a path of it, or the value itself where it has no such list. */
  *elements(path: ReadonlyArray<string>): Generator<JsonElement> {
    const next = this.peek()
    if (next === "[") {
      this.at += 1
      while (this.peek() !== "]" && this.at < this.text.length) {
        yield* this.elements(path)
        if (this.peek() === ",") this.at += 1
      }
      this.at += 1
      return
    }
    const begin = this.at
    const line = this.lineHere()
    if (next === "{" && path.length > 0) {
      this.at += 1
      let isFound = false
      while (this.peek() === "\"") {
        const name: unknown = JSON.parse(this.take(string))
        if (this.peek() === ":") this.at += 1
        if (name === path[0]) {
          isFound = true
          yield* this.elements(path.slice(1))
        } else this.pass()
        if (this.peek() === ",") this.at += 1
      }
      this.at += 1
      if (isFound) return
    } else this.pass()
    yield { text: this.text.slice(begin, this.at), line }
  }
}

/** The largest text of documents that is read, in UTF-16 code units. NDJSON may be as long as it likes. */
const largest = 256 * 1024 * 1024

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Documents in one text stand behind each other, as `cat` and `curl >>` leave pages. */
const bracketed = (text: string): string => `[${text.replaceAll(/([}\]])(\s*)(?=[{[])/g, "$1,$2")}]`

/**
 * The entries of the list at a path in each document of a text, such as `data` of the pages of an API. Where there is no
 * such list, a document or each element of it is an entry.
 */
const jsonElements = function*(text: string, path: ReadonlyArray<string>): Generator<JsonElement> {
  if (text.length > largest) {
    throw new UnreadableFile("is longer than documents of JSON may be: write one license a line (NDJSON)")
  }
  // Checked as a whole first, because the scan ignores what is between entries.
  if (!isJson(text) && !isJson(bracketed(text))) {
    const { column, line } = jsonErrorPosition(text)
    throw new UnreadableFile(`Line ${line} is not JSON: it goes wrong at column ${column}`)
  }
  const scanner = new Scanner(text)
  while (!scanner.isOver) yield* scanner.elements(path)
}

/** A text as JSON; undefined where it is none. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** How deep objects are flattened; deeper ones are values. */
const deepest = 8

/**
 * The values of an object by their paths, down to those that the mapping names and to values that are no objects: a
 * status is found at any depth.
 */
const cellsOf = (mapping: Mapping, value: object, above = "", depth = 1): ReadonlyArray<Cell> =>
  Object.entries(value).flatMap(([key, raw]): ReadonlyArray<Cell> => {
    const name = above === "" ? key : `${above}.${key}`
    const isWhole = mapping.columns.has(name) || mapping.ignore.has(name) || name === "metadata" || isMember(name) ||
      (above === "" && key.startsWith("metadata."))
    const isParted = !isWhole && kindOf(raw) === "an object" && depth < deepest && Object.keys(raw as object).length > 0
    return isParted ? cellsOf(mapping, raw as object, name, depth + 1) : [{ name, raw }]
  })

const nobody = { value: {}, nameOf: (member: string) => member }

const rowOf = (mapping: Mapping, { line, text }: JsonElement): ImportRow => {
  const read = parsed(text)
  if (kindOf(read) !== "an object") {
    return {
      line,
      unread: read === undefined
        ? `is not JSON: it goes wrong at column ${jsonErrorPosition(text).column}`
        : `must be a JSON object, not ${kindOf(read)}`,
      ...nobody
    }
  }
  // Cells nearer to the top come first: deeper ones are added to them.
  const cells = cellsOf(mapping, read as object).toSorted((a, b) => a.name.split(".").length - b.name.split(".").length)
  return readRow(mapping, { line, cells, loss: jsonLoss(text) })
}

/** Whether a line is one license or one page of a file that has one of them a line. */
const isOneALine = (first: string, { file, mapping }: ImportSource): boolean => {
  const read = parsed(first)
  if (
    mapping.rows !== undefined && kindOf(read) === "an object" &&
    Object.hasOwn(read as object, mapping.rows.split(".")[0]!)
  ) {
    return false
  }
  return /\.(ndjson|jsonl)$/i.test(file) || kindOf(read) === "an object"
}

const wholeText = async ({ encoding, file }: ImportSource): Promise<string> => {
  const pieces: Array<string> = []
  for await (const piece of fileText(file, encoding)) pieces.push(piece)
  return pieces.join("")
}

/** The text of the first license of a file of JSON; undefined where there is none. */
export const firstJson = async (source: ImportSource): Promise<string | undefined> => {
  const first = await firstLine(source.file, source.encoding)
  if (isOneALine(first, source)) return first
  return jsonElements(await wholeText(source), source.mapping.rows?.split(".") ?? []).next().value?.text
}

/** The paths of the values of a license, as a mapping sees them. */
export const jsonNames = (mapping: Mapping, text: string | undefined): ReadonlyArray<string> => {
  const value = text === undefined ? undefined : parsed(text)
  return kindOf(value) === "an object" ? cellsOf(mapping, value as object).map(({ name }) => name) : []
}

/** The rows of a file of JSON: one object a line (NDJSON), or documents that hold a list of them. */
export async function* jsonRows(source: ImportSource): AsyncGenerator<ImportRow> {
  const { encoding, file, mapping } = source
  if (isOneALine(await firstLine(file, encoding), source)) {
    let line = 0
    for await (const text of linesOf(fileText(file, encoding))) {
      line += 1
      if (text.trim() !== "") yield rowOf(mapping, { line, text })
    }
    return
  }
  for (const element of jsonElements(await wholeText(source), mapping.rows?.split(".") ?? [])) {
    yield rowOf(mapping, element)
  }
}
