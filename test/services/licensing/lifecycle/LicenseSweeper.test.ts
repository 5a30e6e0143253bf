import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { DatabaseTarget } from "../../../../src/runtime/postgres/Database.ts"
import { Devices } from "../../../../src/services/licensing/licenses/Devices.ts"
import { LeaseClosing } from "../../../../src/services/licensing/licenses/LeaseClosing.ts"
import { Licenses } from "../../../../src/services/licensing/licenses/Licenses.ts"
import { LicenseSweeper } from "../../../../src/services/licensing/lifecycle/LicenseSweeper.ts"
import { MailQueue } from "../../../../src/services/mail/MailQueue.ts"
import { layerNode } from "../../../fixtures/Delivery.ts"
import { layerTarget } from "../../../fixtures/Target.ts"
import { holdsTransactions } from "../../../fixtures/TransactionWatch.ts"

/** A node with a sweeper that does nothing by itself. */
const layer = LicenseSweeper.layer.pipe(
  Layer.provideMerge(Devices.layer),
  Layer.provideMerge(Licenses.layer),
  Layer.provideMerge(MailQueue.layer),
  Layer.provideMerge(LeaseClosing.layer),
  Layer.provideMerge(layerNode),
  Layer.provideMerge(layerTarget)
)

const issue = (count: number, expiry: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`INSERT INTO products (id, name, code, metadata) VALUES ('prod_1', 'P', 'p', '{}')`
    yield* sql`
      INSERT INTO policies (
        id, product_id, name, code, license_type, max_activations, floating_timeout_minutes, grace_period_days,
        validation_interval_minutes, require_heartbeat, allow_offline_activation, offline_grace_days, allow_vm,
        allow_container, max_transfers, metadata
      ) VALUES ('pol_1', 'prod_1', 'P', 'p', 'subscription', 1, 10, 0, 1440, false, true, 30, true, true, 3, '{}')`
    yield* sql`
      INSERT INTO licenses (id, product_id, policy_id, license_key_prefix, license_key_last4, expires_at, metadata)
      SELECT 'lic_' || lpad(n::text, 6, '0'), 'prod_1', 'pol_1', 'CS-AAAAA', 'AAAA', ${expiry}::text::timestamptz, '{}'
      FROM generate_series(1, ${count}) n`
    return sql
  })

describe.concurrent("LicenseSweeper", () => {
  it.effect("announces each crossing once when sweepers race", () =>
    Effect.gen(function*() {
      const sql = yield* issue(1000, "2020-01-01T00:00:00Z")
      const sweeper = yield* LicenseSweeper
      const drain = Effect.gen(function*() {
        while ((yield* sweeper.announce) > 0);
      })
      yield* Effect.all(Array.from({ length: 6 }, () => drain), { concurrency: "unbounded" })
      const events = yield* sql<{ readonly n: number; readonly licenses: number }>`
        SELECT count(*)::int AS n, count(DISTINCT resource_id)::int AS licenses FROM event_outbox
        WHERE event_type = 'license.expired'`
      assert.deepStrictEqual(events[0], { n: 1000, licenses: 1000 })
      assert.strictEqual(yield* sweeper.announce, 0)
    }).pipe(Effect.provide(layer)))

  it.effect("passes by what is locked, however much it is, and comes back for it", () =>
    Effect.gen(function*() {
      const sql = yield* issue(500, "2020-01-01T00:00:00Z")
      const { url } = yield* DatabaseTarget
      yield* Effect.promise(() => holdsTransactions(Redacted.value(url)))
      const sweeper = yield* LicenseSweeper
      const announced = (from: number, to: number) =>
        sql<{ readonly n: number }>`
          SELECT count(*)::int AS n FROM licenses
          WHERE announced = 'expired' AND right(id, 6)::int BETWEEN ${from} AND ${to}`.pipe(
          Effect.map((rows) => rows[0]!.n)
        )
      const released = yield* Deferred.make<void>()
      const isLocked = yield* Deferred.make<void>()
      const holder = yield* Effect.forkChild(sql.withTransaction(Effect.gen(function*() {
        yield* sql`SET LOCAL idle_in_transaction_session_timeout = 0`
        // More than a batch: those that are free stand behind them.
        yield* sql`SELECT 1 FROM licenses WHERE id <= 'lic_000300' FOR NO KEY UPDATE`
        yield* Deferred.succeed(isLocked, undefined)
        yield* Deferred.await(released)
        yield* sql`UPDATE licenses SET state = 'suspended' WHERE id = 'lic_000002'`
      })))
      yield* Deferred.await(isLocked)
      const sweeping = yield* Effect.forkChild(sweeper.run)
      while ((yield* announced(301, 500)) < 200) yield* TestClock.withLive(Effect.sleep("20 millis"))
      assert.strictEqual(yield* announced(1, 300), 0)

      yield* Deferred.succeed(released, undefined)
      yield* Fiber.join(holder)
      while ((yield* announced(1, 300)) < 299) {
        yield* TestClock.adjust("1 second")
        yield* TestClock.withLive(Effect.sleep("20 millis"))
      }
      yield* Fiber.interrupt(sweeping)
      // What the holder did is seen: a suspended license crosses nothing.
      assert.strictEqual(yield* announced(2, 2), 0)
    }).pipe(Effect.provide(layer)))

  it.effect("queues for a license that is busy all the time, which would never be found free", () =>
    Effect.gen(function*() {
      const sql = yield* issue(1, "2020-01-01T00:00:00Z")
      const sweeper = yield* LicenseSweeper
      const isAnnounced = Effect.map(
        sql`SELECT 1 FROM licenses WHERE announced = 'expired'`,
        (rows) => rows.length > 0
      )
      // One lock after the other without a gap between them, as metered use takes them.
      const work = { goesOn: true }
      const lock = sql.withTransaction(Effect.gen(function*() {
        yield* sql`SELECT 1 FROM licenses WHERE id = 'lic_000001' FOR NO KEY UPDATE`
        yield* sql`SELECT pg_sleep(0.02)`
      }))
      const busy = Effect.gen(function*() {
        while (work.goesOn) yield* lock
      })
      const sweep = Effect.gen(function*() {
        while (!(yield* isAnnounced)) yield* sweeper.announce
        work.goesOn = false
      })
      yield* Effect.all([busy, busy, sweep], { concurrency: "unbounded", discard: true })
      assert.isTrue(yield* isAnnounced)
    }).pipe(Effect.provide(layer)))
})
