import { Console, Effect } from "effect"
import { CliOutput, Flag } from "effect/cli"
import { visibleJson, visibleLine } from "../../domain/ground/parsing/VisibleText.ts"

/** One or more lines. */
export type Lines = string | ReadonlyArray<string>

const shown = (lines: Lines): string =>
  typeof lines === "string" ? visibleLine(lines) : lines.map(visibleLine).join("\n")

/**
 * Prints lines to standard output. Text of customers, apps and receivers is shown and never obeyed by the terminal,
 * and no value ends its line. All output of commands goes through this file; the linter refuses other ways.
 */
export const printText = (lines: Lines): Effect.Effect<void> => Console.log(shown(lines))

/** Prints to standard output at once, without an effect: only lines that were made visible before. */
export const makePrinter: Effect.Effect<(visible: string) => void> = Effect.map(
  Console.Console,
  (output) => (visible) => output.log(visible)
)

/** {@link printText} for standard error. */
export const printNotice = (lines: Lines): Effect.Effect<void> => Console.error(shown(lines))

/** Prints a value as indented JSON. */
export const printJson = (value: unknown): Effect.Effect<void> =>
  Console.log(visibleJson(JSON.stringify(value, null, 2)))

/** Prints a value as JSON on one line. */
export const printJsonLine = (value: unknown): Effect.Effect<void> => Console.log(visibleJson(JSON.stringify(value)))

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
