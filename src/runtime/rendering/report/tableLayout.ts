import type { TextSetter } from "countersign-pdf"
import type { ReportRow } from "../../../domain/reports/Report.ts"
import type { PrintedColumn } from "./printedColumns.ts"
import type { ReportClock } from "./ReportClock.ts"
import { cellText } from "./reportTexts.ts"

/** Room between the text of a cell and its edges, in points. */
export const padding = { x: 4.5, y: 2.2 } as const

/** The distance of lines, as a multiple of the font size: room for scripts with marks above and below. */
export const lineHeight = 1.32

/** Text on a page is this large with so many columns, in points. */
export const bodySize = (columns: number): number => columns <= 6 ? 8 : columns <= 9 ? 7.2 : columns <= 12 ? 6.6 : 6

/** Identifiers are this much smaller than what is read. */
export const identifierScale = 0.82

const widest = 190

/**
 * The widths of columns that fill `width` points, from what the first rows hold, or all where `isWhole`: numbers and times are never broken, as
 * far as there is room; the rest shares what is left by what it needs.
 */
export const columnWidths = (
  setter: TextSetter,
  columns: ReadonlyArray<PrintedColumn>,
  sample: ReadonlyArray<ReportRow>,
  totals: ReadonlyMap<string, string>,
  { clock, isWhole, names, size, width }: {
    readonly clock: ReportClock
    readonly isWhole: boolean
    /** The names of identifiers. */
    readonly names: Readonly<Record<string, string>>
    readonly size: number
    readonly width: number
  }
): ReadonlyArray<number> => {
  const measure = (text: string, weight: 400 | 700 = 400) => setter.line(text, weight).width * size / 1000
  const needs = columns.map((column) => {
    const scale = column.isIdentifier ? identifierScale : 1
    const words = column.title.split(" ").map((word) => measure(word, 700))
    const cells = sample.map((row) => {
      const text = cellText(column, row, clock)
      const name = column.isNamed ? names[text] : undefined
      return Math.max(measure(text) * scale, name === undefined ? 0 : measure(name))
    })
    const total = measure(totals.get(column.key) ?? "", 700)
    const head = Math.max(...words)
    // Further rows count further, where nothing says how far.
    const more = isWhole || column.type !== "integer" || totals.has(column.key) ? 0 : measure("9,999,999")
    const body = cells.reduce((most, cell) => Math.max(most, cell), Math.max(total, more))
    const whole = Math.max(head, Math.min(body, widest)) + 2 * padding.x + 0.5
    // A time may stand on two lines, the date and the time of day.
    const least = column.type === "integer"
      ? whole
      : column.type === "timestamp"
      ? Math.max(head, Math.min(body, measure("0000-00-00"))) + 2 * padding.x + 0.5
      // An identifier stands on two lines, and a name is broken between words.
      : Math.max(head, Math.min(body, measure(column.isIdentifier ? "0000000000000000" : "0000000000") * scale)) +
        2 * padding.x + 0.5
    return { whole, least }
  })
  const sum = (values: ReadonlyArray<number>) => values.reduce((total, value) => total + value, 0)
  const wholes = sum(needs.map(({ whole }) => whole))
  if (wholes <= width) {
    // Room that is left goes to the columns by their width, so that the table fills the page.
    return needs.map(({ whole }) => whole * width / wholes)
  }
  const leasts = sum(needs.map(({ least }) => least))
  if (leasts >= width) return needs.map(({ least }) => least * width / leasts)
  const share = (width - leasts) / (wholes - leasts)
  return needs.map(({ least, whole }) => least + (whole - least) * share)
}
