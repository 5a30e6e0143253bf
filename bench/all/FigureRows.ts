import type { Effect } from "effect"
import type { busy } from "../busy/busy.ts"
import type { deliver } from "../deliver/deliver.ts"
import { figures } from "../deliver/deliverPeers.ts"
import type { PeerResult } from "../deliver/deliverPeers.ts"
import type { environments } from "../environments/environments.ts"
import type { exporting } from "../export/export.ts"
import type { feed } from "../feed/feed.ts"
import type { Summary } from "../harness/Comparison.ts"
import type { Distribution } from "../harness/Distribution.ts"
import { figure } from "../harness/Report.ts"
import type { list } from "../list/list.ts"
import type { purchases } from "../purchases/purchases.ts"
import type { reports } from "../reports/reports.ts"
import type { start } from "../start/start.ts"
import type { validate } from "../validate/validate.ts"
import type { activate, consume, lease } from "../writes/writes.ts"

type Found<Benchmark extends (...options: Array<never>) => Effect.Effect<any, any, any>> = Effect.Success<
  ReturnType<Benchmark>
>

/** What each benchmark prints with `--json`. */
export interface Results {
  /** `byHand`: what one writes with fastify and pg. */
  readonly validate: Found<typeof validate> & { readonly byHand?: Summary }
  readonly activate: Found<typeof activate>
  readonly consume: Found<typeof consume>
  readonly lease: Found<typeof lease>
  readonly list: Found<typeof list>
  readonly feed: Found<typeof feed>
  readonly export: Found<typeof exporting>
  readonly reports: Found<typeof reports>
  readonly deliver: Found<typeof deliver>
  readonly busy: Found<typeof busy>
  readonly environments: Found<typeof environments>
  readonly purchases: Found<typeof purchases>
  readonly start: Found<typeof start>
}

/** One row of the table. What was not measured is left out. */
export interface FigureRow {
  readonly name: string
  /** How much a second; `time` is shown instead where what counts is how long it takes. */
  readonly rate?: number
  readonly time?: string
  /** The rate of the least work that could do the same. */
  readonly limit?: number | undefined
  /** The slowest hundredth, in milliseconds, and that of the limit. */
  readonly p99?: number
  readonly limitP99?: number | undefined
  /** Processor time of the service for one of them, in microseconds. */
  readonly cpu?: number | undefined
  /** The most memory that the service had, in MiB. */
  readonly memory?: number
  readonly peer?: string | undefined
}

/** What is compared with peers, and whether more is better. */
const bestOf = <Measured>(peers: ReadonlyArray<Measured>, value: (peer: Measured) => number, better: "less" | "more") =>
  peers.toSorted((one, other) => (value(one) - value(other)) * (better === "less" ? 1 : -1))[0]

const compared = (name: string, service: Summary, limit: Summary): FigureRow => ({
  name,
  rate: service.requestsPerSecond,
  limit: limit.requestsPerSecond,
  p99: service.p99,
  limitP99: limit.p99,
  cpu: service.cpuPerRequest * 1000,
  memory: service.peakRss
})

const validateRows = ({ byHand, limit, service }: Results["validate"]): ReadonlyArray<FigureRow> => [{
  ...compared("validate", service, limit),
  peer: byHand &&
    `${figure(service.requestsPerSecond / byHand.requestsPerSecond, 2)} of fastify and pg by hand, ${
      figure(byHand.requestsPerSecond)
    } /s`
}]

const writeRows = ({ results }: Results["activate"]): ReadonlyArray<FigureRow> =>
  results.map(({ limit, name, service }) => compared(name, service, limit))

/** A rate beside that of the same page by node:http and JSON.stringify alone. */
const besideBareHttp = (rate: number, bare: number): string =>
  `${figure(rate / bare, 2)} of node:http and JSON of the same rows, ${figure(bare)} /s`

const listRows = (
  { licenses, limit, results: [first, last, bareFirst, bareLast, served] }: Results["list"]
): ReadonlyArray<FigureRow> =>
  ([[`list, first page of ${figure(limit)}`, first, bareFirst], [
    `list, page ${figure(licenses / limit)}`,
    last,
    bareLast
  ]] as const).map(([name, service, bare]) => ({
    name,
    rate: service!.pagesPerSecond,
    limit: bare!.pagesPerSecond,
    p99: service!.latency.p99,
    limitP99: bare!.latency.p99,
    peer: service === first ? besideBareHttp(service!.pagesPerSecond, served!.pagesPerSecond) : undefined
  }))

const reportRows = ({ results, seconds, served }: Results["reports"]): ReadonlyArray<FigureRow> =>
  results.map(({ latency, limit, name }, index) => ({
    name: `reports, ${name}`,
    rate: latency.count / seconds,
    limit: limit.count / seconds,
    p99: latency.p99,
    limitP99: limit.p99,
    peer: index === 2 ? besideBareHttp(latency.count / seconds, served.count / seconds) : undefined
  }))

const exportRows = ({ copied, results }: Results["export"]): ReadonlyArray<FigureRow> =>
  results.map(({ format, peakRss, rowsPerSecond }) => ({
    name: `export, rows as ${format.toUpperCase()}`,
    rate: rowsPerSecond,
    limit: copied.rows / copied.seconds,
    memory: peakRss
  }))

