import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { bucketCount } from "../../../src/domain/delivery/InFlightSlots.ts"
import { DeliveryHealth } from "../../../src/services/delivery/DeliveryHealth.ts"
import { DeliveryMinutes } from "../../../src/services/delivery/LaneAttempts.ts"
import { WebhookEndpoints } from "../../../src/services/delivery/webhooks/WebhookEndpoints.ts"
import { latestByKind } from "../../../src/services/log/LatestByKind.ts"
import { layerNode } from "../../fixtures/Delivery.ts"
import { placeEvents } from "../../fixtures/FeedRows.ts"
import { layerTarget } from "../../fixtures/Target.ts"

const layer = Layer.mergeAll(DeliveryHealth.layer, DeliveryMinutes.layer).pipe(
  Layer.provideMerge(layerNode),
  Layer.provide(layerTarget)
)

describe("DeliveryHealth", () => {
  it.live("tells which lanes are behind, what waits, how it went, and whose fault it is", () =>
    Effect.gen(function*() {
      const endpoints = yield* WebhookEndpoints
      const sql = yield* SqlClient.SqlClient
      const minutes = yield* DeliveryMinutes
      const create = (name: string, event_types: ReadonlyArray<"license.*" | "product.*">, is_active = true) =>
        endpoints.create({ name, url: "https://example.com/", event_types, is_active }).pipe(
          Effect.map(({ webhook }) => webhook.id)
        )
      const behind = yield* create("behind", ["license.*"])
      yield* create("takes other kinds", ["product.*"])
      yield* create("paused", [], false)
      const open = yield* create("dead", ["product.*"])
      yield* sql`DELETE FROM event_pending`
      yield* sql.unsafe(placeEvents({ after: 0, count: 7, createdAt: "now() - interval '90 seconds'" }))
      yield* sql`UPDATE event_chain SET last_sequence = 7`
      yield* sql`UPDATE webhook_lanes SET cursor_seq = 3 WHERE endpoint_id = ${behind}`
      yield* sql`
        UPDATE webhook_lanes SET breaker = 'open', probe_at = now(), failing_since = now(), consecutive_failures = 11
        WHERE endpoint_id = ${open}`
      yield* sql`
        INSERT INTO webhook_retries (endpoint_id, seq, attempt, due_at, last_outcome)
        VALUES (${behind}, 2, 1, now() - interval '30 seconds', '500'), (${open}, 1, 3, now() + interval '1 hour', 'dns')`
      for (let index = 0; index < 99; index++) minutes.delivered(10)
      minutes.delivered(4000)
      minutes.failed()
      yield* minutes.write
      minutes.delivered(10)
      yield* minutes.write
      // What two nodes did in one minute, and what was done before the hour.
      yield* sql`
        INSERT INTO webhook_minutes (node, minute, delivered, failed, latency)
        SELECT node, date_trunc('minute', now()) - ago * interval '1 minute', delivered, 2, array_fill(0::bigint, ARRAY[${bucketCount}])
        FROM (VALUES ('a', 30, 4), ('b', 30, 5), ('a', 61, 1000)) AS v (node, ago, delivered)`
      const health = yield* (yield* DeliveryHealth).get
      assert.strictEqual(health.status, "degraded")
      assert.deepInclude(health, {
        feed_sequence: 7,
        unsequenced: 0,
        backlog: 4,
        retries_pending: 2,
        lanes: { active: 2, failing: 0, breaker_open: 1, paused: 1, disabled: 0 }
      })
      assert.isAtLeast(health.oldest_undelivered_seconds!, 90)
      assert.approximately(health.oldest_overdue_retry_seconds!, 30, 5)
      assert.strictEqual(health.last_5m.delivered, 101)
      assert.strictEqual(health.last_1h.failed_attempts, 5)
      assert.deepStrictEqual(health.minutes.map(({ delivered, failed_attempts }) => [delivered, failed_attempts]), [
        [9, 4],
        [101, 1]
      ])
      const [early, late] = health.minutes.map(({ minute }) => Date.parse(minute))
      assert.strictEqual(late! - early!, 30 * 60_000)
      assert.strictEqual(late! % 60_000, 0)
      assert.approximately(health.last_5m.success_rate!, 101 / 102, 0.001)
      assert.isTrue(health.last_5m.p50_ms! >= 10 && health.last_5m.p50_ms! <= 13)
      assert.deepStrictEqual(health.worst.map(({ name, state }) => [name, state]), [
        ["dead", "breaker_open"],
        ["behind", "active"]
      ])
      assert.deepInclude(health.worst[0], { last_outcome: "dns", consecutive_failures: 11, retries_pending: 1 })
    }).pipe(Effect.provide(layer), Effect.scoped))

  it.live("costs no more when the feed is long, kinds that never happened included", () =>
    Effect.gen(function*() {
      const endpoints = yield* WebhookEndpoints
      const sql = yield* SqlClient.SqlClient
      yield* endpoints.create({ name: "behind", url: "https://example.com/", event_types: ["license.*"] })
      yield* sql`DELETE FROM event_pending`
      yield* sql.unsafe(placeEvents({ after: 0, count: 30_000 }))
      yield* sql`UPDATE event_chain SET last_sequence = 30000`
      const plan = (yield* sql<{ readonly [column: string]: string }>`
        EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) WITH RECURSIVE ${latestByKind(sql)} SELECT * FROM entries`)
        .map((row) => Object.values(row)[0]).join("\n")
      assert.match(plan, /event_places_by_type/)
      assert.notMatch(plan, /Seq Scan on event_places|event_places_pkey|Rows Removed/)
      assert.strictEqual((yield* (yield* DeliveryHealth).get).backlog, 30000)
    }).pipe(Effect.provide(layer), Effect.scoped))
})
