import { ink, num, pdfText } from "countersign-pdf"
import type { Element, PdfPages, TextSetter } from "countersign-pdf"
import type { SeriesPoint } from "../../../domain/evidence/reports/Report.ts"
import { grouped } from "./printedItems.ts"
import type { ReportClock } from "./ReportClock.ts"
import { readable } from "./reportTexts.ts"

/** The height of a chart with its labels, in points. */
export const chartHeight = 150

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
export const drawChart = (
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
