import type { CsvError } from "csv-parse"
import { parse } from "csv-parse"
import { Readable } from "node:stream"
import { jsonErrorPosition, jsonLoss } from "../../domain/parsing/JsonText.ts"
import type { JsonLoss } from "../../domain/parsing/JsonText.ts"
import { kindOf } from "../../domain/wire/Expected.ts"
import { fileText, linesOf, UnreadableFile } from "./FileText.ts"

/** A row of the file by the names of this service's members, and where it stands. */
export interface ImportRow {
  /** From 1 on; of a CSV row the line on which it ends. */
  readonly line: number
  /** Why the line is no row. Completes a sentence that begins with the line, and repeats nothing of it. */
  readonly unread?: string
  readonly value: Readonly<Record<string, unknown>>
  /** What the file calls a member. */
  readonly nameOf: (member: string) => string
  /** What of the row would not be kept, by the names of the file. */
  readonly loss?: JsonLoss | undefined
}

/** Members that a column can be, besides `metadata.<name>` and `overrides.<rule>`. */
const members = [
  "license_key",
  "product",
  "product_id",
  "policy",
  "policy_id",
  "customer_id",
  "customer_email",
  "customer_name",
  "order_id",
  "subscription_id",
  "starts_at",
  "expires_at",
  "maintenance_expires_at",
  "activate_before",
  "follows_subscription",
  "max_activations"
] as const

const isMember = (name: string): boolean =>
  (members as ReadonlyArray<string>).includes(name) || /^(metadata|overrides)\.[A-Za-z0-9_-]+$/.test(name)

const typed = (member: string, text: string): unknown => {
  if (member.startsWith("metadata.")) return text
  if (/^-?\d{1,15}$/.test(text) && (member.startsWith("overrides.") || member === "max_activations")) {
    return Number(text)
  }
  const isTruth = member === "follows_subscription" || member.startsWith("overrides.")
  return isTruth && /^(true|false)$/i.test(text) ? text.toLowerCase() === "true" : text
}

/** What a name of the file is here, as it is mapped; names of the file may be those of what every object has. */
const memberOf = (map: ImportSource["map"], name: string): string => Object.hasOwn(map, name) ? map[name]! : name

/** A row without members, and without what every object has: `__proto__` is a name like others. */
const emptyRow = (): Record<string, unknown> => Object.create(null) as Record<string, unknown>

/** The parts of `metadata.x` and the like; the second one may have further dots. */
const partsOf = (member: string): readonly [top: string, name?: string] => {
  if (member === "max_activations") return ["overrides", member]
  const dot = member.indexOf(".")
  return dot === -1 ? [member] : [member.slice(0, dot), member.slice(dot + 1)]
}

/** Sets `metadata.x` as the member `x` of `metadata`, and so on. Answers whether its place was free. */
const place = (row: Record<string, unknown>, member: string, value: unknown): boolean => {
  const [top, name] = partsOf(member)
  const there = row[top]
  if (name === undefined) {
    if (there !== undefined) return false
    row[top] = value
    return true
  }
  if (there !== undefined && (kindOf(there) !== "an object" || Object.hasOwn(there as object, name))) return false
  row[top] = { ...(there as object | undefined), [name]: value }
  return true
}

/** The delimiter of a CSV's heading: that of a European spreadsheet, a tab, or the comma of RFC 4180. */
const delimiterOf = (heading: string): string =>
  [";", "\t"].find((delimiter) => heading.split(delimiter).length > heading.split(",").length) ?? ","

const firstLine = async (file: string, encoding?: string): Promise<string> => {
  for await (const line of linesOf(fileText(file, encoding))) return line
  return ""
}

const wrongNames = (names: ReadonlyArray<string>): string =>
  `The column ${
    names.map((name) => JSON.stringify(name)).join(", ")
  } is none that a license has. Say what it is with ` +
  `--map "${names[0]}=metadata.${names[0]!.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_")}", or another of: ${
    members.join(", ")
  }, metadata.<name>, overrides.<rule>`

