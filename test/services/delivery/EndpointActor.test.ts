import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { WebhookEndpoints } from "../../../src/services/delivery/webhooks/WebhookEndpoints.ts"
import { append } from "../../fixtures/Delivery.ts"
import { placeEvents } from "../../fixtures/FeedRows.ts"
import {
  create,
  fed,
  isComplete,
  lane,
  pass,
  receivers,
  refused,
  running,
  status,
  test,
  until,
  untilQuiet,
  untilSo
} from "../../fixtures/LaneOnTestClock.ts"
import { layerTarget } from "../../fixtures/Target.ts"

describe("EndpointActor", () => {
  it.effect(
    "delivers after an outage of 10 minutes, each event at least once, and asks a dead receiver seldom",
    () =>
      test((net) =>
        Effect.gen(function*() {
          const id = yield* create("/a")
          net.answers(() => refused)
          yield* append(100)
          yield* until("the breaker opens", () => net.arrived.length >= 10)
          // Each step looks at the lane five times, so that one that asks too often is still seen.
          yield* pass(10 * 60, 30)
          assert.isBelow(net.arrived.length, 30, "attempts while the breaker is open")
          const during = yield* lane(id)
          assert.strictEqual(during.breaker, "open")
          assert.isBelow(during.retries, 40)
          net.answers(() => status(200))
          const before = net.arrived.length
          yield* pass(5 * 60, 30)
          yield* until(
            "100 deliveries",
            () => new Set(net.arrived.slice(before).map((one) => one.index)).size === 100,
            900
          )
          isComplete(net.arrived.slice(before), 100)
          assert.strictEqual(net.arrived.length - before, 100, "nothing is repeated that was delivered")
          yield* untilSo("it is written down", Effect.map(lane(id), (row) => Number(row.delivered_total) >= 100))
          const after = yield* lane(id)
          assert.strictEqual(after.breaker, "closed")
          assert.strictEqual(after.retries, 0)
          assert.strictEqual(Number(after.delivered_total), 100)
        })
      )
  )

  it.effect("does not let one hanging endpoint delay the others", () =>
    test((net) =>
      Effect.gen(function*() {
        const paths = ["/a", "/b", "/c", "/hangs"]
        yield* Effect.forEach(paths, create)
        net.answers((path) => path === "/hangs" ? Effect.never : status(200))
        yield* append(50)
        yield* until("the healthy three", () => net.arrived.filter(({ path }) => path !== "/hangs").length === 150)
        for (const path of paths.slice(0, 3)) isComplete(net.at(path), 50)
        yield* until("ten attempts that hang", () => net.at("/hangs").length === 10)
        yield* pass(5)
        assert.strictEqual(net.at("/hangs").length, 10, "at most ten in flight")
      })
    ))

  it.effect("sends events in order while the receiver answers, and retries beside them", () =>
    test((net) =>
      Effect.gen(function*() {
        const id = yield* create("/a")
        net.answers((_, { body }) => JSON.parse(body).data.index === 3 ? status(500) : status(200))
        yield* append(30)
        yield* until("the first pass", () => net.arrived.length >= 30)
        assert.deepStrictEqual(
          net.arrived.slice(0, 30).map(({ index }) => index),
          Array.from({ length: 30 }, (_, i) => i)
        )
        yield* untilSo("it is written down", Effect.map(lane(id), (row) => Number(row.delivered_total) >= 29))
        const behind = yield* lane(id)
        assert.strictEqual(behind.retries, 1, "a failure waits in the retry table")
        assert.strictEqual(Number(behind.delivered_total), 29)
        yield* pass(70)
        yield* until("it is tried again", () => net.arrived.filter(({ index }) => index === 3).length >= 3)
        assert.strictEqual(net.arrived.filter(({ index }) => index !== 3).length, 29)
      })
    ))

  it.effect("starts nothing more than a second after a pause, goes on at the cursor, and stops for a delete", () =>
    test((net) =>
      Effect.gen(function*() {
        const endpoints = yield* WebhookEndpoints
        const id = yield* create("/a")
        net.answers(() => Effect.delay(status(200), 50))
        yield* append(400)
        yield* until("some", () => net.arrived.length > 50)
        yield* endpoints.update(id, { is_active: false })
        yield* untilQuiet(net)
        const atPause = net.arrived.length
        assert.isBelow(atPause, 400)
        yield* pass(30)
        assert.strictEqual(net.arrived.length, atPause)
        yield* endpoints.update(id, { is_active: true })
        yield* until("the rest", () => new Set(net.arrived.map(({ index }) => index)).size === 400)
        assert.strictEqual(net.arrived.length, 400, "nothing twice")
        yield* append(400)
        yield* until("some more", () => net.arrived.length > 420)
        yield* endpoints.remove(id)
        yield* untilQuiet(net)
        const atDelete = net.arrived.length
        yield* pass(30)
        assert.strictEqual(net.arrived.length, atDelete)
        assert.isBelow(atDelete, 800)
      })
    ))

  it.effect("disables an endpoint that is gone, says so in the feed, and goes on at the cursor when it is activated", () =>
    test((net) =>
      Effect.gen(function*() {
        const endpoints = yield* WebhookEndpoints
        const id = yield* create("/a")
        net.answers(() => status(410))
        yield* append(30)
        yield* until("an attempt", () => net.arrived.length > 0)
        yield* untilSo("it is disabled", Effect.map(endpoints.get(id), (webhook) => webhook.status !== "active"))
        const webhook = yield* endpoints.get(id)
        assert.strictEqual(webhook.status, "disabled")
        assert.strictEqual(webhook.disabled_reason, "gone")
        assert.isAtMost(net.arrived.length, 10)
        assert.lengthOf(yield* fed("webhook.disabled"), 1)
        net.answers(() => status(200))
        const before = net.arrived.length
        yield* endpoints.update(id, { is_active: true })
        yield* pass(30)
        yield* until("all", () => new Set(net.arrived.slice(before).map(({ index }) => index)).size === 30)
      })
    ))

  it.effect("gives up after 13 attempts, counts it and feeds it; abort-message drops at once", () =>
    test((net) =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const id = yield* create("/a")
        net.answers((_, { body }) =>
          JSON.parse(body).data.index === 0 ? status(503) : status(400, { "webhook-delivery": "abort-message" })
        )
        yield* append(2)
        yield* until("both", () => net.arrived.length >= 2)
        yield* untilSo("the failure is written down", Effect.map(lane(id), ({ retries }) => retries > 0))
        // Nearly used up: the last attempt is due.
        yield* sql`UPDATE webhook_retries SET attempt = 12, due_at = now()`
        yield* pass(20)
        yield* until("the row is read again", () => net.arrived.filter(({ index }) => index === 0).length >= 2)
        for (let round = 0; round < 20 && (yield* lane(id)).retries > 0; round++) {
          yield* sql`UPDATE webhook_retries SET attempt = 12, due_at = now()`
          yield* pass(20)
        }
        const row = yield* lane(id)
        assert.strictEqual(row.retries, 0)
        assert.strictEqual(Number(row.exhausted_total), 1)
        assert.strictEqual(net.arrived.filter(({ index }) => index === 1).length, 1)
        const exhausted = yield* fed("webhook.delivery_exhausted")
        assert.strictEqual(JSON.parse(exhausted[0]!.data).attempts, 13)
      })
    ))

  it.effect("disables an endpoint to which nothing was delivered for 120 hours and ten deliveries failed", () =>
    test((net) =>
      Effect.gen(function*() {
        const endpoints = yield* WebhookEndpoints
        const sql = yield* SqlClient.SqlClient
        const id = yield* create("/a")
        net.answers(() => refused)
        yield* append(12)
        yield* until("ten failures", () => net.arrived.length >= 10)
        yield* pass(20)
        assert.strictEqual((yield* endpoints.get(id)).status, "active")
        yield* sql`UPDATE webhook_lanes SET failing_since = now() - interval '121 hours'`
        yield* pass(60)
        yield* untilSo("it is disabled", Effect.map(endpoints.get(id), (webhook) => webhook.status !== "active"))
        const webhook = yield* endpoints.get(id)
        assert.strictEqual(webhook.disabled_reason, "failing")
      })
    ))

  it.effect("rests for as long as a receiver says with 429, which is no attempt, and then sends everything", () =>
    test((net) =>
      Effect.gen(function*() {
        const id = yield* create("/a")
        net.answers(() => status(429, { "retry-after": "60" }))
        yield* append(4)
        yield* until("it is refused", () => net.arrived.length >= 1)
        yield* untilSo("it is written down", Effect.map(lane(id), (row) => row.rest_until !== null))
        yield* pass(50)
        const refused = net.arrived.length
        assert.isAtMost(refused, 4)
        const during = yield* lane(id)
        assert.strictEqual(during.breaker, "closed")
        assert.strictEqual(during.retries, 0)
        net.answers(() => status(200))
        yield* pass(30)
        yield* until("all", () => new Set(net.arrived.slice(refused).map(({ index }) => index)).size === 4)
        assert.strictEqual(net.arrived.length, refused + 4)
      })
    ))

  it.effect("goes on at the cursor after a restart, with nothing lost", () =>
    Effect.gen(function*() {
      const net = receivers()
      net.answers((_, { body }) => JSON.parse(body).data.index % 10 === 0 ? status(500) : Effect.delay(status(200), 30))
      yield* running(
        net,
        Effect.gen(function*() {
          yield* create("/a")
          yield* append(300)
          yield* until("some", () => net.arrived.length > 100)
        })
      )
      const before = net.arrived.length
      assert.isBelow(before, 300)
      net.answers(() => status(200))
      yield* running(
        net,
        Effect.gen(function*() {
          yield* pass(60)
          yield* until("the rest", () => net.arrived.slice(before).some(({ index }) => index === 299))
        })
      )
      isComplete(net.arrived, 300)
      assert.strictEqual(
        net.arrived.filter(({ index }) => index % 10 !== 0).length,
        270,
        "a clean stop repeats nothing"
      )
    }).pipe(Effect.provide(layerTarget), Effect.scoped))

  it.effect("finds the few events that an endpoint takes among many that it does not", () =>
    test((net) =>
      Effect.gen(function*() {
        yield* create("/a")
        const sql = yield* SqlClient.SqlClient
        const last = 10_000
        // As the sequencer would, thousands at once: the first and the last of them are for the endpoint.
        yield* sql.withTransaction(Effect.gen(function*() {
          const [chain] = yield* sql<{ readonly last: number }>`
            SELECT last_sequence::int AS last FROM event_chain FOR UPDATE`
          yield* sql.unsafe(placeEvents({
            after: chain!.last,
            count: last,
            type: `CASE WHEN n IN (1, ${last}) THEN 'license.activated' ELSE 'license.suspended' END`,
            data: `'{"index":' || n || '}'`
          }))
          yield* sql`UPDATE event_chain SET last_sequence = last_sequence + ${last}`
        })).pipe(Effect.orDie)
        yield* until("both arrive", () => net.arrived.length === 2)
        assert.deepStrictEqual(net.arrived.map(({ index }) => index), [1, last])
      })
    ))
})
