import { Console, Effect } from "effect"

/** A number for a table: grouped thousands, `digits` after the point; a dash when it was not measured. */
export const figure = (value: number, digits = 0): string =>
  Number.isFinite(value)
    ? value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })
    : "-"

/** Prints a title, a table whose first column names its rows, and what is to be said about it. */
export const print = (
  title: string,
  header: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  remarks: ReadonlyArray<string>
): Effect.Effect<void> => {
  const widths = header.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: ReadonlyArray<string>) =>
    cells.map((cell, column) => column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)).join("  ")
  return Console.log([title, "", line(header), ...rows.map(line), "", ...remarks, ""].join("\n"))
}
