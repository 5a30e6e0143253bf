import type { Effect } from "effect"
import { CliOutput, Flag } from "effect/cli"
import { visibleLine } from "../../domain/ground/parsing/VisibleText.ts"
import { printText } from "./Printing.ts"

/** `--json`: output for programs. */
export const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Print JSON, for programs"),
  Flag.withDefault(false)
)

/** A count with its noun. */
export const counted = (count: number | bigint, noun: string): string =>
  `${count.toLocaleString("en-US")} ${noun}${Number(count) === 1 ? "" : "s"}`

/** Rows as lines in columns, the first row being the heading; widths are those of a terminal's cells. */
const tableOf = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const cells = rows.map((row) => row.map(visibleLine))
  const widths = (cells[0] ?? []).map((_, column) =>
    cells.reduce((widest, row) => Math.max(widest, CliOutput.displayWidth(row[column] ?? "")), 0)
  )
  const padded = (cell: string, width: number) => cell + " ".repeat(Math.max(0, width - CliOutput.displayWidth(cell)))
  return cells.map((row) => row.map((cell, column) => padded(cell, widths[column] ?? 0)).join("  ").trimEnd())
}

/** Prints rows in columns, the first being the heading. */
export const printTable = (rows: ReadonlyArray<ReadonlyArray<string>>): Effect.Effect<void> => printText(tableOf(rows))

/** Prints facts: a label and its value on each line, in columns. A missing value has no line. */
export const printFacts = (facts: ReadonlyArray<readonly [string, string | undefined]>): Effect.Effect<void> =>
  printText(tableOf(facts.flatMap(([label, value]) => value === undefined ? [] : [[label, value]])))
