import { Effect } from "effect"
import { maskedUrl } from "../../domain/delivery/webhooks/Webhook.ts"
import { isMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { printFacts, printTable, printText } from "./Printing.ts"

const isRows = (value: unknown): value is ReadonlyArray<JsonMembers> =>
  Array.isArray(value) && value.length > 0 && value.every(isMembers)

/**
 * A cell of a table. URLs are shortened, because their paths may be secrets, and terminals are copied into tickets:
 * `--json` has them in full.
 */
const cellOf = (value: unknown): string => {
  if (value === undefined || value === null) return ""
  if (typeof value === "string") return /^https?:\/\//.test(value) ? maskedUrl(value) : value
  if (typeof value === "number") return value.toLocaleString("en-US")
  if (typeof value === "boolean") return value ? "yes" : "no"
  return Array.isArray(value) && !value.some((element) => typeof element === "object")
    ? value.map(cellOf).join(", ")
    : JSON.stringify(value)
}

/** The value at a path of members, `last_outcome.class`. */
const valueAt = (row: JsonMembers, path: string): unknown =>
  path.split(".").reduce<unknown>((value, name) => isMembers(value) ? value[name] : undefined, row)

/** The widest table whose columns are not given, in characters. */
const widest = 120

/** As many of the members that are single values as fit, in their order. */
const columnsOf = (rows: ReadonlyArray<JsonMembers>): ReadonlyArray<string> => {
  const names = [...new Set(rows.flatMap(Object.keys))].filter((name) =>
    rows.every((row) => typeof row[name] !== "object")
  )
  let width = 0
  return names.filter((name) => {
    width += 2 + rows.reduce((most, row) => Math.max(most, cellOf(row[name]).length), name.length)
    return width <= widest
  })
}

/** Prints a list as a table, with these members as columns or as many as fit. */
const printRows = (rows: ReadonlyArray<JsonMembers>, columns = columnsOf(rows)): Effect.Effect<void> =>
  printTable([
    columns.map((path) => path.replaceAll(/[._]/g, " ").toUpperCase()),
    ...rows.map((row) => columns.map((path) => cellOf(valueAt(row, path))))
  ])

/** The single values of a resource by their paths. */
const factsOf = (row: JsonMembers, prefix = ""): ReadonlyArray<readonly [string, string]> =>
  Object.entries(row).flatMap(([name, value]): ReadonlyArray<readonly [string, string]> =>
    isMembers(value) ? factsOf(value, `${prefix}${name}.`) : isRows(value) ? [] : [[`${prefix}${name}`, cellOf(value)]]
  )

/** Prints what an operation answered: a line for each value of a resource, and tables of the lists in it. */
export const printAnswer = Effect.fnUntraced(function*(data: unknown, columns?: ReadonlyArray<string>) {
  if (typeof data === "string") return yield* printText(data.split("\n"))
  if (isRows(data)) return yield* printRows(data, columns)
  if (Array.isArray(data)) return yield* printText(data.length === 0 ? "None" : data.map(cellOf))
  if (!isMembers(data)) return yield* printText(data === undefined ? "Done" : cellOf(data))
  yield* printFacts(factsOf(data))
  for (const [name, rows] of Object.entries(data)) {
    if (!isRows(rows)) continue
    yield* printText(["", name])
    yield* printRows(rows)
  }
})
