import type { Edition } from "../../../domain/exports/Edition.ts"
import { maximumPdfRows, tooManyRows } from "../../../domain/exports/ReportExport.ts"
import type { SnapshotHead } from "../../../domain/exports/ReportSnapshot.ts"
import type { ReportRow } from "../../../domain/reports/Report.ts"
import type { RenderRequest } from "../../../services/exports/ExportRenderer.ts"
import { visibleLine } from "../../terminal/VisibleText.ts"
import { putPng } from "../file/image.ts"
import type { PdfImage } from "../file/image.ts"
import { metadataOf } from "../file/metadata.ts"
import { PdfFile } from "../file/PdfFile.ts"
import { ink, PdfPages } from "../file/PdfPages.ts"
import { num, pdfText, spoken } from "../file/pdfText.ts"
import { FontSet } from "../fonts/FontSet.ts"
import type { Renderer } from "../renderSnapshot.ts"
import { ascii } from "../text/characters.ts"
import { TextSetter } from "../text/TextSetter.ts"
import { UnrenderableDocument } from "../UnrenderableDocument.ts"
import { chartHeight, drawChart } from "./chart.ts"
import { clockOf } from "./ReportClock.ts"
import type { ReportClock } from "./ReportClock.ts"
import { subjectOf } from "./reportSubject.ts"
import { ReportTable } from "./ReportTable.ts"
import { factsOf, filterFacts, grouped, periodText, readable, reportTitles, tableTitle } from "./reportTexts.ts"
import type { Fact } from "./reportTexts.ts"
import { reportWords } from "./reportWords.ts"
import { drawnOverTime, hasOneUnit } from "./totals.ts"

/** A4, in points. */
const paper = { short: 595.28, long: 841.89 } as const
const margin = { side: 40, top: 48, bottom: 68 } as const

/** The baselines of the lines at the foot of a page, from its lower edge. */
const footerLines = [42, 32.5, 23] as const

/** The largest that a logo is drawn, and how far it reaches above where text begins, in points. */
const logoRoom = { width: 160, height: 36, above: 10 } as const

/** What a table needs under its title to begin on the same page: its head and a row, each of two lines. */
const tableBegin = 56

/** Rows that decide how wide the columns are. */
const sampleSize = 200

/**
 * Renders a snapshot as a document: title, filters and totals, a chart where there is a series, and the table, with the
 * digest and its signature in the footer of every page. Tagged, with its fonts inside. Pages are written as they fill.
 */
