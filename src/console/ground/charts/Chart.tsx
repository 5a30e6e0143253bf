import { useEffect, useRef, useState } from "preact/hooks"
import type uPlot from "uplot"
import "uplot/dist/uPlot.min.css"
import { amount } from "../design/Numbers.ts"
import { colorOf, optionsOf, usualHeight } from "./ChartOptions.ts"
import type { ChartProps, Plotter } from "./ChartOptions.ts"

/** Loads uPlot with the first chart. A browser that cannot run it shows the figures as a table. */
const load = (): Promise<Plotter> => import("uplot").then((module) => module.default)

/** The moment under the pointer. */
const moments = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" })

/** Draws into an element, and again when the figures or the color scheme change. Answers whether it cannot draw. */
const useDrawn = (props: ChartProps) => {
  const { decimals, height = usualHeight, instants, series } = props
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
    const onCursor = ({ cursor: { idx } }: uPlot) => {
      if (read.current === null) return
      read.current.textContent = idx === null || idx === undefined
        ? ""
        : `${moments.format(seconds[idx]! * 1000)}: ${
          series.map(({ name, values }) => `${name} ${amount(values[idx] ?? 0, decimals)}`).join(", ")
        }`
    }
    let plot: uPlot | undefined
    const draw = () => {
      plot?.destroy()
      const options = optionsOf(draws, props, target.clientWidth)
      options.hooks = { ...options.hooks, setCursor: [onCursor] }
      plot = new draws(options, [seconds, ...series.map(({ values }) => [...values])], target)
    }
    let width = target.clientWidth
    draw()
    const resized = new ResizeObserver(() => {
      if (target.clientWidth === width) return
      width = target.clientWidth
      plot?.setSize({ width, height })
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
  return { place, read, cannotDraw: plotter !== undefined && plotter.draws === undefined }
}

const shown = (value: number | null | undefined, decimals: number | undefined) =>
  value === undefined || value === null ? "" : decimals === undefined ? value : amount(value, decimals)

/** The figures of a chart as a table. */
const Figures = ({ decimals, instants, label, series }: ChartProps) => (
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
          {series.map(({ name, values }) => <td key={name}>{shown(values[index], decimals)}</td>)}
        </tr>
      ))}
    </tbody>
  </table>
)

/** A chart over time, as wide as its place; its figures are a table for readers who cannot see it. */
export const Chart = (props: ChartProps) => {
  const { height = usualHeight, label, series } = props
  const { cannotDraw, place, read } = useDrawn(props)
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
      <div ref={place} aria-hidden="true" style={{ minHeight: `${height}px` }} />
      <div class={cannotDraw ? "table" : "visually-hidden"}>
        <Figures {...props} />
      </div>
    </figure>
  )
}
