import { jsonErrorPosition, jsonLoss } from "../../domain/ground/parsing/JsonText.ts"
import { kindOf } from "../../domain/ground/wire/Expected.ts"
import { fileText, firstLine, linesOf } from "./FileText.ts"
import { jsonElements } from "./JsonElements.ts"
import type { JsonElement } from "./JsonElements.ts"
import { isMember } from "./Mapping.ts"
import type { Mapping } from "./Mapping.ts"
import { readRow } from "./RowReader.ts"
import type { Cell, ImportRow, ImportSource } from "./RowReader.ts"

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
