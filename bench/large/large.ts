import { Console, Effect } from "effect"
import { join, resolve } from "node:path"
import type { ReceiverAnswer, ReceiverQuestion } from "../deliver/receiver.ts"
import { temporaryDirectory } from "../harness/Database.ts"
import { requestBytes } from "../harness/HttpRequest.ts"
import type { LoadAnswer, LoadQuestion } from "../harness/load.ts"
import type { BenchOptions } from "../harness/Options.ts"
import { figure, print } from "../harness/Report.ts"
import { startWorker } from "../harness/Worker.ts"
import { measureDispatcher, measureSequencer, measureSweeps } from "./Flow.ts"
import { lists, reads, sums } from "./PageQuestions.ts"
import { measurePages } from "./Pages.ts"
import type { PageRow } from "./Pages.ts"
import type { Population, PopulationSize } from "./Population.ts"
import { openPopulation } from "./Population.ts"
import type { Both, Loaded, Row, Side } from "./Sides.ts"
import { footprint, idle, loadBoth, openSides, pick } from "./Sides.ts"
import { printSimulation } from "./simulate.ts"
import { measureStarts } from "./Starts.ts"
import { measureStatements } from "./Statements.ts"

/** The population that the large one is compared with. */
const small: PopulationSize = { licenses: 1000, endpoints: 10 }

const rounds = 4

/** How much slower than the first page the last one may be, and than among few rows a page among many. */
const pageFactor = 2

/** How long it takes, in seconds, to have asked for every known license on the slower side. */
const acquaintance = 15

/**
 * Of a load's round. Each round asks for licenses that nobody has asked for yet; or all rounds ask for all of them
 * `again`, so that what is measured is the size of the tables and not the disk.
 */
const requestsOf = (operation: "validate" | "consume", again = false) => {
  const run = Date.now().toString(36)
  return ({ population: { known }, service: { port } }: Side, round: number): ReadonlyArray<Uint8Array> => {
    const size = again ? known.length : Math.min(known.length, 4000)
    return Array.from({ length: size }, (_, index) => {
      // A step that has no divisor in common with the number of licenses visits them all, far from one another.
      const at = (round * size + index) * 7919 % known.length
      const { fingerprint, licenseKey } = known[at]!
      const key = `${run}-${round}-${index}-##########`
      return requestBytes(port, "POST", `/api/v1/license/${operation}`, {
        Authorization: `License ${licenseKey}`,
        ...(operation === "consume" ? { "Idempotency-Key": key } : {})
      }, {
        fingerprint,
        ...(operation === "consume" ? { feature_code: "render", event_id: key } : { nonce: "n-0123456789" })
      })
    })
  }
}

const verdict = ({ atMost, below, figures: [few, many] }: Row): string =>
  atMost !== undefined && many / few > atMost
    ? `EXCEEDS ${figure(atMost, 1)} times`
    : below !== undefined && many > below
    ? `EXCEEDS ${figure(below, 1)}`
    : atMost === undefined && below === undefined
    ? ""
    : "ok"

const printRows = (title: string, rows: ReadonlyArray<Row>) =>
  print(
    title,
    ["", "unit", "small", "large", "large/small", ""],
    rows.map((row) => [
      row.name,
      row.unit,
      figure(row.figures[0], row.digits ?? 0),
      figure(row.figures[1], row.digits ?? 0),
      figure(row.figures[1] / row.figures[0], 2),
      verdict(row)
    ]),
    []
  )

const pageVerdict = ({ times: [few, many] }: PageRow): string => {
  if (!Number.isFinite(many.first) || many.last === Number.POSITIVE_INFINITY) return "FAILS"
  // Below a millisecond more, it is the page's own size.
  const slower = (now: number, before: number) => now > before * pageFactor && now > before + 1
  return slower(many.first, few.first) ? "EXCEEDS small" : slower(many.last, many.first) ? "EXCEEDS first" : "ok"
}

const printPages = (title: string, rows: ReadonlyArray<PageRow>) =>
  print(
    title,
    ["", "small ms", "large ms", "large/small", "last page ms", "last/first", ""],
    rows.map((row) => {
      const { times: [few, many] } = row
      return [
        row.name,
        figure(few.first, 2),
        figure(many.first, 2),
        figure(many.first / few.first, 2),
        figure(many.last, 2),
        figure(many.last / many.first, 2),
        pageVerdict(row)
      ]
    }),
    []
  )

/** What is measured with both services running. */
const measure = (populations: Both<Population>, { callers, json, profile, seconds }: BenchOptions) =>
  Effect.scoped(Effect.gen(function*() {
    const sides = yield* openSides(populations, profile)
    const load = yield* startWorker<LoadQuestion, LoadAnswer>(new URL("../harness/load.ts", import.meta.url))
    const receiver = yield* startWorker<ReceiverQuestion, ReceiverAnswer>(
      new URL("../deliver/receiver.ts", import.meta.url)
    )
    const timing = { callers, rounds, seconds: seconds / rounds }
    const first = yield* loadBoth(load, sides, requestsOf("validate"), timing)
    const validate = yield* loadBoth(load, sides, requestsOf("validate", true), { ...timing, warmUp: acquaintance })
    const consume = yield* loadBoth(load, sides, requestsOf("consume"), timing)
    // Each table as soon as it is there: all of them take minutes.
    const show = (table: Effect.Effect<void>) => json ? Effect.void : table
    yield* show(printRows(`Under load of ${callers} callers`, loadRows({ first, validate, consume })))
    const { bytesOfEvent, sessions } = yield* footprint(sides[1])
    const resting = yield* idle(sides, seconds)
    const sequencer = yield* measureSequencer(sides)
    const dispatcher = yield* measureDispatcher(receiver, sides)
    const sweeps = yield* measureSweeps(sides)
    yield* show(printRows("What the service does by itself", workRows({ resting, sequencer, dispatcher, sweeps })))
    const pages = yield* measurePages(load, sides, lists)
    yield* show(printPages("Lists, pages of 100, one caller, the fastest answer of each", pages))
    const single = yield* measurePages(load, sides, reads)
    yield* show(printPages("Reads of one thing", single))
    const totals = yield* measurePages(load, sides, sums)
    yield* show(printPages("Sums over everything in a window: the large one adds more", totals))
    return {
      first,
      validate,
      consume,
      pages,
      single,
      totals,
      resting,
      sequencer,
      dispatcher,
      sweeps,
      bytesOfEvent,
      sessions
    }
  }))