export const pdfRenderer = async ({ digest, seal }: RenderRequest, edition: Edition): Promise<Renderer> => {
  const setter = new TextSetter(new FontSet(), edition === 1 ? undefined : visibleLine)
  await setter.begin()
  const words = reportWords(edition)
  const fonts = setter.fonts
  const file = new PdfFile()
  let head: SnapshotHead
  let clock: ReportClock
  let title = ""
  let period = ""
  let pages: PdfPages
  let table: ReportTable
  let waiting: Array<ReportRow> | undefined = []
  let logo: PdfImage | undefined
  let y = 0
  const [footer, total] = [file.reserve(), file.reserve()]

  const bottom = () => pages.size.height - margin.bottom
  const width = () => pages.size.width - 2 * margin.side

  const beginPage = (): number => {
    pages.begin()
    pages.artifact(() => {
      if (pages.count > 1) {
        const running = [title, period, head.presentation?.vendor].filter((part) => part !== undefined).join(" · ")
        // One line: where a name is too long for it, page one has the whole of it.
        const [line = "", more] = setter.wrap(running, width() * 1000 / 6.5)
        pages.text(setter.line(more === undefined ? line : `${line}…`), margin.side, margin.top - 14, 6.5, ink.faint)
      }
      pages.form("Footer")
      // The number of pages is known at the end, so it is a form of its own behind the number of this one.
      const number = setter.line(`Page ${grouped(pages.count)} of`)
      const right = pages.size.width - margin.side - (head.row_count > 2_000 ? 24 : 12)
      pages.text(number, right - number.width * 0.007, pages.size.height - footerLines[0], 7, ink.faint)
      pages.form("Total", right, pages.size.height - footerLines[0])
    }, "Pagination")
    return margin.top
  }

  const room = (height: number): void => {
    if (y + height <= bottom()) return
    pages.end()
    y = beginPage()
  }

  /** `after` is the room that what belongs under it needs on the same page. */
  const heading = (kind: "H1" | "H2", text: string, size: number, before: number, after = size * 2): void => {
    room(before + size + after)
    y += before + size
    pages.mark(kind, pages.document, () => pages.text(setter.line(text, 700), margin.side, y, size))
    y += size * 0.5
  }

  const fact = ({ label, value }: Fact): void => {
    const size = 8
    const labelWidth = 128
    if (value === undefined) {
      room(size * 4)
      y += size * 1.9
      pages.mark("H3", pages.document, () => pages.text(setter.line(label, 700), margin.side, y, size))
      y += size * 0.3
      return
    }
    const labels = setter.wrap(label, (labelWidth - 8) * 1000 / size)
    const lines = setter.wrap(value, (width() - labelWidth) * 1000 / size)
    for (let index = 0; index < Math.max(labels.length, lines.length); index++) {
      room(size * 1.4)
      y += size * 1.4
      pages.mark("P", pages.document, () => {
        if (labels[index] !== undefined) pages.text(setter.line(labels[index]!), margin.side, y, size, ink.faint)
        if (lines[index] !== undefined) pages.text(setter.line(lines[index]!), margin.side + labelWidth, y, size)
      }, spoken([labels[index], lines[index]].filter((part) => part !== undefined).join(" ")))
    }
  }

  /** An id with what it is called before it. */
  const named = ({ label, value }: Fact): Fact => {
    const name = value === undefined || label === "ID" ? undefined : head.presentation?.names?.[value]
    return name === undefined ? { label, ...(value === undefined ? {} : { value }) } : {
      label: label.replace(/ ID$/, ""),
      value: `${name} (${value})`
    }
  }

  const opening = async (sample: ReadonlyArray<ReportRow>): Promise<void> => {
    const vendor = head.presentation?.vendor
    const { adjusted: _adjusted, amount: _amount, ...rest } = head.summary
    const { rest: summary, subject } = subjectOf(hasOneUnit(head) ? head.summary : rest, clock, words)
    const facts = factsOf(summary, clock, words).map(named)
    const filters = filterFacts(head.filters, subject?.id, words).map(named)
    const about = subject?.facts.map(named) ?? []
    for (const text of [vendor ?? "", ...Object.values(head.presentation?.names ?? {})]) await setter.prepare(text)
    for (const { label, value = "" } of [...facts, ...filters, ...about]) {
      await setter.prepare(label + value)
    }
    y = beginPage()
    if (logo !== undefined) {
      const scale = Math.min(logoRoom.width / logo.width, logoRoom.height / logo.height)
      const [wide, high] = [logo.width * scale, logo.height * scale]
      const top = y - logoRoom.above
      pages.mark(
        "Figure",
        pages.document,
        () => pages.image("Logo", margin.side, top, wide, high),
        `/Alt${pdfText(vendor === undefined ? "Logo" : `Logo of ${vendor}`)}`
      )
      y = Math.max(y, top + high + (vendor === undefined ? 2 : 4))
    }
    if (vendor !== undefined) {
      pages.mark("P", pages.document, () => {
        for (const line of setter.wrap(vendor, width() * 1000 / 9, 700)) {
          y += y === margin.top ? 9 : 12
          pages.text(setter.line(line, 700), margin.side, y, 9)
        }
      }, spoken(vendor))
      y += 7
    }
    heading("H1", title, 20, 2)
    y += 6
    pages.mark("P", pages.document, () => pages.text(setter.line(period), margin.side, y, 10, ink.faint))
    y += 9
    pages.artifact(() => pages.rule(margin.side, y, width(), ink.faint))
    y += 3
    for (const filter of filters) fact(filter)
    fact({
      label: words.frozenAt,
      value: words.asOf(readable(head.frozen_at, clock), clock.zone, grouped(head.as_of_sequence))
    })
    fact({
      label: words.times,
      value: words.timesIn(clock.zone, (head.filters["bucket"] ?? "1h") !== "1h" && clock.zone !== "UTC")
    })
    if (head.checkpoint !== undefined) {
      fact({
        label: words.checkpoint,
        value: `${grouped(head.checkpoint.tree_size)} events, root ${head.checkpoint.root_hash}`
      })
    }
    if (subject !== undefined) {
      heading("H2", subject.title, 11, 12)
      for (const line of about) fact(line)
    }
    if (facts.length > 0) {
      heading("H2", "Summary", 11, 12)
      for (const line of facts) fact(line)
    }
    const drawn = drawnOverTime(head, sample, words)
    if (drawn !== undefined) {
      heading("H2", drawn.title, 11, 14, chartHeight + 6)
      drawChart(pages, setter, pages.document, drawn.series, clock, {
        name: words.chart,
        x: margin.side,
        y,
        width: width()
      })
      y += chartHeight
    }
    heading("H2", tableTitle(head.report_kind, head.filters, head.row_count, words), 11, 12, tableBegin)
    y += 3
  }

  /** Waits for texts that need fonts which were not read yet, and not once for each of a million cells. */
  const prepareRows = async (rows: ReadonlyArray<ReportRow>): Promise<void> => {
    for (const row of rows) {
      for (const { key } of head.columns) {
        const value = row[key]
        if (typeof value === "string" && !ascii.test(value)) await setter.prepare(value)
      }
    }
  }

  const draw = (rows: ReadonlyArray<ReportRow>): void => {
    for (const row of rows) {
      const cells = table.cells(row)
      if (y + cells.height > bottom()) {
        table.endPage()
        pages.end()
        y = table.head(beginPage())
      }
      y = table.row(cells, y)
    }
  }

  /** The columns are as wide as the first rows need, so that is when the document begins. */
  const begin = async (): Promise<void> => {
    const sample = waiting!
    waiting = undefined
    await prepareRows(sample)
    await opening(sample)
    table = new ReportTable(pages, setter, head, sample, { x: margin.side, width: width() }, edition)
    room(table.headHeight + 30)
    y = table.head(y)
    draw(sample)
  }

  const form = (number: number, content: string): void => {
    file.stream(
      `/Type/XObject/Subtype/Form/BBox[0 0 ${num(pages.size.width)} ${
        num(pages.size.height)
      }]/Resources ${pages.resources} 0 R`,
      content,
      number
    )
  }

  const formText = (text: string, x: number, at: number, size: number): string =>
    `BT ${num(ink.faint)} g ${num(size)} 0 0 ${num(size)} ${num(x)} ${num(at)} Tm ${setter.line(text).show} ET`

  return {
    start: async (given) => {
      head = given
      const most = maximumPdfRows(head.columns.length)
      if (head.row_count > most) throw new UnrenderableDocument("TOO_MANY_ROWS", tooManyRows(head.row_count, most))
      title = reportTitles[head.report_kind]
      clock = clockOf(head)
      period = periodText(head.filters, head.frozen_at, clock, words)
      const isWide = head.columns.length > 6
      pages = new PdfPages(file, {
        width: isWide ? paper.long : paper.short,
        height: isWide ? paper.short : paper.long
      })
      const png = head.presentation?.logo
      logo = png === undefined ? undefined : putPng(file, Buffer.from(png, "base64"))
      return file.take()
    },
    rows: async (rows) => {
      let more = rows
      if (waiting !== undefined) {
        const missing = sampleSize - waiting.length
        waiting.push(...rows.slice(0, missing))
        if (waiting.length < sampleSize) return []
        more = rows.slice(missing)
        await begin()
      }
      await prepareRows(more)
      draw(more)
      return file.take()
    },
    end: async () => {
      if (waiting !== undefined) await begin()
      for (const sums of table.sums()) {
        if (y + sums.height > bottom()) {
          table.endPage()
          pages.end()
          y = table.head(beginPage())
        }
        y = table.total(sums, y)
      }
      table.endPage()
      table.end()
      const note = table.note()
      if (note !== undefined && head.row_count > 0) {
        for (const text of setter.wrap(note, width() * 1000 / 7)) {
          room(10)
          y += 10
          pages.mark("P", pages.document, () => pages.text(setter.line(text), margin.side, y, 7, ink.faint))
        }
      }
      pages.end()
      form(
        footer,
        [
          `${num(ink.rule)} G 0.4 w ${margin.side} 53 m ${num(pages.size.width - margin.side)} 53 l S`,
          formText(`Snapshot ${digest}`, margin.side, footerLines[0], 6),
          formText(
            words.signature(seal.kid, seal.alg),
            margin.side,
            footerLines[1],
            6
          ),
          formText(seal.value, margin.side, footerLines[2], 6)
        ].join("\n")
      )
      form(total, formText(` ${grouped(pages.count)}`, 0, 0, 7))
      const entries = await fonts.embed(file)
      const picture = logo === undefined ? "" : `/Logo ${logo.number} 0 R`
      file.put(
        `<</Font<<${entries}>>/XObject<</Footer ${footer} 0 R/Total ${total} 0 R${picture}>>>>`,
        pages.resources
      )
      const metadata = file.stream(
        "/Type/Metadata/Subtype/XML",
        metadataOf(`${title}, ${period}`, head.frozen_at, head.presentation?.vendor)
      )
      const vendor = head.presentation?.vendor
      const info = file.put(
        `<</Title${pdfText(`${title}, ${period}`)}${
          vendor === undefined ? "" : `/Author${pdfText(vendor)}`
        }/Producer(Countersign)/CreationDate(D:${head.frozen_at.replaceAll(/\D/g, "").slice(0, 14)}Z)>>`
      )
      file.end(pages.finish(metadata), info, digest.slice(-64, -32))
      return file.take()
    }
  }
}
