import { figure } from "../harness/Report.ts"
import type { FigureRow } from "./FigureRows.ts"

/** Three figures are enough to compare. */
const rounded = (value: number | undefined): string =>
  value === undefined ? "" : figure(value, value < 10 ? 2 : value < 100 ? 1 : 0)

const columns: ReadonlyArray<readonly [title: string, cell: (row: FigureRow) => string, align: "left" | "right"]> = [
  ["", ({ name }) => name, "left"],
  ["a second", ({ rate, time }) => time ?? rounded(rate), "right"],
  ["least work", ({ limit }) => rounded(limit), "right"],
  ["ratio", ({ limit, rate }) => limit === undefined || rate === undefined ? "" : figure(rate / limit, 2), "right"],
  ["p99 ms, of both", ({ limitP99, p99 }) => [p99, limitP99].map(rounded).filter(Boolean).join(" / "), "right"],
  ["CPU us", ({ cpu }) => rounded(cpu), "right"],
  ["memory MiB", ({ memory }) => rounded(memory), "right"],
  ["beside the best peer", ({ peer }) => peer ?? "", "left"]
]

/** The rows as a table in Markdown, laid out as the formatter of the documents does. */
export const figureTable = (rows: ReadonlyArray<FigureRow>): string => {
  const cells = rows.map((row) => columns.map(([, cell]) => cell(row)))
  const widths = columns.map(([title], column) => Math.max(3, title.length, ...cells.map((row) => row[column]!.length)))
  const line = (texts: ReadonlyArray<string>) =>
    `| ${
      texts.map((text, column) =>
        columns[column]![2] === "left" ? text.padEnd(widths[column]!) : text.padStart(widths[column]!)
      )
        .join(" | ")
    } |`
  const rule = columns.map(([, , align], column) =>
    align === "left" ? "-".repeat(widths[column]!) : `${"-".repeat(widths[column]! - 1)}:`
  )
  return [line(columns.map(([title]) => title)), line(rule), ...cells.map(line)].join("\n")
}
