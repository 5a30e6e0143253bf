import { ink, spoken } from "countersign-pdf"
import type { Element, PdfPages, TextLine, TextSetter, Weight } from "countersign-pdf"
import type { Edition } from "../../../domain/evidence/exports/Edition.ts"
import type { SnapshotHead } from "../../../domain/evidence/exports/ReportSnapshot.ts"
import type { ReportRow } from "../../../domain/evidence/reports/Report.ts"
import { cellText } from "./reportTexts.ts"
import type { Fact } from "./reportTexts.ts"
import { clockOf, reportWords } from "./reportWords.ts"
import type { ReportClock } from "./reportWords.ts"
import { columnWidths, identifierScale, lineHeight, printedColumns, shortened, tableLayout } from "./tableLayout.ts"
import type { PrintedCell, PrintedColumn, TableLayout } from "./tableLayout.ts"
import { figureText, grouped, ReportTotals } from "./totals.ts"

/** How many texts are cached, and after how many lookups the cache is evaluated. */
const kept = 500
const judgedAfter = 200

/**
 * A cache for columns with repeated texts. For a column of distinct texts, such as the IDs of entries, it soon keeps
 * nothing: the garbage collector would walk it in vain.
 */
class RepeatedTexts<Made> {
  private readonly known = new Map<string, Made>()
  private lookups = 0
  private found = 0

  /** Answers the cached value of a text, or makes it. */
  of(text: string, make: () => Made): Made {
    if (this.lookups === judgedAfter && this.found * 2 < this.lookups) {
      this.known.clear()
      return make()
    }
    if (this.lookups < judgedAfter) this.lookups += 1
    const known = this.known.get(text)
    if (known !== undefined) {
      if (this.lookups < judgedAfter) this.found += 1
      return known
    }
    const made = make()
    if (this.known.size === kept) this.known.clear()
    this.known.set(text, made)
    return made
  }
}

/** A text that was broken into lines. */
interface Cell {
  /** As it was before. */
  readonly text: string
  readonly lines: ReadonlyArray<string>
  /** How many of the lines are the name of the identifier under them. */
  readonly named: number
  /** The lines as they are shown, once they were. */
  shown?: ReadonlyArray<TextLine>
}

/** A row that was broken into lines. */
export interface Cells {
  readonly cells: ReadonlyArray<Cell>
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
  private readonly layout: TableLayout
  /** Names that several ids have. */
  private readonly shared: ReadonlySet<string>
  /** Whether ids that are not the row's own are printed by their ends. */
  private hasShortIds = false
  /** The ids in rows that stand there by their names alone. */
  private readonly standFor = new Set<string>()
  private shortens = false
  /** By column: the cells of texts that come again and again. */
  private readonly repeated: ReadonlyArray<RepeatedTexts<Cell>>
  private body: Element | undefined
  private isHeadTagged = false

  constructor(
    pages: PdfPages,
    setter: TextSetter,
    head: SnapshotHead,
    sample: ReadonlyArray<ReportRow>,
    { width, x }: { readonly x: number; readonly width: number },
    edition: Edition
  ) {
    this.pages = pages
    this.setter = setter
    const { row_count, summary } = head
    const columns = printedColumns(head, sample, edition)
    this.clock = clockOf(head)
    this.names = head.presentation?.names ?? {}
    this.columns = columns
    this.repeated = columns.map(() => new RepeatedTexts())
    this.layout = tableLayout(edition)
    const given = Object.values(this.names)
    const once = new Set<string>()
    this.shared = new Set(this.layout.isOfLines ? given.filter((name) => once.size === once.add(name).size) : [])
    this.size = this.layout.size(columns.length)
    this.x = x
    const expected = new Map(
      Object.entries(summary).flatMap(([key, value]) =>
        typeof value === "number" ? [[key, grouped(value)] as const] : []
      )
    )
    const sized = () =>
      columnWidths(setter, columns, sample, expected, {
        isWhole: sample.length === row_count,
        layout: this.layout,
        printed: (column, row) => this.printed(column, cellText(column, row, this.clock)),
        size: this.size,
        width
      })
    const whole = sized()
    this.hasShortIds = !whole.fits && this.layout.isOfLines && columns.some(({ key }) => key === "id")
    this.widths = this.hasShortIds ? sized().widths : whole.widths
    this.titles = this.broken(columns.map(({ title }) => title), 700)
    this.headHeight = this.titles.height
    this.table = pages.open("Table", pages.document)
    this.totals = new ReportTotals(head, reportWords(edition))
  }

  private rowOf(cells: ReadonlyArray<Cell>): Cells {
    const most = cells.reduce((most, { lines }) => Math.max(most, lines.length), 1)
    return { cells, height: most * this.size * lineHeight + 2 * this.layout.padding.y }
  }

