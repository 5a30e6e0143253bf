import { ink, spoken } from "countersign-pdf"
import type { PdfDocument, PdfPages, TextSetter } from "countersign-pdf"
import { grouped } from "./printedItems.ts"
import type { Fact } from "./reportTexts.ts"

/** A4, in points. */
const paper = { short: 595.28, long: 841.89 } as const
const margin = { side: 40, top: 48, bottom: 68 } as const

/** The baselines of the lines at the foot of a page, from its lower edge. */
export const footerLines = [42, 32.5, 23] as const

/** The size of the pages of a report with so many columns. */
export const pageSize = (columns: number) =>
  columns > 6 ? { width: paper.long, height: paper.short } : { width: paper.short, height: paper.long }

/** Parts of a report that stand one under the other: each begins another page where it has no room. */
export class PageFlow {
  readonly pages: PdfPages
  readonly setter: TextSetter
  readonly left = margin.side
  readonly top = margin.top
  /** Where the next part goes, from the top of the page. */
  y = 0
  private readonly running: string
  private readonly countWidth: number

  /** `running` stands above every page but the first; `countWidth` is the room for the number of pages, in points. */
  constructor({ pages }: PdfDocument, setter: TextSetter, running: string, countWidth: number) {
    this.pages = pages
    this.setter = setter
    this.running = running
    this.countWidth = countWidth
  }

  get width(): number {
    return this.pages.size.width - 2 * margin.side
  }

  hasRoom(height: number): boolean {
    return this.y + height <= this.pages.size.height - margin.bottom
  }

  beginPage(): void {
    const { pages, setter } = this
    pages.begin()
    pages.artifact(() => {
      if (pages.count > 1) {
        // One line: where a name is too long for it, page one has the whole of it.
        const [line = "", more] = setter.wrap(this.running, this.width * 1000 / 6.5)
        pages.text(setter.line(more === undefined ? line : `${line}…`), margin.side, margin.top - 14, 6.5, ink.faint)
      }
      pages.form("Footer")
      // The number of pages is known at the end, so it is a form of its own behind the number of this one.
      const number = setter.line(`Page ${grouped(pages.count)} of`)
      const right = pages.size.width - margin.side - this.countWidth
      pages.text(number, right - number.width * 0.007, pages.size.height - footerLines[0], 7, ink.faint)
      pages.form("Total", right, pages.size.height - footerLines[0])
    }, "Pagination")
    this.y = margin.top
  }

  endPage(): void {
    this.pages.end()
  }

  /** Begins another page unless this one has so much room. */
  room(height: number): void {
    if (this.hasRoom(height)) return
    this.endPage()
    this.beginPage()
  }

  /** `after` is the room that what belongs under it needs on the same page. */
  heading(kind: "H1" | "H2", text: string, size: number, before: number, after = size * 2): void {
    this.room(before + size + after)
    this.y += before + size
    this.mark(kind, () => this.pages.text(this.setter.line(text, 700), margin.side, this.y, size))
    this.y += size * 0.5
  }

  /** Tags what `draw` shows as an element of the document. */
  mark(kind: string, draw: () => void, attributes = ""): void {
    this.pages.mark(kind, this.pages.document, draw, attributes)
  }

  fact({ label, value }: Fact): void {
    const { pages, setter } = this
    const size = 8
    const labelWidth = 128
    if (value === undefined) {
      this.room(size * 4)
      this.y += size * 1.9
      this.mark("H3", () => pages.text(setter.line(label, 700), margin.side, this.y, size))
      this.y += size * 0.3
      return
    }
    const labels = setter.wrap(label, (labelWidth - 8) * 1000 / size)
    const lines = setter.wrap(value, (this.width - labelWidth) * 1000 / size)
    for (let index = 0; index < Math.max(labels.length, lines.length); index++) {
      this.room(size * 1.4)
      this.y += size * 1.4
      this.mark("P", () => {
        if (labels[index] !== undefined) pages.text(setter.line(labels[index]!), margin.side, this.y, size, ink.faint)
        if (lines[index] !== undefined) pages.text(setter.line(lines[index]!), margin.side + labelWidth, this.y, size)
      }, spoken([labels[index], lines[index]].filter((part) => part !== undefined).join(" ")))
    }
  }

  /** A line of small print, which may take several. */
  note(text: string): void {
    for (const line of this.setter.wrap(text, this.width * 1000 / 7)) {
      this.room(10)
      this.y += 10
      this.mark("P", () => this.pages.text(this.setter.line(line), margin.side, this.y, 7, ink.faint))
    }
  }
}
