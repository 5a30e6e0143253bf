import { parse } from "csv-parse/sync"
import { csvRecords } from "./CsvRecords.ts"
import { fileText, firstLine, UnreadableFile, wholeLines } from "./FileText.ts"
import type { Mapping } from "./Mapping.ts"
import { neededColumns, ruleOf, undecided, unknownNames } from "./NameRules.ts"
import { placeOf, readRow } from "./RowReader.ts"
import type { ImportRow, ImportSource } from "./RowReader.ts"

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
