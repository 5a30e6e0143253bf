import type { CsvError } from "csv-parse"
import { parse } from "csv-parse"
import { createReadStream } from "node:fs"
import { createInterface } from "node:readline"

/** A row of the file by the names of this service's members, and where it stands. */
export interface ImportRow {
  /** From 1 on; of a CSV row the line on which it ends. */
  readonly line: number
  readonly value: Readonly<Record<string, unknown>>
  /** What the file calls a member. */
  readonly nameOf: (member: string) => string
}

/** The file cannot be read as what it should be. The message names the line. */
export class UnreadableFile extends Error {
  override readonly name = "UnreadableFile"
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

/** Sets `metadata.x` as the member `x` of `metadata`, and so on. */
const place = (row: Record<string, unknown>, member: string, value: unknown): void => {
  const [top, name] = member === "max_activations" ? ["overrides", member] : member.split(".") as [string, string?]
  if (name === undefined) row[top] = value
  else row[top] = { ...(row[top] as object | undefined), [name]: value }
}

/** The delimiter of a CSV's heading: that of a European spreadsheet, a tab, or the comma of RFC 4180. */
const delimiterOf = (heading: string): string =>
  [";", "\t"].find((delimiter) => heading.split(delimiter).length > heading.split(",").length) ?? ","

const firstLine = async (file: string): Promise<string> => {
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity })
  for await (const line of lines) {
    lines.close()
    return line
  }
  return ""
}

const wrongNames = (names: ReadonlyArray<string>): string =>
  `The column ${
    names.map((name) => JSON.stringify(name)).join(", ")
  } is none that a license has. Say what it is with ` +
  `--map "${names[0]}=metadata.${names[0]!.toLowerCase().replaceAll(/[^a-z0-9]+/g, "_")}", or another of: ${
    members.join(", ")
  }, metadata.<name>, overrides.<rule>`

async function* csvRows(file: string, map: Readonly<Record<string, string>>): AsyncGenerator<ImportRow> {
  let columns: ReadonlyArray<string> = []
  let theirs: ReadonlyArray<string> = []
  const parser = createReadStream(file).pipe(parse({
    bom: true,
    delimiter: delimiterOf(await firstLine(file)),
    info: true,
    skip_empty_lines: true,
    trim: true
  }))
  const nameOf = (member: string) =>
    theirs[columns.findIndex((column) => column === member || column === member.replace("overrides.", ""))] ?? member
  try {
    for await (const { info, record } of parser as AsyncIterable<{ info: { lines: number }; record: Array<string> }>) {
      if (columns.length === 0) {
        theirs = record
        columns = record.map((name) => map[name] ?? name)
        const wrong = theirs.filter((_, index) => !isMember(columns[index]!))
        if (wrong.length > 0) throw new UnreadableFile(wrongNames(wrong))
        const twice = columns.find((column, index) => columns.indexOf(column) !== index)
        if (twice !== undefined) throw new UnreadableFile(`Two columns are ${twice}`)
        continue
      }
      const value: Record<string, unknown> = {}
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

async function* jsonRows(file: string, map: Readonly<Record<string, string>>): AsyncGenerator<ImportRow> {
  const theirs = new Map(Object.entries(map).map(([name, member]) => [member, name]))
  const nameOf = (member: string) => theirs.get(member) ?? member
  let line = 0
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    line += 1
    const trimmed = text.replace(/^\uFEFF/, "").trim()
    if (trimmed === "") continue
    let read: unknown
    try {
      read = JSON.parse(trimmed)
    } catch (error) {
      throw new UnreadableFile(`Line ${line} is not JSON: ${(error as Error).message}`)
    }
    if (typeof read !== "object" || read === null || Array.isArray(read)) {
      throw new UnreadableFile(`Line ${line} is not a JSON object`)
    }
    const value: Record<string, unknown> = {}
    for (const [name, member] of Object.entries(read)) place(value, map[name] ?? name, member)
    yield { line, value, nameOf }
  }
}

/**
 * The rows of a file of licenses, one after the other: CSV (RFC 4180, also with a byte order mark and with semicolons or
 * tabs), or NDJSON where the file's name or its first character says so. Fails with {@link UnreadableFile}.
 */
export const importRows = async function*(
  file: string,
  map: Readonly<Record<string, string>>
): AsyncGenerator<ImportRow> {
  const isJson = /\.(ndjson|jsonl|json)$/i.test(file) || (await firstLine(file)).trimStart().startsWith("{")
  yield* isJson ? jsonRows(file, map) : csvRows(file, map)
}
