import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { EventKind } from "../../../src/domain/log/EventKind.ts"
import { kinds } from "../../../src/domain/log/EventKind.ts"
import { WebhookEndpoints } from "../../../src/services/delivery/webhooks/WebhookEndpoints.ts"
import { append, layerDelivery, until } from "../../fixtures/Delivery.ts"
import { isLong } from "../../fixtures/FaultForm.ts"
import { printLedger } from "../../fixtures/LedgerLine.ts"
import { receiver } from "../../fixtures/Receiver.ts"
import { layerTarget } from "../../fixtures/Target.ts"

/** In milliseconds. The long form runs alone and is held to it; the short one shares the machine with other tests. */
const p95Limit = 50
const seconds = isLong ? 30 : 1
/** Events per second while one of eight hangs: more than it may have under way at once. */
const pace = isLong ? 100 : 50
/** Twenty endpoints have each of so many kinds. */
const groups = isLong ? 50 : 5
/** Events of each kind at once: more than the slots that all who hang may have together. */
const burstOf = isLong ? 10 : 5

const quantile = (values: ReadonlyArray<number>, q: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))] ?? Number.NaN

/** Kinds that nothing here causes by itself. */
const subjects = kinds.filter((kind) => !kind.startsWith("webhook."))

/** A port where nobody listens. */
const closedPort = Effect.scoped(Effect.map(receiver(), ({ port }) => port))

/** Appends `perSecond` events, each in its own transaction, evenly and for `seconds`. */
const steady = (perSecond: number, kindOf: (index: number) => EventKind) =>
  Effect.gen(function*() {
    const begin = performance.now()
    for (let index = 0; index < perSecond * seconds; index++) {
      yield* append(1, { type: kindOf(index), data: { index } })
      const ahead = index / perSecond * 1000 - (performance.now() - begin)
      if (ahead > 1) yield* Effect.sleep(ahead)
    }
  })

/** A receiver on two ports: one answers and books the latency of each delivery, the other hangs for ever. */
const world = Effect.gen(function*() {
  const endpoints = yield* WebhookEndpoints
  const healthy = yield* receiver()
  const hangs = yield* receiver()
  const latencies: Array<number> = []
  const seen = new Set<string>()
  const hanging = { now: 0, most: 0 }
  hangs.respond = (response) => {
    hanging.now += 1
    hanging.most = Math.max(hanging.most, hanging.now)
    response.once("close", () => {
      hanging.now -= 1
    })
  }
  healthy.respond = (response, { body, path }) => {
    const { created_at, id } = JSON.parse(body)
    latencies.push(Date.now() - Date.parse(created_at))
    seen.add(`${path} ${id}`)
    response.writeHead(200).end()
  }
  const subscribe = (index: number, url: string, kind: EventKind) =>
    endpoints.create({ name: `${index}`, url: `${url}/${index}`, event_types: [kind], is_active: true })
  /** Prints and judges what the healthy ones got; `expected` is how many deliveries that should be. */
  const report = (
    name: string,
    { endpoints, events, expected }: { readonly endpoints: number; readonly events: number; readonly expected: number },
    remarks: string
  ) => {
    const [p50, p95] = [quantile(latencies, 0.5), quantile(latencies, 0.95)]
    const summary = {
      events,
      endpoints,
      delivered: seen.size,
      duplicates: healthy.received.length - seen.size,
      lost: expected - seen.size
    }
    printLedger(name, summary, `of the healthy; commit to 2xx p50 ${p50} ms, p95 ${p95} ms${remarks}`)
    assert.strictEqual(summary.lost, 0)
    // Where much else runs, an attempt may time out although its receiver has answered.
    if (isLong) assert.strictEqual(summary.duplicates, 0)
    if (isLong) assert.isBelow(p95, p95Limit)
  }
  return { hanging, hangs, healthy, latencies, report, seen, subscribe }
})

describe("isolation", () => {
  it.live("one of eight endpoints hangs: the others do not notice", () =>
    Effect.gen(function*() {
      const { hangs, healthy, report, seen, subscribe } = yield* world
      for (let index = 0; index < 8; index++) {
        yield* subscribe(index, index === 7 ? hangs.url : healthy.url, "license.activated")
      }
      yield* steady(pace, () => "license.activated")
      yield* until("all arrive", () => seen.size === pace * seconds * 7, isLong ? 30 : 90)
      assert.isAtMost(hangs.received.length, 30, "attempts at the one that hangs")
      const events = pace * seconds
      report("1 of 8 hangs", { endpoints: 8, events, expected: events * 7 }, "")
    }).pipe(Effect.scoped, Effect.provide(layerDelivery().pipe(Layer.provide(layerTarget)))), 120_000)

  it.live(
    `${groups * 4} of ${groups * 20} endpoints are dead, half of them by hanging: the others do not notice`,
    () =>
      Effect.gen(function*() {
        const { hanging, hangs, healthy, latencies, report, seen, subscribe } = yield* world
        const refusing = `http://127.0.0.1:${yield* closedPort}/hooks`
        const kindOf = (index: number) => subjects[index % groups]!
        yield* Effect.forEach(
          Array.from({ length: groups * 20 }, (_, index) => index),
          // In each group of twenty: two hang, two refuse, sixteen answer.
          (index) => {
            const place = Math.floor(index / groups)
            return subscribe(index, place < 2 ? hangs.url : place < 4 ? refusing : healthy.url, kindOf(index))
          },
          { concurrency: 8, discard: true }
        )
        // Many of each kind at once, so that every dead endpoint has all the work that it may take.
        for (let index = 0; index < groups; index++) yield* append(burstOf, { type: kindOf(index), data: {} })
        yield* until("the burst arrives", () => seen.size === groups * burstOf * 16, isLong ? 60 : 150)
        const burst = Math.max(...latencies)
        latencies.length = 0
        const perSecond = isLong ? 100 : 25
        yield* steady(perSecond, kindOf)
        const events = groups * burstOf + perSecond * seconds
        yield* until("all arrive", () => seen.size === events * 16, isLong ? 60 : 150)
        // Each may hold one slot of the node's 512, and all of them together half of all beside: the rest is for others.
        assert.isAtLeast(hanging.most, groups * 2)
        assert.isAtMost(hanging.most, groups * 2 + 256)
        report(
          `${groups * 4} of ${groups * 20} dead`,
          { endpoints: groups * 20, events, expected: events * 16 },
          `, the last of a burst before after ${burst} ms`
        )
      }).pipe(Effect.scoped, Effect.provide(layerDelivery().pipe(Layer.provide(layerTarget)))),
    400_000
  )
})
