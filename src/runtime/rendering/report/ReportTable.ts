import type { SnapshotHead } from "../../../domain/exports/ReportSnapshot.ts"
import type { ReportRow } from "../../../domain/reports/Report.ts"
import { ink } from "../file/PdfPages.ts"
import type { Element, PdfPages } from "../file/PdfPages.ts"
import { spoken } from "../file/pdfText.ts"
import type { Weight } from "../fonts/fontSlice.ts"
import type { TextSetter } from "../text/TextSetter.ts"
import { printedColumns } from "./printedColumns.ts"
import type { PrintedColumn } from "./printedColumns.ts"
import { clockOf } from "./ReportClock.ts"
import type { ReportClock } from "./ReportClock.ts"
import { cellText, grouped } from "./reportTexts.ts"
import { bodySize, columnWidths, identifierScale, lineHeight, padding } from "./tableLayout.ts"
import { ReportTotals } from "./totals.ts"

/** A row that was broken into lines. */
export interface Cells {
  /** As they were before. */
  readonly texts: ReadonlyArray<string>
  readonly lines: ReadonlyArray<ReadonlyArray<string>>
  /** How many lines of each cell are the name of the identifier under them. */
  readonly named?: ReadonlyArray<number>
  /** In points. */
  readonly height: number
}

/** The table of a report: its head on every page, its rows, and what they come to. */
export class ReportTable {
  readonly headHeight: number
  private readonly pages: PdfPages
  private readonly setter: TextSetter
  private readonly columns: ReadonlyArray<PrintedColumn>
  private readonly widths: ReadonlyArray<number>
  private readonly size: number
  private readonly x: number
  private readonly titles: Cells
  private readonly table: Element
  private readonly totals: ReportTotals
  private readonly clock: ReportClock
  private readonly names: Readonly<Record<string, string>>
  private body: Element | undefined
  private isHeadTagged = false

  constructor(
    pages: PdfPages,
    setter: TextSetter,
    head: SnapshotHead,
    sample: ReadonlyArray<ReportRow>,
    { width, x }: { readonly x: number; readonly width: number }
  ) {
    this.pages = pages
    this.setter = setter
    const { row_count, summary } = head
    const columns = printedColumns(head, sample)
    this.clock = clockOf(head)
    this.names = head.presentation?.names ?? {}
    this.columns = columns
    this.size = bodySize(columns.length)
    this.x = x
    const expected = new Map(
      Object.entries(summary).flatMap(([key, value]) =>
        typeof value === "number" ? [[key, grouped(value)] as const] : []
      )
    )
    this.widths = columnWidths(setter, columns, sample, expected, {
      clock: this.clock,
      isWhole: sample.length === row_count,
      names: this.names,
      size: this.size,
      width
    })
    this.titles = this.broken(columns.map(({ title }) => title), 700)
    this.headHeight = this.titles.height
    this.table = pages.open("Table", pages.document)
    this.totals = new ReportTotals(head)
  }

  /** Of a row whose cells have these lines, in points. */
  private heightOf(lines: ReadonlyArray<ReadonlyArray<string>>): number {
    const most = lines.reduce((most, { length }) => Math.max(most, length), 1)
    return most * this.size * lineHeight + 2 * padding.y
  }

  private broken(texts: ReadonlyArray<string>, weight: Weight, widths = this.widths): Cells {
    const lines = texts.map((text, index) =>
      text === ""
        ? []
        : this.setter.wrap(text, (widths[index]! - 2 * padding.x) * 1000 / this.sizeOf(index, weight), weight)
    )
    return { texts, lines, height: this.heightOf(lines) }
  }

  /** Identifiers are small; titles and totals are not. */
  private sizeOf(index: number, weight: Weight): number {
    return this.columns[index]!.isIdentifier && weight === 400 ? this.size * identifierScale : this.size
  }

  private show(cell: ReadonlyArray<string>, index: number, x: number, y: number, weight: Weight, named = 0): void {
    const isNumber = this.columns[index]!.type === "integer"
    cell.forEach((text, at) => {
      const size = at < named ? this.size : this.sizeOf(index, weight)
      const line = this.setter.line(text, weight)
      const width = line.width * size / 1000
      const left = isNumber ? x + this.widths[index]! - padding.x - width : x + padding.x
      const base = y + padding.y + this.size * (0.98 + at * lineHeight)
      this.pages.text(line, left, base, size, size === this.size ? ink.text : ink.faint)
    })
  }

  private draw(
    kind: "TH" | "TD",
    parent: Element | undefined,
    { lines, named, texts }: Cells,
    y: number,
    weight: Weight
  ): void {
    let x = this.x
    const scope = kind === "TH" ? "/A<</O/Table/Scope/Column>>" : ""
    lines.forEach((cell, index) => {
      const left = x
      if (parent === undefined) this.show(cell, index, left, y, weight)
      else if (cell.length === 0) this.pages.blank(kind, parent)
      else {
        const show = () => this.show(cell, index, left, y, weight, named?.[index])
        this.pages.mark(kind, parent, show, scope + spoken(texts[index]!))
      }
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

  /** Draws the column titles at `y`; answers where the first row goes. On later pages they are decoration, and untagged. */
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
    this.totals.add(row)
    const texts = this.columns.map((column) => cellText(column, row[column.key], this.clock))
    const cells = this.broken(texts, 400)
    if (!this.columns.some(({ isNamed }) => isNamed)) return cells
    const names = texts.map((text, index) =>
      this.columns[index]!.isNamed && this.names[text] !== undefined
        ? this.setter.wrap(this.names[text], (this.widths[index]! - 2 * padding.x) * 1000 / this.size)
        : []
    )
    const lines = cells.lines.map((cell, index) => names[index]!.concat(cell))
    return {
      texts: texts.map((text, index) => names[index]!.length === 0 ? text : `${this.names[text]} ${text}`),
      lines,
      named: names.map(({ length }) => length),
      height: this.heightOf(lines)
    }
  }

  /** Draws a row at `y`; answers where the next one goes. */
  row(cells: Cells, y: number): number {
    this.tagged("TD", this.body!, cells, y, 400)
    const below = y + cells.height
    this.pages.artifact(() => this.pages.rule(this.x, below, this.width))
    return below
  }

  /** What the rows come to: a line for each unit that they count in. */
  sums(): ReadonlyArray<Cells> {
    return this.totals.lines().map(({ label, sums }) => {
      const texts = this.columns.map(({ key }) => {
        const sum = sums.get(key)
        return sum === undefined ? "" : grouped(sum)
      })
      const place = this.columns.findIndex(({ type }, index) => type !== "integer" && texts[index] === "")
      if (place === -1) return this.broken(texts, 700)
      // The label may go on over the cells behind it, up to the first sum.
      const next = texts.findIndex((text, index) => index > place && text !== "")
      const room = this.widths.slice(place, next === -1 ? undefined : next).reduce((sum, width) => sum + width, 0)
      texts[place] = label
      return this.broken(texts, 700, this.widths.with(place, room))
    })
  }

  /** What a reader has to know of the amounts. */
  note(): string | undefined {
    return this.totals.note()
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
