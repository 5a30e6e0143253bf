import { Effect } from "effect"
import type { Scope } from "effect"
import { placeEvents } from "../../test/fixtures/FeedRows.ts"
import { runSql } from "../harness/Database.ts"
import { medianOf } from "../harness/Distribution.ts"
import { figure, print } from "../harness/Report.ts"
import { BenchError } from "../harness/ServiceProcess.ts"
import type { Burst } from "./DeliveryPhases.ts"
import { burst, warmUp } from "./DeliveryPhases.ts"
import type { DeliveryStage, StagedSender } from "./DeliveryStage.ts"
import { stageSender } from "./DeliveryStage.ts"
import { ownSender } from "./Senders.ts"

const healthy = 8
const rounds = 3
const events = 1000

/** What waits for the dead endpoint. */
const waiting = 1_000_000

// One dead endpoint on the port that is closed, beside the healthy ones, which take the same kind of event.
const endpoints = Array.from({ length: healthy + 1 }, (_, index) => ({
  path: `/${index}`,
  kind: 0,
  mortal: index === healthy
}))

/** Puts events straight into the feed, as if they had been sequenced, and the healthy endpoints behind them. */
const pileUp = (databaseUrl: string) =>
  runSql(databaseUrl, [
    [
      placeEvents({
        after: "SELECT last_sequence FROM event_chain",
        count: waiting,
        id: "'evt_backlog' || n",
        type: "SELECT event_types[1] FROM webhook_endpoints LIMIT 1",
        resourceId: "'prd_backlog'",
        data: `'{"name":"Acme Studio"}'`
      }),
      []
    ],
    ["UPDATE event_chain SET last_sequence = last_sequence + $1::int", [waiting]],
    [
      `UPDATE webhook_lanes l SET cursor_seq = c.last_sequence FROM event_chain c, webhook_endpoints e
      WHERE e.id = l.endpoint_id AND e.url NOT LIKE '%/' || $1::text`,
      [String(healthy)]
    ],
    ["ANALYZE event_places, event_records", []],
    ["CHECKPOINT", []]
  ])

/** How many events the dead endpoint still has before it. */
const backlogOf = (databaseUrl: string) =>
  Effect.map(
    runSql(databaseUrl, [[
      `SELECT (c.last_sequence - l.cursor_seq)::float8 AS backlog FROM event_chain c, webhook_lanes l
      JOIN webhook_endpoints e ON e.id = l.endpoint_id WHERE e.url LIKE '%/' || $1::text`,
      [String(healthy)]
    ]]),
    ([row]) => Number(row?.["backlog"])
  )

/** What the backlog of a dead endpoint does to the drain of the others. */
export interface BacklogResult {
  readonly backlog: number
  readonly without: { readonly drain: number; readonly enqueue: number }
  readonly beside: { readonly drain: number; readonly enqueue: number }
  readonly ratio: number
  readonly duplicates: number
}

/** Two senders of ours, one with a backlog for a dead endpoint and one without, drain in turns. */
export const measureBacklog = (stage: DeliveryStage): Effect.Effect<BacklogResult, BenchError, Scope.Scope> =>
  Effect.gen(function*() {
    const open = Effect.gen(function*() {
      const sender = yield* stageSender(stage, ownSender, endpoints)
      if (sender === undefined) return yield* new BenchError({ message: "No database" })
      return sender
    })
    const without = yield* open
    const beside = yield* open
    for (const sender of [without, beside]) {
      yield* warmUp(sender, 300, endpoints.length)
      yield* sender.ask({ ask: "stop" })
    }
    yield* stage.receiver.ask({ ask: "die" })
    yield* pileUp(beside.databaseUrl)
    const drained = new Map<StagedSender, Array<Burst>>([[without, []], [beside, []]])
    for (let turn = 0; turn < rounds; turn++) {
      for (const [sender, bursts] of drained) {
        const drained = yield* burst(sender, events, healthy)
        if (drained.missing > 0) return yield* new BenchError({ message: `${drained.missing} deliveries are missing` })
        bursts.push(drained)
        // The other one has the machine to itself.
        yield* sender.ask({ ask: "stop" })
      }
    }
    const summaryOf = (sender: StagedSender) => ({
      drain: medianOf(drained.get(sender)!.map(({ drain }) => drain)),
      enqueue: medianOf(drained.get(sender)!.map(({ enqueue }) => enqueue))
    })
    const backlog = yield* backlogOf(beside.databaseUrl)
    if (backlog < waiting) {
      return yield* new BenchError({ message: `Only ${backlog} events wait for the dead endpoint` })
    }
    return {
      backlog,
      without: summaryOf(without),
      beside: summaryOf(beside),
      ratio: summaryOf(beside).drain / summaryOf(without).drain,
      duplicates: [...drained.values()].flat().reduce((sum, { duplicates }) => sum + duplicates, 0)
    }
  })

/** Prints what {@link measureBacklog} found. */
export const printBacklog = ({ backlog, beside, duplicates, ratio, without }: BacklogResult): Effect.Effect<void> =>
  print(
    `backlog: drains of ${figure(events)} events to ${healthy} endpoints, beside a dead one for which ${
      figure(backlog)
    } events wait; median of ${rounds} in turns`,
    ["", "enqueue ev/s", "drain dlv/s"],
    [
      ["without a backlog", figure(without.enqueue), figure(without.drain)],
      ["beside the backlog", figure(beside.enqueue), figure(beside.drain)]
    ],
    [`Beside the backlog it drains at ${figure(ratio, 2)} of the rate without. Duplicates: ${duplicates}.`]
  )