  private wrap(text: string, width: number, size: number, weight: Weight): ReadonlyArray<string> {
    return text === "" ? [] : this.setter.wrap(text, (width - 2 * this.layout.padding.x) * 1000 / size, weight)
  }

  private broken(texts: ReadonlyArray<string>, weight: Weight, widths = this.widths): Cells {
    return this.rowOf(texts.map((text, index) => this.cell(text, index, weight, widths[index]!)))
  }

  private cell(text: string, index: number, weight: Weight, width = this.widths[index]!): Cell {
    return { text, lines: this.wrap(text, width, this.sizeOf(index, weight), weight), named: 0 }
  }

  /** The cell of a row before it is broken into lines. */
  private printed({ isIdentifier, isNamed, key }: PrintedColumn, value: string): PrintedCell {
    const name = isNamed ? this.names[value] : undefined
    if (!this.layout.isOfLines) return name === undefined ? { text: value } : { name, text: value }
    if (name !== undefined) return { name: this.shared.has(name) ? `${name} ${shortened(value)}` : name, text: "" }
    if (!this.hasShortIds || key === "id") return { text: value }
    if (key === "license_ids") return { text: value.split(", ").map(shortened).join(", ") }
    return { text: isIdentifier ? shortened(value) : value }
  }

  /** The cell of a row: of an identifier that has a name, the name, and the identifier under it or in a list behind the table. */
  private bodyCell(value: string, index: number): Cell {
    const column = this.columns[index]!
    if (this.layout.isOfLines && column.isNamed && this.names[value] !== undefined) this.standFor.add(value)
    return this.repeated[index]!.of(value, () => {
      const { name, text } = this.printed(column, value)
      if (name === undefined && text !== value) this.shortens = true
      const cell = this.cell(text, index, 400)
      if (name === undefined) return cell
      const lines = this.wrap(name, this.widths[index]!, this.size, 400)
      return { text: `${name} ${text}`.trimEnd(), lines: [...lines, ...cell.lines], named: lines.length }
    })
  }

  /** Whether the end of an id stands in a row for all of it. */
  get hasShortened(): boolean {
    return this.shortens
  }

  /** The ids of the names that stand alone in rows, in the order of the names. */
  named(): ReadonlyArray<Fact> {
    return [...this.standFor]
      .map((id) => ({ label: this.names[id]!, value: id }))
      .toSorted((one, other) =>
        one.label < other.label ? -1 : one.label > other.label ? 1 : one.value < other.value ? -1 : 1
      )
  }

  /** Identifiers are small; titles and totals are not. */
  private sizeOf(index: number, weight: Weight): number {
    return this.columns[index]!.isIdentifier && weight === 400 ? this.size * identifierScale : this.size
  }

  private show(cell: Cell, index: number, x: number, y: number, weight: Weight): void {
    const isNumber = this.columns[index]!.type === "integer"
    const { padding } = this.layout
    cell.shown ??= cell.lines.map((text) => this.setter.line(text, weight))
    cell.shown.forEach((line, at) => {
      const size = at < cell.named ? this.size : this.sizeOf(index, weight)
      const width = line.width * size / 1000
      const left = isNumber ? x + this.widths[index]! - padding.x - width : x + padding.x
      const base = y + padding.y + this.size * (0.98 + at * lineHeight)
      this.pages.text(line, left, base, size, size === this.size ? ink.text : ink.faint)
    })
  }

  private draw(
    kind: "TH" | "TD",
    parent: Element | undefined,
    { cells }: Cells,
    y: number,
    weight: Weight
  ): void {
    let x = this.x
    const scope = kind === "TH" ? "/A<</O/Table/Scope/Column>>" : ""
    cells.forEach((cell, index) => {
      const left = x
      const show = () => this.show(cell, index, left, y, weight)
      if (parent === undefined) show()
      else if (cell.lines.length === 0) this.pages.blank(kind, parent)
      else this.pages.mark(kind, parent, show, scope + spoken(cell.text))
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
    return this.rowOf(
      this.columns.map((column, index) => this.bodyCell(cellText(column, row, this.clock), index))
    )
  }

  /** Draws a row at `y`; answers where the next one goes. */
  row(cells: Cells, y: number): number {
    this.tagged("TD", this.body!, cells, y, 400)
    const below = y + cells.height
    this.pages.artifact(() => this.pages.rule(this.x, below, this.width))
    return below
  }

  /** The totals of the rows: a line for each unit that they count in. */
  sums(): ReadonlyArray<Cells> {
    return this.totals.lines().map(({ decimals, label, sums }) => {
      const texts = this.columns.map(({ key }) => {
        const sum = sums.get(key)
        return sum === undefined ? "" : figureText(key, sum, decimals)
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

  /** The note that a reader needs on the amounts. */
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
