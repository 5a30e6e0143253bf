import { ink, pdfText, spoken } from "countersign-pdf"
import type { PdfImage } from "countersign-pdf"
import type { SnapshotHead } from "../../../domain/evidence/exports/ReportSnapshot.ts"
import { statementEvidenceSchemas } from "../../../domain/evidence/exports/StatementEvidence.ts"
import type { ReportRow } from "../../../domain/evidence/reports/Report.ts"
import { chartHeight, drawChart } from "./chart.ts"
import type { PageFlow } from "./PageFlow.ts"
import { grouped } from "./printedItems.ts"
import type { ReportClock } from "./ReportClock.ts"
import { subjectOf } from "./reportSubject.ts"
import { factsOf, filterFacts, readable, tableTitle } from "./reportTexts.ts"
import type { Fact } from "./reportTexts.ts"
import type { ReportWords } from "./reportWords.ts"
import { drawnOverTime, hasOneUnit } from "./totals.ts"

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