/** The two that deliver events, ours and the best of the others, by one of the scenarios. */
const deliveredBy = <Measured>(
  peers: ReadonlyArray<PeerResult>,
  pick: (peer: PeerResult) => Measured | undefined,
  value: (measured: Measured) => number,
  better: "less" | "more"
) => {
  const measured = peers.flatMap((peer) => {
    const found = pick(peer)
    // One that delivered nothing meanwhile has no latency to compare: NaN, which is null in the JSON of its benchmark.
    return found === undefined || !Number.isFinite(value(found)) ? [] : [{ name: peer.name, found }]
  })
  return {
    ours: measured.find(({ name }) => name === "Countersign")?.found,
    best: bestOf(measured.filter(({ name }) => name !== "Countersign"), ({ found }) => value(found), better)
  }
}

/** How the healthy endpoints fare while others do not: ours beside itself undisturbed, and the best of the others. */
const disturbedRow = (
  peers: ReadonlyArray<PeerResult>,
  scenario: "dead" | "hanging",
  name: string
): ReadonlyArray<FigureRow> => {
  const { best, ours } = deliveredBy(
    peers,
    (peer) => peer[scenario],
    ({ disturbed }) => disturbed.latency.p99,
    "less"
  )
  return ours === undefined ? [] : [{
    name,
    time: "as they come",
    p99: ours.disturbed.latency.p99,
    limitP99: ours.undisturbed.latency.p99,
    cpu: ours.disturbed.cost.senderCpu,
    peer: best && `${best.name}, p99 ${figure(best.found.disturbed.latency.p99, 1)} ms`
  }]
}

const deliverRows = ({ peers, service }: Results["deliver"]): ReadonlyArray<FigureRow> => {
  const drain = deliveredBy(peers, ({ burst }) => burst, ({ drain }) => drain, "more")
  const steady = deliveredBy(peers, ({ steady }) => steady, ({ latency }) => latency.p99, "less")
  const p99 = (latency: Distribution) => `p99 ${figure(latency.p99, 1)} ms`
  return [
    ...service === undefined ? [] : [{
      name: "deliver, a backlog",
      rate: service.service.drain,
      limit: service.limit.drain,
      cpu: service.service.cpu,
      memory: service.service.peakRss
    }],
    ...drain.ours === undefined ? [] : [{
      name: "deliver, a burst",
      rate: drain.ours.drain,
      cpu: drain.ours.cost.senderCpu,
      peer: drain.best &&
        `${figure(drain.ours.drain / drain.best.found.drain, 2)} of ${drain.best.name}, ${
          figure(drain.best.found.drain)
        } /s`
    }],
    ...steady.ours === undefined ? [] : [{
      name: "deliver, 800 a second",
      time: "as they come",
      p99: steady.ours.latency.p99,
      cpu: steady.ours.cost.senderCpu,
      peer: steady.best && `${steady.best.name}, ${p99(steady.best.found.latency)}`
    }],
    ...disturbedRow(peers, "hanging", `deliver, one of ${figures.endpoints} hangs`),
    ...disturbedRow(peers, "dead", `deliver, a fifth of ${figure(figures.many.endpoints)} refuse`)
  ]
}

/** A customer's validates, beside those of a customer who has the service alone. */
const busyRows = ({ rows: [alone, ...crowded] }: Results["busy"]): ReadonlyArray<FigureRow> =>
  crowded.map(({ latency, name, rate }) => ({
    name: `validate while ${name}`,
    rate,
    limit: alone!.rate,
    p99: latency.p99,
    limitP99: alone!.latency.p99
  }))

/** Live's validates at a fixed rate, beside those while nothing happens in test. */
const environmentRows = ({ rate, rows: [alone, ...beside] }: Results["environments"]): ReadonlyArray<FigureRow> =>
  beside.map(({ latency, name }) => ({
    name: `validate beside ${name} in test`,
    time: `${figure(rate)}, as asked`,
    p99: latency.p99,
    limitP99: alone!.latency.p99
  }))
/** Events of a payment provider, and their licenses, which are there so much later. */
const purchaseRows = ({ rows }: Results["purchases"]): ReadonlyArray<FigureRow> =>
  rows.flatMap(({ cpu, latency, license, name, rate }) => [
    { name: `purchases, ${name}`, rate, p99: latency.p99, cpu },
    { name: `licenses, ${name}`, time: "as they come", p99: license.p99 }
  ])

const startRows = ({ first, later }: Results["start"]): ReadonlyArray<FigureRow> =>
  ([["start, the first", first], ["start, a later one", later]] as const).map(([name, seconds]) => ({
    name,
    time: `${figure(Math.min(...seconds), 1)}-${figure(Math.max(...seconds), 1)} s`
  }))

const rowsOf: { readonly [What in keyof Results]: (found: Results[What]) => ReadonlyArray<FigureRow> } = {
  validate: validateRows,
  activate: writeRows,
  consume: writeRows,
  lease: writeRows,
  list: listRows,
  feed: ({ half, rate }) => [{ name: "feed, events placed", rate, p99: half.lag.p99 }],
  export: exportRows,
  reports: reportRows,
  deliver: deliverRows,
  busy: busyRows,
  environments: environmentRows,
  purchases: purchaseRows,
  start: startRows
}

/** The benchmarks in the order of the table. */
export const order = Object.keys(rowsOf) as ReadonlyArray<keyof Results>

/** The rows of what was measured. */
export const figureRows = (results: Partial<Results>): ReadonlyArray<FigureRow> =>
  order.flatMap(<What extends keyof Results>(what: What) => {
    const found: Results[What] | undefined = results[what]
    return found === undefined ? [] : rowsOf[what](found)
  })
