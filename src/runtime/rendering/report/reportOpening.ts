import { ink, num, pdfText, spoken } from "countersign-pdf"
import type { Element, PdfDocument, PdfImage, PdfPages, TextSetter } from "countersign-pdf"
import type { SnapshotHead } from "../../../domain/evidence/exports/ReportSnapshot.ts"
import { statementEvidenceSchemas } from "../../../domain/evidence/exports/StatementEvidence.ts"
import type { ReportRow, SeriesPoint } from "../../../domain/evidence/reports/Report.ts"
import type { JsonObject } from "../../../domain/ground/wire/CanonicalJson.ts"
import { factsOf, filterFacts, readable, tableTitle } from "./reportTexts.ts"
import type { Fact } from "./reportTexts.ts"
import type { ReportClock, ReportWords } from "./reportWords.ts"
import { drawnOverTime, grouped, hasOneUnit } from "./totals.ts"

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

/** The height of a chart with its labels, in points. */
const chartHeight = 150

const size = 6.5
const barColor = "0.16 0.38 0.62 rg"

/** A round number that the largest value fits under, and the distance of the lines. */
const scaleOf = (largest: number): { readonly top: number; readonly step: number } => {
  const rough = Math.max(largest, 1) / 4
  let power = 1
  while (power * 10 <= rough) power *= 10
  const step = Math.max(1, [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough)!)
  return { top: Math.ceil(Math.max(largest, 1) / step) * step, step }
}

const describe = (
  series: ReadonlyArray<SeriesPoint>,
  step: "day" | "hour",
  begins: (point: SeriesPoint) => string,
  zone: string,
  name: string
): string => {
  const highest = series.reduce((best, point) => point.value > best.value ? point : best)
  const steps = `${grouped(series.length)} ${series.length === 1 ? step : `${step}s`}`
  return `${name}: ${steps} from ${begins(series[0]!)} to ${begins(series.at(-1)!)} (${zone}). ` +
    `The highest is ${grouped(highest.value)}, ${step === "day" ? "on" : "in the hour from"} ${begins(highest)}.`
}

/** Draws usage over time as bars, `y` being the upper edge; `name` is what a screen reader calls it. */
const drawChart = (
  pages: PdfPages,
  setter: TextSetter,
  parent: Element,
  series: ReadonlyArray<SeriesPoint>,
  clock: ReportClock,
  { name, width, x, y }: {
    readonly x: number
    readonly y: number
    readonly width: number
    readonly name: string
  }
): void => {
  const { step, top } = scaleOf(series.reduce((largest, { value }) => Math.max(largest, value), 0))
  const lines = Array.from({ length: Math.round(top / step) + 1 }, (_, index) => index * step)
  const labels = lines.map((value) => setter.line(grouped(value)))
  const left = x + Math.max(...labels.map((label) => label.width)) * size / 1000 + 6
  const bottom = y + chartHeight - 22
  const height = bottom - y - 6
  const right = x + width
  const slot = (right - left) / series.length
  const gap = Math.min(slot * 0.2, 3)
  const isHourly = series.some(({ bucket }) => !bucket.includes("T00:00:00"))
  // The days of a report are those of UTC, whoever reads it.
  const begins = ({ bucket }: SeriesPoint) => isHourly ? readable(bucket, clock).slice(0, 16) : bucket.slice(0, 10)
  const dates = series.map((point) => setter.line(begins(point)))
  const dateWidth = dates.reduce((most, date) => Math.max(most, date.width), 0) * size / 1000
  const every = Math.max(1, Math.ceil((dateWidth + 12) / slot))

  pages.mark(
    "Figure",
    parent,
    () => {
      lines.forEach((value, index) => {
        const at = bottom - (value / top) * height
        pages.rule(left, at, right - left, value === 0 ? ink.faint : ink.rule)
        const label = labels[index]!
        pages.text(label, left - 4 - label.width * size / 1000, at + size * 0.35, size, ink.faint)
      })
      series.forEach(({ value }, index) => {
        const bar = (value / top) * height
        if (value > 0) pages.fill(left + index * slot + gap / 2, bottom - bar, slot - gap, bar, barColor)
      })
      dates.forEach((date, index) => {
        if (index % every !== 0) return
        // Under its bar, but never beyond the chart.
        const half = date.width * size / 2000
        const middle = left + (index + 0.5) * slot
        const at = Math.min(Math.max(middle, left + half), right - half)
        pages.text(date, at - half, bottom + size + 4, size, ink.faint)
      })
    },
    `/Alt${
      pdfText(describe(series, isHourly ? "hour" : "day", begins, isHourly ? clock.zone : "UTC", name))
    }/A<</O/Layout/Placement/Block/BBox[${
      [x, pages.size.height - y - chartHeight, right, pages.size.height - y].map(num).join(" ")
    }]>>`
  )
}

