import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { DeliveryHealth } from "../../../src/services/delivery/DeliveryHealth.ts"
import { WebhookEndpoints } from "../../../src/services/delivery/webhooks/WebhookEndpoints.ts"
import { isLong } from "../../fixtures/FaultForm.ts"
import { placeEvents } from "../../fixtures/FeedRows.ts"
import { create, lane, pass, refused, status, test, until, untilSo } from "../../fixtures/LaneOnTestClock.ts"
import { printLedger } from "../../fixtures/LedgerLine.ts"

const total = isLong ? 1_000_000 : 5_000
const hours = isLong ? 72 : 1
/** Events come all the time: a part of them in each half hour. */
const parts = hours * 2
/** The service is looked after this often, in seconds. */
const stride = isLong ? 900 : 450

/** Puts events into the feed as the sequencer would, thousands at once. */
const place = (from: number, count: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(Effect.gen(function*() {
      const [chain] = yield* sql<{ readonly last: number }>`
        SELECT last_sequence::int AS last FROM event_chain FOR UPDATE`
      yield* sql.unsafe(placeEvents({
        after: chain!.last,
        count,
        id: `'evt_' || ${from} + n`,
        data: `'{"index":' || ${from} + n - 1 || '}'`
      }))
      yield* sql`UPDATE event_chain SET last_sequence = last_sequence + ${count}`
    }))).pipe(Effect.orDie)

describe(`an outage of ${hours} h`, () => {
  it.effect(
    `costs ${total.toLocaleString("en")} events no rows beyond what was tried, and loses nothing`,
    () =>
      test((net) =>
        Effect.gen(function*() {
          const endpoints = yield* WebhookEndpoints
          const health = yield* DeliveryHealth
          const id = yield* create("/a")
          net.answers(() => refused)
          let most = 0
          for (let part = 0; part < parts; part++) {
            const from = Math.floor(total * part / parts)
            yield* place(from, Math.floor(total * (part + 1) / parts) - from)
            yield* pass(1800, stride)
            const { retries } = yield* lane(id)
            const tried = new Set(net.arrived.map(({ index }) => index)).size
            assert.isAtMost(retries, tried, `half hour ${part}: rows beyond what was tried`)
            most = Math.max(most, retries)
          }
          const before = yield* lane(id)
          assert.strictEqual(before.breaker, "open")
          assert.strictEqual(Number(before.exhausted_total), 0)
          assert.strictEqual((yield* endpoints.get(id)).status, "active")
          // A probe every five minutes, and the ten that opened the breaker; the rest is a number.
          assert.isAtMost(net.arrived.length, 10 + 10 + hours * 12)
          assert.isAtLeast((yield* health.get).backlog, total - most - 300)

          net.answers(() => status(200))
          const from = net.arrived.length
          // The clock of the test does not move what the database holds, so time is let pass until a probe has arrived.
          for (let round = 0; round < 200 && net.arrived.length === from; round++) yield* pass(30)
          const delivered = () => new Set(net.arrived.slice(from).map(({ index }) => index))
          yield* until("the first thousand is delivered", () => delivered().size >= 1_000, 900)
          yield* untilSo("what was tried is delivered too", Effect.map(lane(id), ({ retries }) => retries === 0), 900)
          const { cursor_seq } = yield* lane(id)
          const sql = yield* SqlClient.SqlClient
          const [passed] = yield* Effect.orDie(sql<{ readonly count: number }>`
            SELECT count(*)::int AS count FROM events
            WHERE sequence <= ${cursor_seq} AND event_type = 'license.activated'`)
          // Deliveries go on, so what came is looked at once.
          const came = net.arrived.slice(from)
          const arrived = new Set(came.map(({ index }) => index))
          const summary = {
            events: total,
            endpoints: 1,
            delivered: arrived.size,
            duplicates: came.length - arrived.size,
            // The retry table is empty, so whatever the cursor has passed must have arrived.
            lost: passed!.count - new Set(
              came.filter(({ sequence }) => sequence <= Number(cursor_seq))
                .map(({ index }) => index)
            ).size
          }
          printLedger(
            `outage of ${hours} h`,
            summary,
            `${from} attempts meanwhile, retry rows at most ${most}, ${total - passed!.count} still behind the cursor`
          )
          let unbroken = 0
          while (arrived.has(unbroken)) unbroken += 1
          assert.isAtLeast(unbroken, 900, "from the first one on, without a gap")
          assert.strictEqual(summary.duplicates, 0)
          assert.isAbove(passed!.count, 0)
          assert.strictEqual(summary.lost, 0)
        })
      ),
    isLong ? 1_800_000 : 180_000
  )
})