async function* csvRows({ encoding, file, map }: ImportSource): AsyncGenerator<ImportRow> {
  let columns: ReadonlyArray<string> = []
  let theirs: ReadonlyArray<string> = []
  const text = Readable.from(fileText(file, encoding))
  const parser = text.pipe(parse({
    delimiter: delimiterOf(await firstLine(file, encoding)),
    info: true,
    // A row of another length is one that is wrong, and not the end of the file.
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true
  }))
  // A pipe ends with its source, but does not fail with it.
  text.once("error", (error) => parser.destroy(error))
  const nameOf = (member: string) =>
    theirs[columns.findIndex((column) => column === member || column === member.replace("overrides.", ""))] ?? member
  try {
    for await (const { info, record } of parser as AsyncIterable<{ info: { lines: number }; record: Array<string> }>) {
      if (columns.length === 0) {
        theirs = record
        columns = record.map((name) => memberOf(map, name))
        const wrong = theirs.filter((_, index) => !isMember(columns[index]!))
        if (wrong.length > 0) throw new UnreadableFile(wrongNames(wrong))
        // Two names may stand for one member.
        const places = columns.map((column) => partsOf(column).join("."))
        const twice = columns.find((_, index) => places.indexOf(places[index]!) !== index)
        if (twice !== undefined) throw new UnreadableFile(`Two columns are ${twice}`)
        continue
      }
      const value = emptyRow()
      if (record.length !== columns.length) {
        yield {
          line: info.lines,
          unread: `has ${record.length} fields, where the heading has ${columns.length}`,
          value,
          nameOf
        }
        continue
      }
      for (const [index, text] of record.entries()) {
        if (text !== "") place(value, columns[index]!, typed(columns[index]!, text))
      }
      yield { line: info.lines, value, nameOf }
    }
  } catch (error) {
    if ((error as Error).name !== "CsvError" && !("code" in (error as object))) throw error
    const { lines, message } = error as CsvError & { readonly lines?: number }
    throw new UnreadableFile(lines === undefined ? message : `Line ${lines} is no CSV (RFC 4180): ${message}`)
  }
}

/** A text as JSON; undefined where it is none. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const placedTwice = "says what another name of the row says too, and only one of the two would be kept"

const depthIn = (map: ImportSource["map"], name: string): number => partsOf(memberOf(map, name)).length

async function* jsonRows({ encoding, file, map }: ImportSource): AsyncGenerator<ImportRow> {
  const theirs = new Map(Object.entries(map).map(([name, member]) => [member, name]))
  const nameOf = (member: string) => theirs.get(member) ?? member
  let line = 0
  for await (const text of linesOf(fileText(file, encoding))) {
    line += 1
    const trimmed = text.trim()
    if (trimmed === "") continue
    const value = emptyRow()
    const read = parsed(trimmed)
    if (kindOf(read) !== "an object") {
      yield {
        line,
        unread: read === undefined
          ? `is not JSON: it goes wrong at column ${jsonErrorPosition(text).column}`
          : `must be a JSON object, not ${kindOf(read)}`,
        value,
        nameOf
      }
      continue
    }
    // Whole members first: what their parts add is added to them.
    const named = Object.entries(read as object).toSorted(([a], [b]) => depthIn(map, a) - depthIn(map, b))
    const twice = named.find(([name, member]) => !place(value, memberOf(map, name), member))
    yield { line, value, nameOf, loss: jsonLoss(trimmed) ?? (twice && { path: [twice[0]], message: placedTwice }) }
  }
}

/** A file of licenses. */
export interface ImportSource {
  readonly file: string
  /** What its columns are here, by their names. */
  readonly map: Readonly<Record<string, string>>
  /** What it is in; undefined for UTF-8, or what its byte order mark says. */
  readonly encoding?: string | undefined
}

/**
 * The rows of a file of licenses, one after the other: CSV (RFC 4180, also with a byte order mark and with semicolons or
 * tabs), or NDJSON where the file's name or its first character says so. Fails with {@link UnreadableFile}.
 */
export const importRows = async function*(source: ImportSource): AsyncGenerator<ImportRow> {
  const { encoding, file } = source
  const isJson = /\.(ndjson|jsonl|json)$/i.test(file) || (await firstLine(file, encoding)).trimStart().startsWith("{")
  yield* isJson ? jsonRows(source) : csvRows(source)
}
