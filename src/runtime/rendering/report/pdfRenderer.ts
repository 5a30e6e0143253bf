import { ascii, ink, missingFonts, openTextSetter, PdfDocument } from "countersign-pdf"
import type { PdfImage, TextSetter } from "countersign-pdf"
import type { Edition } from "../../../domain/evidence/exports/Edition.ts"
import { maximumPdfRows, tooManyRows } from "../../../domain/evidence/exports/ReportExport.ts"
import type { SnapshotHead } from "../../../domain/evidence/exports/ReportSnapshot.ts"
import type { ReportRow } from "../../../domain/evidence/reports/Report.ts"
import { visibleLine } from "../../../domain/ground/parsing/VisibleText.ts"
import type { RenderRequest } from "../../../services/evidence/exports/ExportRenderer.ts"
import { UnrenderableDocument } from "../Renderer.ts"
import type { Renderer } from "../Renderer.ts"
import { drawOpening, footerLines, PageFlow, pageSize } from "./reportOpening.ts"
import type { ReportTitle } from "./reportOpening.ts"
import { ReportTable } from "./ReportTable.ts"
import type { Cells } from "./ReportTable.ts"
import { periodText, reportTitles } from "./reportTexts.ts"
import { clockOf, reportWords } from "./reportWords.ts"
import type { ReportWords } from "./reportWords.ts"
import { grouped } from "./totals.ts"

/** Rows that decide how wide the columns are. */
const sampleSize = 200

const requireFonts = (): void => {
  const { families, missing } = missingFonts()
  if (missing === 0) return
  throw new UnrenderableDocument(
    "FONTS_MISSING",
    `This installation was made without the fonts for PDF (${missing} of ${families} families are ` +
      "missing). Export as csv or json, or install them: `npm install`, or for a bundle `npm run bundle` without " +
      "`--without-pdf`, which puts them into `dist/fonts`."
  )
}

/** A document whose head is known: the first rows are held back, because they decide how wide the columns are. */
class ReportDocument {
  private readonly document: PdfDocument
  private readonly flow: PageFlow
  private readonly setter: TextSetter
  private readonly head: SnapshotHead
  private readonly request: RenderRequest
  private readonly edition: Edition
  private readonly title: ReportTitle
  private readonly logo: PdfImage | undefined
  private waiting: ReadonlyArray<ReportRow> | undefined = []
  private table!: ReportTable

  constructor(setter: TextSetter, head: SnapshotHead, request: RenderRequest, edition: Edition, words: ReportWords) {
    const clock = clockOf(head)
    const { logo, vendor } = head.presentation ?? {}
    const title = reportTitles[head.report_kind]
    const period = periodText(head.filters, head.frozen_at, clock, words)
    const running = [title, period, vendor].filter((part) => part !== undefined).join(" · ")
    this.setter = setter
    this.head = head
    this.request = request
    this.edition = edition
    this.title = { title, period, words, clock }
    this.document = new PdfDocument(setter, pageSize(head.columns.length), ["Footer", "Total"])
    this.flow = new PageFlow(this.document, setter, running, head.row_count > 2_000 ? 24 : 12)
    this.logo = logo === undefined ? undefined : this.document.image("Logo", Buffer.from(logo, "base64"))
  }

  take(): Promise<ReadonlyArray<Uint8Array>> {
    return this.document.take()
  }

  /** Waits for texts that need fonts which were not read yet, and not once for each of a million cells. */
  private async prepare(rows: ReadonlyArray<ReportRow>): Promise<void> {
    for (const row of rows) {
      for (const { key } of this.head.columns) {
        const value = row[key]
        if (typeof value === "string" && !ascii.test(value)) await this.setter.prepare(value)
      }
    }
  }

  /** Draws a row of the table, with the table's head above it where it begins a page. */
  private place(cells: Cells, draw: (cells: Cells, y: number) => number): void {
    const { flow, table } = this
    if (!flow.hasRoom(cells.height)) {
      table.endPage()
      flow.endPage()
      flow.beginPage()
      flow.y = table.head(flow.y)
    }
    flow.y = draw(cells, flow.y)
  }

