import { Console, Effect } from "effect"
import { CliOutput, Flag } from "effect/cli"

/** `--json`: what a program reads instead of what a person reads. */
export const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Print JSON, for programs"),
  Flag.withDefault(false)
)

/** Prints a value as indented JSON. */
export const printJson = (value: unknown): Effect.Effect<void> => Console.log(JSON.stringify(value, null, 2))

/** Rows as lines in columns, the first row being the heading; widths are those of a terminal's cells. */
const tableOf = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => CliOutput.displayWidth(row[column] ?? "")))
  )
  const padded = (cell: string, width: number) => cell + " ".repeat(Math.max(0, width - CliOutput.displayWidth(cell)))
  return rows.map((row) => row.map((cell, column) => padded(cell, widths[column] ?? 0)).join("  ").trimEnd()).join("\n")
}

/** Prints rows in columns, the first being the heading. */
export const printTable = (rows: ReadonlyArray<ReadonlyArray<string>>): Effect.Effect<void> =>
  Console.log(tableOf(rows))

/** Prints what is known of one thing: a label and its value a line, in columns; a value that is not there has no line. */
export const printFacts = (facts: ReadonlyArray<readonly [string, string | undefined]>): Effect.Effect<void> =>
  Console.log(tableOf(facts.flatMap(([label, value]) => value === undefined ? [] : [[label, value]])))
