import { useEffect, useRef, useState } from "preact/hooks"
import type uPlot from "uplot"
import "uplot/dist/uPlot.min.css"
import { count, shortly } from "./Numbers.ts"

/** One line or row of bars. */
interface Series {
  readonly name: string
  /** As many as there are instants; null where nothing was measured. */
  readonly values: ReadonlyArray<number | null>
  /** Whether it counts what went wrong, which is drawn in that colour. */
  readonly isBad?: boolean
}

interface ChartProps {
  /** What it shows, for who cannot see it. */
  readonly label: string
  /** ISO 8601. */
  readonly instants: ReadonlyArray<string>
  readonly series: ReadonlyArray<Series>
  readonly kind: "bars" | "lines"
  /** In CSS pixels. */
  readonly height?: number
  /** A line across, such as a quota. */
  readonly limit?: number | undefined
}

type Plotter = typeof uPlot

/** What draws, loaded with the first chart. A browser that it cannot run in shows the figures as a table. */
const load = (): Promise<Plotter> => import("uplot").then((module) => module.default)

/** The name of the colour of a series. */
const colorOf = ({ isBad = false }: Series, index: number) => isBad ? "--bad" : `--series-${index % 5 + 1}`

const color = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

const optionsOf = (
  { paths }: Plotter,
  { height = 180, instants, kind, limit, series }: ChartProps,
  width: number
): uPlot.Options => {
  const quiet = color("--quiet")
  const grid = { stroke: color("--line"), width: 1 }
  const font = `12px ${color("--font")}`
  const bars = paths.bars?.({ size: [0.7, 40], radius: 0.15 })
  // Bars stand around their instant, so the first and the last need half a step more.
  const seconds = kind === "bars" ? instants.map((instant) => Date.parse(instant) / 1000) : []
  const half = seconds.length < 2 ? day / 2 : (seconds.at(-1)! - seconds[0]!) / (seconds.length - 1) / 2
  const highest = series.flatMap(({ values }) => values).reduce<number>(
    (most, value) => Math.max(most, value ?? 0),
    limit ?? 0
  )
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    scales: {
      ...(kind === "bars" ? { x: { range: (_: uPlot, min: number, max: number) => [min - half, max + half] } } : {}),
      y: { range: [0, highest === 0 ? 1 : highest * 1.08] }
    },
    axes: [
      {
        stroke: quiet,
        grid: { show: false },
        ticks: { show: false },
        font,
        size: 28,
        space: 64,
        values: (_, splits, __, ___, step) => splits.map((split) => (step < day ? hours : dates).format(split * 1000))
      },
      {
        stroke: quiet,
        grid,
        ticks: { show: false },
        font,
        size: 48,
        incrs: [
          1,
          2,
          5,
          10,
          20,
          50,
          100,
          200,
          500,
          1e3,
          2e3,
          5e3,
          1e4,
          2e4,
          5e4,
          1e5,
          2e5,
          5e5,
          1e6,
          2e6,
          5e6,
          1e7,
          1e8,
          1e9
        ],
        values: (_, splits) => splits.map((split) => shortly(split))
      }
    ],
    series: [
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
    ],
    hooks: {
      draw: [(plot) => {
        if (limit === undefined) return
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
      }]
    }
  }
}

const day = 86_400

/** Of the axis below, by how far its marks are from each other. */
const dates = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" })
const hours = new Intl.DateTimeFormat("en-GB", { timeStyle: "short" })

const days = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" })

/** A chart over time, as wide as its place; its figures are a table for who cannot see it. */
export const Chart = (props: ChartProps) => {
  const { instants, label, series } = props
  const place = useRef<HTMLDivElement>(null)
  const read = useRef<HTMLSpanElement>(null)
  const [plotter, setPlotter] = useState<{ readonly draws: Plotter | undefined }>()
  useEffect(() => {
    load().then((draws) => setPlotter({ draws }), () => setPlotter({ draws: undefined }))
  }, [])
  useEffect(() => {
    const target = place.current
    const draws = plotter?.draws
    if (target === null || draws === undefined) return
    const seconds = instants.map((instant) => Date.parse(instant) / 1000)
    let plot: uPlot | undefined
    const draw = () => {
      plot?.destroy()
      const options = optionsOf(draws, props, target.clientWidth)
      options.hooks = {
        ...options.hooks,
        setCursor: [({ cursor: { idx } }) => {
          if (read.current === null) return
          read.current.textContent = idx === null || idx === undefined
            ? ""
            : `${days.format(seconds[idx]! * 1000)}: ${
              series.map(({ name, values }) => `${name} ${count(values[idx] ?? 0)}`).join(", ")
            }`
        }]
      }
      plot = new draws(options, [seconds, ...series.map(({ values }) => [...values])], target)
    }
    let width = target.clientWidth
    draw()
    const resized = new ResizeObserver(() => {
      if (target.clientWidth === width) return
      width = target.clientWidth
      plot?.setSize({ width, height: props.height ?? 180 })
    })
    resized.observe(target)
    const scheme = matchMedia("(prefers-color-scheme: dark)")
    scheme.addEventListener("change", draw)
    return () => {
      resized.disconnect()
      scheme.removeEventListener("change", draw)
      plot?.destroy()
    }
  }, [JSON.stringify([instants, series, props.limit, props.kind]), plotter])
  return (
    <figure class="chart" aria-label={label}>
      <div class="legend">
        {series.map((one, index) => (
          <span key={one.name}>
            <i style={{ background: `var(${colorOf(one, index)})` }} />
            {one.name}
          </span>
        ))}
        <span ref={read} class="grow num" />
      </div>
      <div ref={place} aria-hidden="true" style={{ minHeight: `${props.height ?? 180}px` }} />
      <div class={plotter !== undefined && plotter.draws === undefined ? "table" : "unseen"}>
        <table>
          <caption>{label}</caption>
          <thead>
            <tr>
              <th scope="col">Time</th>
              {series.map(({ name }) => <th key={name} scope="col">{name}</th>)}
            </tr>
          </thead>
          <tbody>
            {instants.map((instant, index) => (
              <tr key={instant}>
                <th scope="row">{instant}</th>
                {series.map(({ name, values }) => <td key={name}>{values[index]}</td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  )
}
