import type uPlot from "uplot"
import { shortly } from "../design/Numbers.ts"

/** One line or row of bars. */
interface Series {
  readonly name: string
  /** One for each instant; null where nothing was measured. */
  readonly values: ReadonlyArray<number | null>
  /** Whether it counts failures, which have a colour of their own. */
  readonly isBad?: boolean
}

/** A chart over time. */
export interface ChartProps {
  /** A description for readers who cannot see it. */
  readonly label: string
  /** ISO 8601. */
  readonly instants: ReadonlyArray<string>
  readonly series: ReadonlyArray<Series>
  readonly kind: "bars" | "lines"
  /** In CSS pixels. */
  readonly height?: number
  /** A line across, such as a quota. */
  readonly limit?: number | undefined
  /** The decimal places of the values, which are whole numbers of their smallest steps. */
  readonly decimals?: number | undefined
}

/** uPlot, which is loaded with the first chart. */
export type Plotter = typeof uPlot

/** The height of a chart that is given none, in CSS pixels. */
export const usualHeight = 180

/** The name of the colour of a series. */
export const colorOf = ({ isBad = false }: Series, index: number) => isBad ? "--bad" : `--series-${index % 5 + 1}`

const color = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

/** In seconds. */
const day = 86_400

/** The marks of the axis of time: dates, or times where they are less than a day apart. */
const dates = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" })
const hours = new Intl.DateTimeFormat("en-GB", { timeStyle: "short" })

/** The distances between the marks of the axis of values. */
const steps = Array.from({ length: 10 }, (_, zeros) => [1, 2, 5].map((digit) => digit * 10 ** zeros)).flat()

/** The top of the axis of values: a little above the highest value or limit, and 1 where there is none. */
export const topOf = ({ limit = 0, series }: Pick<ChartProps, "limit" | "series">): number => {
  const values = series.flatMap(({ values }) => values)
  const highest = values.reduce<number>((most, value) => Math.max(most, value ?? 0), limit)
  return highest === 0 ? 1 : highest * 1.08
}

/** Half the step between bars, in seconds. Bars stand around their instant, so the first and the last need so much more. */
export const halfStepOf = (instants: ReadonlyArray<string>): number => {
  const [first, last] = [instants[0], instants.at(-1)].map((instant) => Date.parse(instant ?? "") / 1000)
  return instants.length < 2 ? day / 2 : (last! - first!) / (instants.length - 1) / 2
}

const axes = ({ decimals = 0 }: ChartProps): Array<uPlot.Axis> => {
  const common = { stroke: color("--quiet"), ticks: { show: false }, font: `12px ${color("--font")}` }
  return [
    {
      ...common,
      grid: { show: false },
      size: 28,
      space: 64,
      values: (_, splits, __, ___, step) => splits.map((split) => (step < day ? hours : dates).format(split * 1000))
    },
    {
      ...common,
      grid: { stroke: color("--line"), width: 1 },
      size: 48,
      incrs: steps,
      values: (_, splits) => splits.map((split) => shortly(split / 10 ** decimals))
    }
  ]
}

const seriesOf = ({ paths }: Plotter, { kind, series }: ChartProps): Array<uPlot.Series> => {
  const bars = paths.bars?.({ size: [0.7, 40], radius: 0.15 })
  return [
    {},
    ...series.map((one, index): uPlot.Series => {
      const stroke = color(colorOf(one, index))
      return {
        label: one.name,
        stroke,
        width: kind === "bars" ? 0 : 2,
        points: { show: false },
        ...(kind === "bars" && bars !== undefined ? { fill: stroke, paths: bars } : { fill: `${stroke}14` })
      }
    })
  ]
}

/** Draws the limit as a dashed line across. */
const drawLimit = (limit: number) => (plot: uPlot) => {
  const y = plot.valToPos(limit, "y", true)
  const { ctx } = plot
  ctx.save()
  ctx.strokeStyle = color("--bad")
  ctx.setLineDash([6, 4])
  ctx.beginPath()
  ctx.moveTo(plot.bbox.left, y)
  ctx.lineTo(plot.bbox.left + plot.bbox.width, y)
  ctx.stroke()
  ctx.restore()
}

/** How uPlot draws a chart of a width, in the colours of the scheme that is shown now. */
export const optionsOf = (plotter: Plotter, props: ChartProps, width: number): uPlot.Options => {
  const { height = usualHeight, instants, kind, limit } = props
  const half = halfStepOf(instants)
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    scales: {
      ...(kind === "bars" ? { x: { range: (_: uPlot, min: number, max: number) => [min - half, max + half] } } : {}),
      y: { range: [0, topOf(props)] }
    },
    axes: axes(props),
    series: seriesOf(plotter, props),
    hooks: { draw: limit === undefined ? [] : [drawLimit(limit)] }
  }
}