interface Work {
  readonly resting: Effect.Success<ReturnType<typeof idle>>
  readonly sequencer: Effect.Success<ReturnType<typeof measureSequencer>>
  readonly dispatcher: Effect.Success<ReturnType<typeof measureDispatcher>>
  readonly sweeps: ReadonlyArray<Row>
}

const loadRows = (
  { consume, first, validate }: Readonly<Record<"consume" | "first" | "validate", Both<Loaded>>>
): ReadonlyArray<Row> =>
  ([
    ["validate, cold", first, undefined],
    ["validate", validate, 1.2],
    ["consume", consume, undefined]
  ] as const).flatMap((
    [name, loaded, bound]
  ): Array<Row> => [
    { name: `${name}: p50`, unit: "ms", figures: pick(loaded, ({ p50 }) => p50), digits: 1 },
    {
      name: `${name}: p99`,
      unit: "ms",
      figures: pick(loaded, ({ p99 }) => p99),
      digits: 1,
      ...(bound === undefined ? {} : { atMost: bound })
    },
    { name: `${name}: CPU of the service`, unit: "us/request", figures: pick(loaded, ({ service }) => service) },
    { name: `${name}: CPU of PostgreSQL`, unit: "us/request", figures: pick(loaded, ({ database }) => database) },
    { name: `${name}: rate`, unit: "1/s", figures: pick(loaded, ({ perSecond }) => perSecond) }
  ])

const workRows = ({ dispatcher, resting, sequencer, sweeps }: Work): ReadonlyArray<Row> => [
  { name: "sequencer", unit: "events/s", figures: sequencer.perSecond },
  { name: "sequencer: CPU of the service", unit: "us/event", figures: sequencer.service, digits: 1 },
  { name: "sequencer: CPU of PostgreSQL", unit: "us/event", figures: sequencer.database, digits: 1 },
  {
    name: "delivery to 10 endpoints: p50",
    unit: "ms",
    figures: pick(dispatcher, ({ p50 }) => p50),
    digits: 1,
    atMost: 2
  },
  { name: "delivery to 10 endpoints: p99", unit: "ms", figures: pick(dispatcher, ({ p99 }) => p99), digits: 1 },
  { name: "delivery: CPU of the service", unit: "us", figures: pick(dispatcher, ({ service }) => service) },
  { name: "delivery: CPU of PostgreSQL", unit: "us", figures: pick(dispatcher, ({ database }) => database) },
  ...sweeps,
  { name: "nobody asks: CPU of the service", unit: "ms/s", figures: resting.service, digits: 1 },
  { name: "nobody asks: CPU of PostgreSQL", unit: "ms/s", figures: resting.database, digits: 1 },
  { name: "nobody asks: memory of the service", unit: "MiB", figures: resting.memory }
]

/** Measures what could grow with the tables, on a small and on a large population in turns. */
export const large = (options: BenchOptions) =>
  Effect.gen(function*() {
    const directory = options.keep === undefined ? yield* temporaryDirectory : resolve(options.keep)
    const size: PopulationSize = { licenses: options.licenses, endpoints: options.endpoints }
    const nameOf = ({ endpoints, licenses }: PopulationSize) => join(directory, `${licenses}-${endpoints}`)
    const populations = [
      yield* openPopulation(nameOf(small), small),
      yield* openPopulation(nameOf(size), size)
    ] as const
    if (!options.json) {
      const { seconds } = populations[1]
      yield* Console.log(
        `large: ${figure(size.licenses)} licenses, ${figure(size.licenses * 3)} devices, ${
          figure(size.licenses * 10)
        } events, ${figure(size.endpoints)} endpoints, beside ${figure(small.licenses)} licenses${
          seconds > 0 ? `; made in ${figure(seconds)} s` : ""
        }\n`
      )
    }
    const starts = yield* measureStarts(populations)
    const measured = yield* measure(populations, options)
    const statements = yield* measureStatements(populations)
    const result = { size, seconds: populations[1].seconds, starts, statements, ...measured }
    if (options.json) return yield* Console.log(JSON.stringify(result))
    yield* printRows("Starts, and statements of a node's own", [...starts, ...statements])
    const of = <A>(loaded: Both<A>) => loaded[1]
    yield* Effect.all(printSimulation({
      // On the safe side: of a fleet, most ask seldom.
      validate: of(measured.first),
      consume: of(measured.consume),
      sequence: { service: measured.sequencer.service[1], database: measured.sequencer.database[1] },
      delivery: of(measured.dispatcher),
      idle: { service: measured.resting.service[1] * 1000, database: measured.resting.database[1] * 1000 },
      sessions: measured.sessions,
      bytesOfEvent: measured.bytesOfEvent
    }))
  })
