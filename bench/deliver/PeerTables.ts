import { Effect } from "effect"
import { figure, print } from "../harness/Report.ts"
import type { Disturbance, PeerResult } from "./deliverPeers.ts"
import { figures } from "./deliverPeers.ts"
import { patience } from "./DeliveryPhases.ts"
import type { Burst, Steady } from "./DeliveryPhases.ts"

/** A column: how a measurement is shown and compared. */
interface Column<Measured> {
  readonly title: string
  readonly value: (measured: Measured) => number
  readonly digits: number
  /** Which is better; `neither` is not compared. */
  readonly better: "less" | "more" | "neither"
}

const costColumns: ReadonlyArray<Column<Pick<Steady, "cost" | "duplicates">>> = [
  { title: "WAL B/dlv", value: ({ cost }) => cost.wal, digits: 0, better: "less" },
  { title: "commits/dlv", value: ({ cost }) => cost.commits, digits: 3, better: "less" },
  { title: "CPU us/dlv", value: ({ cost }) => cost.senderCpu + cost.storeCpu, digits: 0, better: "less" },
  { title: "of it store", value: ({ cost }) => cost.storeCpu, digits: 0, better: "neither" },
  { title: "duplicates", value: ({ duplicates }) => duplicates, digits: 0, better: "less" }
]

const latencyColumns: ReadonlyArray<Column<Pick<Steady, "latency">>> = [
  { title: "p50 ms", value: ({ latency }) => latency.p50, digits: 1, better: "less" },
  { title: "p95 ms", value: ({ latency }) => latency.p95, digits: 1, better: "less" },
  { title: "p99 ms", value: ({ latency }) => latency.p99, digits: 1, better: "less" }
]

const steadyColumns: ReadonlyArray<Column<Steady>> = [...latencyColumns, ...costColumns]

const burstColumns: ReadonlyArray<Column<Burst>> = [
  { title: "enqueue ev/s", value: ({ enqueue }) => enqueue, digits: 0, better: "more" },
  { title: "drain dlv/s", value: ({ drain }) => drain, digits: 0, better: "more" },
  { title: "missing", value: ({ missing }) => missing, digits: 0, better: "less" },
  ...latencyColumns,
  ...costColumns
]

const disturbanceColumns: ReadonlyArray<Column<Disturbance>> = [
  { title: "undisturbed p95 ms", value: ({ undisturbed }) => undisturbed.latency.p95, digits: 1, better: "less" },
  { title: "p50 ms", value: ({ disturbed }) => disturbed.latency.p50, digits: 1, better: "less" },
  { title: "p95 ms", value: ({ disturbed }) => disturbed.latency.p95, digits: 1, better: "less" },
  { title: "p99 ms", value: ({ disturbed }) => disturbed.latency.p99, digits: 1, better: "less" },
  {
    title: "p95 ratio",
    value: ({ disturbed, undisturbed }) => disturbed.latency.p95 / undisturbed.latency.p95,
    digits: 2,
    better: "less"
  },
  { title: "missing", value: ({ disturbed }) => disturbed.missing, digits: 0, better: "less" },
  { title: "duplicates", value: ({ disturbed }) => disturbed.duplicates, digits: 0, better: "less" }
]

const shown = (value: number, digits: number): string =>
  value === Number.POSITIVE_INFINITY ? "never" : figure(value, digits)

/** Where the first row is not at least as good as every other one. */
const behind = <Measured>(rows: ReadonlyArray<Measured>, columns: ReadonlyArray<Column<Measured>>) =>
  columns.flatMap(({ better, title, value }) => {
    const [ours, ...theirs] = rows.map(value)
    const isBehind = theirs.some((their) => better === "less" ? their < ours! : better === "more" && their > ours!)
    return isBehind ? [title] : []
  })

const printScenario = <Measured>(
  title: string,
  results: ReadonlyArray<PeerResult>,
  columns: ReadonlyArray<Column<Measured>>,
  pick: (result: PeerResult) => Measured | undefined,
  remarks: ReadonlyArray<string>
): Effect.Effect<void> => {
  const measured = results.flatMap((result) => pick(result) ?? [])
  if (measured.length === 0) return Effect.void
  const isCompared = results[0]?.name === "Countersign" && measured.length > 1
  const columnsBehind = behind(measured, columns)
  return print(
    title,
    ["", ...columns.map(({ title }) => title)],
    results.map((result) => {
      const found = pick(result)
      return [
        result.name,
        ...found === undefined
          ? [result.isInstalled ? "not measured" : "not installed"]
          : columns.map(({ digits, value }) => shown(value(found), digits))
      ]
    }),
    [
      ...remarks,
      ...(!isCompared
        ? []
        : columnsBehind.length === 0
        ? ["Countersign is ahead of every peer, or level with it, in every column."]
        : [`A peer is ahead of Countersign in: ${columnsBehind.join(", ")}.`])
    ]
  )
}

/** Prints a table for each scenario that was measured, a row for each sender. */
export const printPeers = (results: ReadonlyArray<PeerResult>): Effect.Effect<void> => {
  const { burstEvents, endpoints, hangingSeconds, many, perKind, rate, refusing, rounds, steadySeconds, wait } = figures
  return Effect.gen(function*() {
    yield* printScenario(
      `steady: ${rate} events/s to ${endpoints} endpoints for ${rounds} x ${steadySeconds} s, in turns; from commit to 2xx`,
      results,
      steadyColumns,
      ({ steady }) => steady,
      [
        "WAL, commits (transactions that wrote) and CPU are of everything from the commit on, a delivery; CPU is the " +
        "sender's and its store's."
      ]
    )
    yield* printScenario(
      `burst: ${rounds} x ${
        figure(burstEvents)
      } events to ${endpoints} endpoints, each committed by itself, then drained`,
      results,
      burstColumns,
      ({ burst }) => burst,
      ["Latencies here are mostly the time that an event waited for the drain to begin."]
    )
    yield* printScenario(
      `hanging: ${rate} events/s to ${endpoints} endpoints for ${hangingSeconds} s, one of which never answers; ` +
        "the others' latencies",
      results,
      disturbanceColumns,
      ({ hanging }) => hanging,
      [`"never": not within ${wait.disturbed} s of the last event.`]
    )
    yield* printScenario(
      `dead: ${many.rate} events/s for ${many.seconds} s, each to ${perKind} of ${
        figure(many.endpoints)
      } endpoints, a fifth of which refuses connections; the others' latencies`,
      results,
      disturbanceColumns,
      ({ dead }) => dead,
      []
    )
    for (const [index, rest] of refusing.rests.entries()) {
      yield* printScenario(
        `refusing: ${
          figure(refusing.events)
        } events to one endpoint, drained for at most ${patience} s, one attempt in ` +
          `${refusing.every} answered with 503 ${rest === undefined ? "alone" : `and Retry-After: ${rest}`}`,
        results,
        burstColumns,
        (result) => result.refusing?.[index],
        rest === undefined
          ? []
          : ["Job queues do not read Retry-After: they send on, and try the refused one again later."]
      )
    }
  })
}