  private draw(rows: ReadonlyArray<ReportRow>): void {
    for (const row of rows) this.place(this.table.cells(row), (cells, y) => this.table.row(cells, y))
  }

  /** Begins with the rows that were held back. */
  private async begin(sample: ReadonlyArray<ReportRow>): Promise<void> {
    const { edition, flow, head, logo, setter, title } = this
    this.waiting = undefined
    await this.prepare(sample)
    await drawOpening(flow, head, sample, { title, logo })
    this.table = new ReportTable(flow.pages, setter, head, sample, { x: flow.left, width: flow.width }, edition)
    flow.room(this.table.headHeight + 30)
    flow.y = this.table.head(flow.y)
    this.draw(sample)
  }

  async rows(rows: ReadonlyArray<ReportRow>): Promise<void> {
    let more = rows
    if (this.waiting !== undefined) {
      const missing = sampleSize - this.waiting.length
      const sample = [...this.waiting, ...rows.slice(0, missing)]
      this.waiting = sample
      if (sample.length < sampleSize) return
      more = rows.slice(missing)
      await this.begin(sample)
    }
    await this.prepare(more)
    this.draw(more)
  }

  async end(snapshot: Uint8Array | undefined): Promise<void> {
    if (this.waiting !== undefined) await this.begin(this.waiting)
    const { document, flow, head, table, title: { period, title, words } } = this
    const { digest, seal } = this.request
    for (const sums of table.sums()) this.place(sums, (cells, y) => table.total(cells, y))
    table.endPage()
    table.end()
    const note = table.note()
    if (note !== undefined && head.row_count > 0) flow.note(note)
    if (table.hasShortened) flow.note(words.shortened)
    const named = table.named()
    if (named.length > 0) {
      flow.heading("H2", `${words.namedIds} · ${grouped(named.length)}`, 11, 12)
      for (const fact of named) flow.fact(fact)
    }
    flow.endPage()
    document.form("Footer", ({ rule, text }) => {
      rule(flow.left, 53, flow.width)
      const lines = [`Snapshot ${digest}`, words.signature(seal.kid, seal.alg), seal.value]
      lines.forEach((line, at) => text(line, flow.left, footerLines[at]!, 6, ink.faint))
    })
    document.form("Total", ({ text }) => text(` ${grouped(flow.pages.count)}`, 0, 0, 7, ink.faint))
    if (snapshot !== undefined) {
      document.attach({
        name: "statement.json",
        description: `The snapshot ${digest}, with the evidence of its figures`,
        mediaType: "application/json",
        bytes: snapshot,
        modifiedAt: head.frozen_at
      })
    }
    await document.end({
      title: `${title}, ${period}`,
      author: head.presentation?.vendor,
      createdAt: head.frozen_at,
      producer: "Countersign",
      id: digest.slice(-64, -32)
    })
  }
}

/**
 * Renders a snapshot as a document: title, filters and totals, a chart where there is a series, and the table, with the
 * digest and its signature in the footer of every page. Tagged, with its fonts inside. Pages are written as they fill.
 */
export const pdfRenderer = async (request: RenderRequest, edition: Edition): Promise<Renderer> => {
  requireFonts()
  const setter = await openTextSetter(edition === 1 ? undefined : visibleLine, { parted: edition < 6 })
  let report: ReportDocument
  return {
    start: async (head) => {
      const most = maximumPdfRows(head.columns.length)
      if (head.row_count > most) throw new UnrenderableDocument("TOO_MANY_ROWS", tooManyRows(head.row_count, most))
      report = new ReportDocument(setter, head, request, edition, reportWords(edition))
      return report.take()
    },
    rows: async (rows) => {
      await report.rows(rows)
      return report.take()
    },
    end: async (snapshot) => {
      await report.end(snapshot)
      return report.take()
    }
  }
}
