import { parse } from "csv-parse/sync"
import { readFile, stat } from "node:fs/promises"
import { nearest } from "../../domain/ground/parsing/Nearest.ts"
import { fileText, firstLine, isJsonFile, UnreadableFile, wholeLines } from "./FileText.ts"
import { firstJson, jsonNames, jsonRows } from "./JsonRows.ts"
import { mappingOver, noMapping, readMappingFile } from "./Mapping.ts"
import type { Mapping, MappingFile } from "./Mapping.ts"
import cryptlex from "./mappings/cryptlex.json" with { type: "json" }
import edd from "./mappings/edd.json" with { type: "json" }
import gumroad from "./mappings/gumroad.json" with { type: "json" }
import keygen from "./mappings/keygen.json" with { type: "json" }
import lemonsqueezy from "./mappings/lemonsqueezy.json" with { type: "json" }
import licenseManager from "./mappings/woocommerce-license-manager.json" with { type: "json" }
import softwareAddOn from "./mappings/woocommerce-software-add-on.json" with { type: "json" }
import { neededColumns, placeOf, readRow, ruleOf, undecided, unknownNames } from "./RowReader.ts"
import type { ImportRow, ImportSource } from "./RowReader.ts"

/** The text of one record, valid or not. */
interface CsvRecord {
  readonly text: string
  /** The lines that it takes, from 1. */
  readonly first: number
  readonly line: number
  /** A misplaced quote. The text completes a sentence that begins with the line. */
  readonly fault?: string
}

/** The state after a line: the record has ended, or continues inside of quotes. */
interface State {
  isQuoted: boolean
  fault: string | undefined
}

const misplaced = "is not a CSV row (RFC 4180): a quote is not allowed here"

/**
 * Follows the quotes of a line. After a wrong one the rest of the line is plain text, so that the next line is a row
 * again.
 */
const follow = (line: string, delimiter: string, state: State): void => {
  let isStart = !state.isQuoted
  for (let at = 0; at < line.length; at++) {
    const character = line[at]!
    if (state.isQuoted) {
      if (character !== "\"") continue
      if (line[at + 1] === "\"") at += 1
      else {
        state.isQuoted = false
        const end = line.slice(at + 1).replace(/^ +/, "").replace(/\r$/, "")
        if (end !== "" && !end.startsWith(delimiter)) {
          state.fault = misplaced
          return
        }
      }
    } else if (character === delimiter) isStart = true
    else if (character === "\"") {
      if (!isStart) {
        state.fault = misplaced
        return
      }
      state.isQuoted = true
    } else if (character.trim() !== "") isStart = false
  }
}

/**
 * The records of a CSV file (RFC 4180) as texts. A wrong quote spoils its own record only: otherwise the following
 * rows would be taken for a part of it. A quote that is never closed ends with the file, and is no record.
 */
async function* csvRecords(lines: AsyncIterable<string>, delimiter: string): AsyncGenerator<CsvRecord> {
  let line = 0
  let open: { readonly first: number; readonly texts: Array<string> } | undefined
  for await (const text of lines) {
    line += 1
    if (open === undefined && text.trim() === "") continue
    const state: State = { isQuoted: open !== undefined, fault: undefined }
    open ??= { first: line, texts: [] }
    open.texts.push(text)
    follow(text, delimiter, state)
    if (state.isQuoted) continue
    const { first, texts } = open
    const fault = state.fault === undefined || first === line ? state.fault : `${state.fault}, on line ${line}`
    yield { text: texts.join("\n"), first, line, ...(fault === undefined ? {} : { fault }) }
    open = undefined
  }
  if (open !== undefined) {
    throw new UnreadableFile(`Line ${open.first} is no CSV (RFC 4180): a quote opens there, and none closes it`)
  }
}

/** The delimiter of a CSV's heading: that of a European spreadsheet, a tab, or the comma of RFC 4180. */
const delimiterOf = (heading: string): string =>
  [";", "\t"].find((delimiter) => heading.split(delimiter).length > heading.split(",").length) ?? ","

/** Checks a heading as a whole, before the first row, so that no row is imported that would be read wrongly. */
const judgeHeading = (mapping: Mapping, names: ReadonlyArray<string>): void => {
  const rules = names.map((name) => ({ name, rule: ruleOf(mapping, name) }))
  const named = (kind: "decides" | "unknown") => rules.filter(({ rule }) => rule === kind).map(({ name }) => name)
  const deciding = named("decides")
  if (deciding.length > 0) throw undecided(deciding)
  const unknown = named("unknown")
  if (unknown.length > 0) throw unknownNames(unknown)
  const missing = neededColumns(mapping).filter((name) => !names.includes(name))
  if (missing.length > 0) {
    const all = missing.map((name) => JSON.stringify(name)).join(", ")
    throw new UnreadableFile(
      `The mapping reads ${all}, and the file has no such column: export it with it, or say in a mapping that extends ` +
        `this one "columns": {${JSON.stringify(missing[0])}: null}`
    )
  }
  const constant = Object.keys(mapping.constants)
  const places = [
    ...constant,
    ...rules.flatMap(({ rule }) =>
      // A column that overrules others is checked once for each row.
      typeof rule === "string" || rule.to === "status" || rule.instead_of !== undefined
        ? []
        : [rule.to, rule.also ?? []].flat()
    )
  ].map(placeOf)
  const twice = places.find((at, index) => at !== "metadata" && places.indexOf(at) !== index)
  if (twice !== undefined) {
    throw new UnreadableFile(
      constant.some((member) => placeOf(member) === twice)
        ? `A column is ${twice}, which is a constant too`
        : `Two columns are ${twice}`
    )
  }
}

