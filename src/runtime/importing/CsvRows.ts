import { parse } from "csv-parse/sync"
import { fileText, firstLine, UnreadableFile, wholeLines } from "./FileText.ts"
import type { Mapping } from "./Mapping.ts"
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
export const csvNames = async ({ encoding, file }: ImportSource): Promise<ReadonlyArray<string>> => {
  const heading = await firstLine(file, encoding)
  return fieldsOf(heading, delimiterOf(heading))
}

/** The rows of a CSV with a heading. */
export async function* csvRows({ encoding, file, mapping }: ImportSource): AsyncGenerator<ImportRow> {
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
