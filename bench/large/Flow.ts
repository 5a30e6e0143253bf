import { Effect } from "effect"
import type { ReceiverAnswer, ReceiverQuestion } from "../deliver/receiver.ts"
import { append, data } from "../feed/feed.ts"
import { runSql } from "../harness/Database.ts"
import { distributionOf, medianOf } from "../harness/Distribution.ts"
import { BenchError } from "../harness/ServiceProcess.ts"
import type { Worker } from "../harness/Worker.ts"
import type { Both, Row, Side } from "./Sides.ts"
import { ask, costOf, onBoth, pick, valueOf } from "./Sides.ts"

/** How long, in seconds, anything here may take. */
const patience = 120

/** Events that wait together for their places, and how often that is measured. */
const waiting = 20_000
const rounds = 3

/** Licenses and leases whose time is over, all at once. */
const due = 500

/** Endpoints that take what happens, and how often something does. */
const takers = 10
const happenings = 30

/** Waits until a query answers true; answers after how many milliseconds it did. */
const until = (side: Side, query: string, parameters: ReadonlyArray<unknown>) =>
  Effect.gen(function*() {
    const begin = performance.now()
    while ((yield* valueOf(side.population.databaseUrl, query, parameters)) !== true) {
      if (performance.now() > begin + patience * 1000) {
        return yield* new BenchError({ message: `${side.name}: not within ${patience} s: ${query}` })
      }
      yield* Effect.sleep(20)
    }
    return performance.now() - begin
  })

const head = ({ population }: Side) =>
  Effect.map(valueOf(population.databaseUrl, "SELECT last_sequence::float8 FROM event_chain"), Number)

/** Events that got their places a second, and the CPU of both in microseconds an event. */
const sequence = (side: Side) =>
  Effect.gen(function*() {
    const before = yield* costOf(side)
    const target = (yield* head(side)) + waiting
    yield* runSql(side.population.databaseUrl, [[append, [waiting, data]]])
    const took = yield* until(side, "SELECT last_sequence >= $1::int8 FROM event_chain", [String(target)])
    const after = yield* costOf(side)
    return {
      perSecond: waiting / took * 1000,
      service: (after.sender - before.sender) / waiting * 1e6,
      database: (after.store - before.store) / waiting * 1e6
    }
  })

/** How fast events get their places on both sides, in turns. */
export const measureSequencer = (sides: Both<Side>) =>
  Effect.gen(function*() {
    const runs: Array<Both<Effect.Success<ReturnType<typeof sequence>>>> = []
    for (let round = 0; round <= rounds; round++) runs.push(yield* onBoth(sides, sequence))
    const of = (figureOf: (run: Effect.Success<ReturnType<typeof sequence>>) => number): Both<number> => [
      medianOf(runs.slice(1).map(([small]) => figureOf(small))),
      medianOf(runs.slice(1).map(([, large]) => figureOf(large)))
    ]
    return {
      perSecond: of((run) => run.perSecond),
      service: of((run) => run.service),
      database: of((run) => run.database)
    }
  })

/** Spread over the whole table, whatever its size. */
const spread = (table: string) =>
  `SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id) AS n, count(*) OVER () AS all FROM ${table}) t
   WHERE n % greatest(1, "all" / ${due}) = 0 LIMIT ${due}`

/** Milliseconds until licenses that expired at once are announced, and leases that ran out at once are closed. */
const sweep = (side: Side) =>
  Effect.gen(function*() {
    const { databaseUrl } = side.population
    const idsOf = (table: string) =>
      Effect.map(runSql(databaseUrl, [[spread(table), []]]), (rows) => rows.map((row) => String(row["id"])))
    const licenses = yield* idsOf("licenses")
    const leases = yield* idsOf("leases")
    yield* runSql(databaseUrl, [[
      "UPDATE licenses SET expires_at = now() - interval '1 second', announced = 'nothing' WHERE id = ANY($1::text[])",
      [licenses]
    ]])
    const announced = yield* until(
      side,
      "SELECT bool_and(announced = 'expired') FROM licenses WHERE id = ANY($1::text[])",
      [licenses]
    )
    yield* runSql(databaseUrl, [
      [
        "UPDATE licenses SET expires_at = now() + interval '1 year', announced = 'nothing' WHERE id = ANY($1::text[])",
        [licenses]
      ],
      [
        `UPDATE leases SET ended_at = NULL, end_reason = NULL, expires_at = now() - interval '1 second'
         WHERE id = ANY($1::text[])`,
        [leases]
      ]
    ])
    const closed = yield* until(side, "SELECT bool_and(ended_at IS NOT NULL) FROM leases WHERE id = ANY($1::text[])", [
      leases
    ])
    return { announced, closed }
  })

/** How long sweeps take to find and do what is due. */
export const measureSweeps = (sides: Both<Side>) =>
  Effect.map(onBoth(sides, sweep), (runs): ReadonlyArray<Row> => [
    {
      name: `${due} licenses expire: announced within`,
      unit: "ms",
      figures: pick(runs, (run) => run.announced),
      atMost: 2
    },
    { name: `${due} leases run out: closed within`, unit: "ms", figures: pick(runs, (run) => run.closed), atMost: 2 }
  ])

type Receiver = Worker<ReceiverQuestion, ReceiverAnswer>

/** Has a few endpoints among the others take what happens; answers the latencies of its deliveries. */
const deliver = (receiver: Receiver, side: Side) =>
  Effect.gen(function*() {
    const { port } = yield* receiver.ask({ ask: "listen" })
    const product = yield* ask(side, "POST", "/api/v1/products", { name: "Happens", code: `happens-${Date.now()}` })
    const endpoints = yield* Effect.forEach(
      Array.from({ length: takers }, (_, index) => index),
      (index) =>
        ask(side, "POST", "/api/v1/webhooks", {
          name: `Taker ${index}`,
          url: `http://127.0.0.1:${port}/${index}`,
          event_types: ["product.updated"]
        })
    )
    const happen = (number: number) =>
      ask(side, "PATCH", `/api/v1/products/${product.id}`, { name: `Happens ${number}` })
    // The first ones open connections.
    yield* receiver.ask({ ask: "reset" })
    for (let number = 0; number < 5; number++) yield* happen(number)
    const { delivered } = yield* receiver.ask({ ask: "await", deliveries: 5 * takers, seconds: patience })
    if (delivered < 5 * takers) {
      return yield* new BenchError({
        message: `${side.name}: ${delivered} of ${5 * takers} deliveries to new endpoints came within ${patience} s`
      })
    }
    yield* receiver.ask({ ask: "reset" })
    const before = yield* costOf(side)
    for (let number = 0; number < happenings; number++) {
      yield* happen(100 + number)
      yield* receiver.ask({ ask: "await", deliveries: (number + 1) * takers, seconds: patience })
    }
    const { latencies } = yield* receiver.ask({ ask: "await", deliveries: happenings * takers, seconds: patience })
    const after = yield* costOf(side)
    const deliveries = happenings * takers
    for (const { webhook } of endpoints) yield* ask(side, "DELETE", `/api/v1/webhooks/${webhook.id}`)
    const { p50, p99 } = distributionOf([latencies])
    return {
      p50,
      p99,
      service: (after.sender - before.sender) / deliveries * 1e6,
      database: (after.store - before.store) / deliveries * 1e6
    }
  })

/** How long deliveries take to a few endpoints among all. */
export const measureDispatcher = (receiver: Receiver, sides: Both<Side>) =>
  onBoth(sides, (side) => deliver(receiver, side))