/** Members of a summary that say whom or what the report is about, and what each is called. */
const subjects: Readonly<Record<string, string>> = { customer: "Customer", license: "License", subject: "Subject" }

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Both ends of a key are one text for a person. */
const withKey = ({ license_key_last4, license_key_prefix, ...rest }: JsonObject): JsonObject =>
  typeof license_key_prefix === "string" && typeof license_key_last4 === "string"
    ? { ...rest, key: `${license_key_prefix}…${license_key_last4}` }
    : rest

/** The subject of a report, which a reader asks first, apart from the rest of its summary. */
interface ReportSubject {
  readonly title: string
  readonly id: unknown
  readonly facts: ReadonlyArray<Fact>
}

/** Parts a summary into its subject, if the report is about one, and what it says of it. */
const subjectOf = (
  summary: JsonObject,
  clock: ReportClock,
  words: ReportWords
): { readonly subject?: ReportSubject; readonly rest: JsonObject } => {
  const found = Object.entries(summary).find(([name, value]) => subjects[name] !== undefined && isObject(value))
  if (found === undefined) return { rest: summary }
  const [name, value] = found as [string, JsonObject]
  const { [name]: _subject, ...rest } = summary
  const { type, ...members } = withKey(value)
  const title = type === "order" ? "Order" : type === "subscription" ? "Subscription" : subjects[name]!
  return { subject: { title, id: value["id"], facts: factsOf(members, clock, words) }, rest }
}

/** The largest that a logo is drawn, and how far it reaches above where text begins, in points. */
const logoRoom = { width: 160, height: 36, above: 10 } as const

/** The room that a table needs under its title to begin on the same page: its head and a row, each of two lines. */
const tableBegin = 56

/** The title of a report: its name, its time, its words and its clock. */
export interface ReportTitle {
  readonly title: string
  readonly period: string
  readonly words: ReportWords
  readonly clock: ReportClock
}

/** An id with what it is called before it. */
const named = ({ label, value }: Fact, names: Readonly<Record<string, string>>): Fact => {
  const name = value === undefined || label === "ID" ? undefined : names[value]
  return name === undefined ? { label, ...(value === undefined ? {} : { value }) } : {
    label: label.replace(/ ID$/, ""),
    value: `${name} (${value})`
  }
}

/** The facts above the table: how it was filtered, whom it is about, and what it comes to. */
const factsAbove = (head: SnapshotHead, { clock, words }: ReportTitle) => {
  const names = head.presentation?.names ?? {}
  // A feature that was asked for stands among the filters.
  const said = head.summary["feature_code"] === head.filters["feature_code"] ? ["feature_code"] : []
  const left = new Set(hasOneUnit(head) ? said : ["adjusted", "amount", ...said])
  const printed = Object.fromEntries(Object.entries(head.summary).filter(([name]) => !left.has(name)))
  const { rest: summary, subject } = subjectOf(printed, clock, words)
  const withNames = (facts: ReadonlyArray<Fact>) => facts.map((fact) => named(fact, names))
  return {
    subject: subject?.title,
    about: withNames(subject?.facts ?? []),
    summary: withNames(factsOf(summary, clock, words, names)),
    filters: withNames(filterFacts(head.filters, subject?.id, words))
  }
}

const drawLogo = (flow: PageFlow, logo: PdfImage, vendor: string | undefined): void => {
  const scale = Math.min(logoRoom.width / logo.width, logoRoom.height / logo.height)
  const [wide, high] = [logo.width * scale, logo.height * scale]
  const top = flow.y - logoRoom.above
  flow.mark(
    "Figure",
    () => flow.pages.image("Logo", flow.left, top, wide, high),
    `/Alt${pdfText(vendor === undefined ? "Logo" : `Logo of ${vendor}`)}`
  )
  flow.y = Math.max(flow.y, top + high + (vendor === undefined ? 2 : 4))
}