/** The fields of a valid record. */
const fieldsOf = (text: string, delimiter: string): ReadonlyArray<string> =>
  parse(text, { delimiter, relax_column_count: true, trim: true })[0] ?? []

/** The names in the heading of a CSV file; none if it cannot be read. */
const csvNames = async ({ encoding, file }: ImportSource): Promise<ReadonlyArray<string>> => {
  const heading = await firstLine(file, encoding)
  return fieldsOf(heading, delimiterOf(heading))
}

/** The rows of a CSV with a heading. */
async function* csvRows({ encoding, file, mapping }: ImportSource): AsyncGenerator<ImportRow> {
  const delimiter = delimiterOf(await firstLine(file, encoding))
  const nobody = { value: {}, nameOf: (member: string) => member }
  let names: ReadonlyArray<string> | undefined
  // A line break inside of quotes stays as it is.
  for await (const { fault, first, line, text } of csvRecords(wholeLines(fileText(file, encoding)), delimiter)) {
    if (names === undefined) {
      if (fault !== undefined) throw new UnreadableFile(`Line ${line} ${fault}`)
      names = fieldsOf(text, delimiter)
      judgeHeading(mapping, names)
      continue
    }
    if (fault !== undefined) {
      yield { line: first, unread: fault, ...nobody }
      continue
    }
    const fields = fieldsOf(text, delimiter)
    if (fields.length !== names.length) {
      yield { line, unread: `has ${fields.length} fields, where the heading has ${names.length}`, ...nobody }
      continue
    }
    yield readRow(mapping, { line, cells: fields.map((raw, index) => ({ name: names![index]!, raw })) })
  }
}

/**
 * The rows of a file of licenses, one after the other: CSV (RFC 4180, also with a byte order mark and with semicolons or
 * tabs), or JSON where the file's name or its first character says so. Fails with `UnreadableFile`.
 */
export const importRows = async function*(source: ImportSource): AsyncGenerator<ImportRow> {
  yield* (await isJsonFile(source.file, source.encoding)) ? jsonRows(source) : csvRows(source)
}

/** Mappings of other systems' files, by their names. */
export const readyMappings: Readonly<Record<string, unknown>> = {
  cryptlex,
  edd,
  gumroad,
  keygen,
  lemonsqueezy,
  "woocommerce-license-manager": licenseManager,
  "woocommerce-software-add-on": softwareAddOn
}

/** The largest file of a mapping, in bytes. */
const largest = 1024 * 1024

/** A ready mapping, as it is written. */
const ready = (name: string): MappingFile => readMappingFile(readyMappings[name], name)

const noneOfThem = (name: string): string => {
  const meant = nearest(name, Object.keys(readyMappings))
  return `${JSON.stringify(name)} is neither a file nor a ready mapping.${
    meant === undefined ? ` There are: ${Object.keys(readyMappings).join(", ")}` : ` Did you mean ${meant}?`
  }`
}

const fromFile = async (path: string): Promise<MappingFile> => {
  const { size } = await stat(path).catch(() => {
    throw new UnreadableFile(noneOfThem(path))
  })
  if (size > largest) throw new UnreadableFile(`${path} is larger than a mapping may be: ${largest} bytes`)
  const read = await readFile(path, "utf8")
  let value: unknown
  try {
    value = JSON.parse(read.replace(/^\uFEFF/, ""))
  } catch (error) {
    throw new UnreadableFile(`${path} is not JSON: ${(error as Error).message}`)
  }
  return readMappingFile(value, path)
}

/** The ready mapping of a name, or the mapping in a file, with what it extends. Fails with {@link UnreadableFile}. */
export const mappingOf = async (nameOrFile: string): Promise<Mapping> => {
  if (Object.hasOwn(readyMappings, nameOrFile)) return mappingOver(noMapping, ready(nameOrFile))
  const file = await fromFile(nameOrFile)
  if (file.extends === undefined) return mappingOver(noMapping, file)
  if (!Object.hasOwn(readyMappings, file.extends)) {
    throw new UnreadableFile(`${nameOrFile}: extends: ${noneOfThem(file.extends)}`)
  }
  return mappingOver(mappingOver(noMapping, ready(file.extends)), file)
}

/** How many columns of a mapping the file has, and whether it has the deciding ones. */
const fit = (mapping: Mapping, names: ReadonlySet<string>): number => {
  const columns = [...mapping.columns]
  const key = columns.find(([, { to }]) => to === "license_key")?.[0]
  const needed = [...neededColumns(mapping), key].filter((name) => name !== undefined)
  return needed.every((name) => names.has(name))
    ? columns.filter(([name]) => names.has(name)).length / columns.length
    : 0
}

/** The name of the ready mapping whose columns a file has; undefined if none matches. */
export const likelyMapping = async (source: ImportSource): Promise<string | undefined> => {
  const isJson = await isJsonFile(source.file, source.encoding)
  const first = new Map<string | undefined, string | undefined>()
  const namesIn = async (mapping: Mapping): Promise<ReadonlyArray<string>> => {
    const of = { ...source, mapping }
    if (!isJson) return csvNames(of)
    if (!first.has(mapping.rows)) first.set(mapping.rows, await firstJson(of))
    return jsonNames(mapping, first.get(mapping.rows))
  }
  const judged: Array<{ readonly name: string; readonly fits: number }> = []
  for (const name of Object.keys(readyMappings)) {
    const mapping = mappingOver(noMapping, ready(name))
    judged.push({ name, fits: fit(mapping, new Set(await namesIn(mapping))) })
  }
  const [best] = judged.toSorted((a, b) => b.fits - a.fits)
  return best !== undefined && best.fits > 0.5 ? best.name : undefined
}
