import type { SnapshotHead } from "../../../domain/exports/ReportSnapshot.ts"
import type { ReportColumn, ReportRow } from "../../../domain/reports/Report.ts"
import { ink } from "../file/PdfPages.ts"
import type { Element, PdfPages } from "../file/PdfPages.ts"
import type { Weight } from "../fonts/fontSlice.ts"
import type { TextSetter } from "../text/TextSetter.ts"
import { cellText, grouped } from "./reportTexts.ts"
import { bodySize, columnWidths, lineHeight, padding } from "./tableLayout.ts"

/** A row that was broken into lines. */
export interface Cells {
  readonly lines: ReadonlyArray<ReadonlyArray<string>>
  /** In points. */
  readonly height: number
}

/** Columns whose cells add up, in every report but an audit, where refused and admitted stand side by side. */
const additive: ReadonlySet<string> = new Set(["uses", "amount", "adjusted", "active_device_count"])

/** In the ledger, entries of other kinds correct what was used, and count for nothing in the sum of use. */
const counts = (kind: SnapshotHead["report_kind"], row: ReportRow): boolean =>
  kind !== "usage-ledger" || row["action"] === "license.usage_recorded"

/** The table of a report: its head on every page, its rows, and what they come to. */
export class ReportTable {
  readonly headHeight: number
  private readonly pages: PdfPages
  private readonly setter: TextSetter
  private readonly kind: SnapshotHead["report_kind"]
  private readonly columns: ReadonlyArray<ReportColumn>
  private readonly widths: ReadonlyArray<number>
  private readonly size: number
  private readonly x: number
  private readonly titles: Cells
  private readonly table: Element
  private readonly totals: Map<string, bigint>
  private body: Element | undefined
  private isHeadTagged = false

  constructor(
    pages: PdfPages,
    setter: TextSetter,
    { columns, report_kind, row_count, summary }: SnapshotHead,
    sample: ReadonlyArray<ReportRow>,
    { width, x }: { readonly x: number; readonly width: number }
  ) {
    this.pages = pages
    this.setter = setter
    this.kind = report_kind
    this.columns = columns
    this.size = bodySize(columns.length)
    this.x = x
    const expected = new Map(
      Object.entries(summary).flatMap(([key, value]) =>
        typeof value === "number" ? [[key, grouped(value)] as const] : []
      )
    )
    this.widths = columnWidths(setter, columns, sample, expected, {
      isWhole: sample.length === row_count,
      size: this.size,
      width
    })
    this.titles = this.broken(columns.map(({ title }) => title), 700)
    this.headHeight = this.titles.height
    this.table = pages.open("Table", pages.document)
    this.totals = new Map(
      report_kind === "license-audit"
        ? []
        : columns.filter(({ key, type }) => type === "integer" && additive.has(key)).map(({ key }) => [key, 0n])
    )
  }

  private broken(texts: ReadonlyArray<string>, weight: Weight): Cells {
    const lines = texts.map((text, index) =>
      text === "" ? [] : this.setter.wrap(text, (this.widths[index]! - 2 * padding.x) * 1000 / this.size, weight)
    )
    const most = lines.reduce((most, { length }) => Math.max(most, length), 1)
    return { lines, height: most * this.size * lineHeight + 2 * padding.y }
  }

  private show(cell: ReadonlyArray<string>, index: number, x: number, y: number, weight: Weight): void {
    cell.forEach((text, at) => {
      const line = this.setter.line(text, weight)
      const width = line.width * this.size / 1000
      const isNumber = this.columns[index]!.type === "integer"
      const left = isNumber ? x + this.widths[index]! - padding.x - width : x + padding.x
      this.pages.text(line, left, y + padding.y + this.size * (0.98 + at * lineHeight), this.size)
    })
  }

  private draw(kind: "TH" | "TD", parent: Element | undefined, { lines }: Cells, y: number, weight: Weight): void {
    let x = this.x
    const attributes = kind === "TH" ? "/A<</O/Table/Scope/Column>>" : ""
    lines.forEach((cell, index) => {
      const left = x
      if (parent === undefined) this.show(cell, index, left, y, weight)
      else if (cell.length === 0) this.pages.blank(kind, parent)
      else this.pages.mark(kind, parent, () => this.show(cell, index, left, y, weight), attributes)
      x += this.widths[index]!
    })
  }

  private get width(): number {
    return this.widths.reduce((sum, width) => sum + width, 0)
  }

  /** A row in an element of its own. */
  private tagged(kind: "TH" | "TD", parent: Element, cells: Cells, y: number, weight: Weight): void {
    const row = this.pages.open("TR", parent)
    this.draw(kind, row, cells, y, weight)
    this.pages.close(row, parent)
  }

  /** The column titles at `y`; answers where the first row goes. What is repeated on later pages is for the eye alone. */
  head(y: number): number {
    const { pages, titles } = this
    pages.artifact(() => {
      pages.fill(this.x, y, this.width, titles.height, `${ink.shade} g`)
      pages.rule(this.x, y + titles.height, this.width, ink.faint)
      if (this.isHeadTagged) this.draw("TH", undefined, titles, y, 700)
    })
    if (!this.isHeadTagged) {
      const head = pages.open("THead", this.table)
      this.tagged("TH", head, titles, y, 700)
      pages.close(head, this.table)
      this.isHeadTagged = true
    }
    this.body = pages.open("TBody", this.table)
    return y + titles.height
  }

  /** Breaks a row into lines, and adds it up. */
  cells(row: ReportRow): Cells {
    for (const [key, sum] of this.totals) {
      const value = row[key]
      if (typeof value === "number" && counts(this.kind, row)) this.totals.set(key, sum + BigInt(value))
    }
    return this.broken(this.columns.map((column) => cellText(column, row[column.key])), 400)
  }

  /** Draws a row at `y`; answers where the next one goes. */
  row(cells: Cells, y: number): number {
    this.tagged("TD", this.body!, cells, y, 400)
    const below = y + cells.height
    this.pages.artifact(() => this.pages.rule(this.x, below, this.width))
    return below
  }

  /** What the rows come to; undefined where nothing adds up. */
  sums(): Cells | undefined {
    if (this.totals.size === 0) return undefined
    const texts = this.columns.map(({ key }) => {
      const sum = this.totals.get(key)
      return sum === undefined ? "" : grouped(sum)
    })
    if (texts[0] === "") texts[0] = this.kind === "usage-ledger" ? "Total use" : "Total"
    return this.broken(texts, 700)
  }

  total(cells: Cells, y: number): number {
    const { pages } = this
    pages.artifact(() => {
      pages.fill(this.x, y, this.width, cells.height, `${ink.shade} g`)
      pages.rule(this.x, y, this.width, ink.faint)
    })
    this.tagged("TD", this.body!, cells, y, 700)
    return y + cells.height
  }

  /** The rows of a page are a body of their own, so that no element has a hundred thousand members. */
  endPage(): void {
    if (this.body === undefined) return
    if (this.body.kids.length > 0) this.pages.close(this.body, this.table)
    this.body = undefined
  }

  end(): void {
    this.pages.close(this.table, this.pages.document)
  }
}