const drawVendor = (flow: PageFlow, vendor: string): void => {
  flow.mark("P", () => {
    for (const line of flow.setter.wrap(vendor, flow.width * 1000 / 9, 700)) {
      flow.y += flow.y === flow.top ? 9 : 12
      flow.pages.text(flow.setter.line(line, 700), flow.left, flow.y, 9)
    }
  }, spoken(vendor))
  flow.y += 7
}

const drawTitle = (flow: PageFlow, { period, title }: ReportTitle): void => {
  const { pages, setter } = flow
  flow.heading("H1", title, 20, 2)
  flow.y += 6
  flow.mark("P", () => pages.text(setter.line(period), flow.left, flow.y, 10, ink.faint))
  flow.y += 9
  pages.artifact(() => pages.rule(flow.left, flow.y, flow.width, ink.faint))
  flow.y += 3
}

/** When and from what the report was frozen. */
const freezing = (head: SnapshotHead, { clock, words }: ReportTitle): ReadonlyArray<Fact> => {
  const hasUtcDays = (head.filters["bucket"] ?? "1h") !== "1h" && clock.zone !== "UTC"
  const { as_of_sequence, checkpoint, frozen_at } = head
  const facts = [
    { label: words.frozenAt, value: words.asOf(readable(frozen_at, clock), clock.zone, grouped(as_of_sequence)) },
    { label: words.times, value: words.timesIn(clock.zone, hasUtcDays) }
  ]
  if (checkpoint === undefined) return facts
  const behind = as_of_sequence - checkpoint.tree_size
  const uncovered = behind > 0 ? words.uncovered?.(`${grouped(behind)} event${behind === 1 ? "" : "s"}`) ?? "" : ""
  const value = `${grouped(checkpoint.tree_size)} events, root ${checkpoint.root_hash}${uncovered}`
  return [...facts, { label: words.checkpoint, value }]
}

/** Where the evidence is, and how to check it. The page is on the host that the log is named after. */
const attachment = ({ evidence }: SnapshotHead, { words }: ReportTitle): ReadonlyArray<Fact> => {
  if (evidence?.schema !== statementEvidenceSchemas.chained || words.attached === undefined) return []
  const [, host] = /^([^\s/]+(?:\/[^\s/]+)*)\/events\//.exec(evidence.note) ?? []
  const attached = words.attached(host)
  return host === undefined || words.address === undefined
    ? [attached]
    : [attached, { label: words.address, value: `https://${host}/verify` }]
}

/** Draws what stands above the table. `sample` are the first rows, or all of them. */
export const drawOpening = async (
  flow: PageFlow,
  head: SnapshotHead,
  sample: ReadonlyArray<ReportRow>,
  { logo, title }: { readonly title: ReportTitle; readonly logo: PdfImage | undefined }
): Promise<void> => {
  const { setter } = flow
  const { clock, words } = title
  const vendor = head.presentation?.vendor
  const { about, filters, subject, summary } = factsAbove(head, title)
  for (const text of [vendor ?? "", ...Object.values(head.presentation?.names ?? {})]) await setter.prepare(text)
  for (const { label, value = "" } of [...summary, ...filters, ...about]) await setter.prepare(label + value)
  flow.beginPage()
  if (logo !== undefined) drawLogo(flow, logo, vendor)
  if (vendor !== undefined) drawVendor(flow, vendor)
  drawTitle(flow, title)
  for (const fact of [...filters, ...freezing(head, title), ...attachment(head, title)]) flow.fact(fact)
  if (subject !== undefined) {
    flow.heading("H2", subject, 11, 12)
    for (const fact of about) flow.fact(fact)
  }
  if (summary.length > 0) {
    flow.heading("H2", "Summary", 11, 12)
    for (const fact of summary) flow.fact(fact)
  }
  const drawn = drawnOverTime(head, sample, words)
  if (drawn !== undefined) {
    flow.heading("H2", drawn.title, 11, 14, chartHeight + 6)
    const place = { name: words.chart, x: flow.left, y: flow.y, width: flow.width }
    drawChart(flow.pages, setter, flow.pages.document, drawn.series, clock, place)
    flow.y += chartHeight
  }
  flow.heading("H2", tableTitle(head.report_kind, head.filters, head.row_count, words), 11, 12, tableBegin)
  flow.y += 3
}
