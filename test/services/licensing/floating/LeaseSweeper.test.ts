import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { LeaseSweeper } from "../../../../src/services/licensing/floating/Leases.ts"
import { LeaseClosing } from "../../../../src/services/licensing/licenses/LeaseClosing.ts"
import { layerNode } from "../../../fixtures/Delivery.ts"
import { layerTarget } from "../../../fixtures/Target.ts"

const layer = LeaseSweeper.layer.pipe(
  Layer.provideMerge(LeaseClosing.layer),
  Layer.provideMerge(layerNode),
  Layer.provide(layerTarget)
)

const licenses = 450
/** Leases of the first license, more than one transaction ends. */
const ofFirst = 250

/** Licenses with an expired lease each, the first with many, and one more with a lease that lasts. */
const checkedOut = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO products (id, name, code, metadata) VALUES ('prod_1', 'P', 'p', '{}')`
  yield* sql`
    INSERT INTO policies (
      id, product_id, name, code, license_type, max_activations, floating_timeout_minutes, grace_period_days,
      validation_interval_minutes, require_heartbeat, allow_offline_activation, offline_grace_days, allow_vm,
      allow_container, max_transfers, metadata
    ) VALUES ('pol_1', 'prod_1', 'P', 'p', 'subscription', 1, 10, 0, 1440, false, true, 30, true, true, 3, '{}')`
  yield* sql`
    INSERT INTO licenses (id, product_id, policy_id, license_key_prefix, license_key_last4, metadata)
    SELECT 'lic_' || n, 'prod_1', 'pol_1', 'CS-AAAAA', 'AAAA', '{}' FROM generate_series(1, ${licenses + 1}::int) n`
  yield* sql`
    INSERT INTO devices (id, license_id, binding_kind, binding_key, fingerprint, is_vm, is_container, status, floating)
    SELECT 'dev_' || n || '_' || m, 'lic_' || n, 'hardware', 'key-' || m, 'key-' || m, false, false, 'active', true
    FROM generate_series(1, ${licenses + 1}::int) n,
      generate_series(1, CASE WHEN n = 1 THEN ${ofFirst}::int ELSE 1 END) m`
  yield* sql`
    INSERT INTO leases (id, license_id, device_id, token_hash, rotated_at, checked_out_at, expires_at)
    SELECT 'lease_' || id, license_id, id, sha256(id::bytea), now(), now(),
      now() + CASE WHEN license_id = 'lic_' || ${licenses + 1}::int THEN interval '1 hour' ELSE interval '-1 second' END
    FROM devices`
  return sql
})

describe("LeaseSweeper", () => {
  it.live("ends the leases of many licenses in few transactions, and waits for no heartbeat", () =>
    Effect.gen(function*() {
      const sql = yield* checkedOut
      const sweeper = yield* LeaseSweeper
      const all = licenses - 1 + ofFirst

      // A heartbeat that is extending a lease holds its row, and nothing else of the license.
      const held = yield* Deferred.make<void>()
      const released = yield* Deferred.make<void>()
      const heartbeat = yield* Effect.forkChild(sql.withTransaction(Effect.gen(function*() {
        yield* sql`SET LOCAL idle_in_transaction_session_timeout = 0`
        yield* sql`UPDATE leases SET expires_at = now() + interval '1 hour' WHERE license_id = 'lic_7'`
        yield* Deferred.succeed(held, undefined)
        yield* Deferred.await(released)
      })))
      yield* Deferred.await(held)
      assert.strictEqual(yield* sweeper.sweep, all - 1)
      yield* Deferred.succeed(released, undefined)
      yield* Fiber.join(heartbeat)
      assert.strictEqual(yield* sweeper.sweep, 0)

      const [events] = yield* sql<{ readonly n: number; readonly leases: number; readonly transactions: number }>`
        SELECT count(*)::int AS n, count(DISTINCT resource_id)::int AS leases, count(DISTINCT xid)::int AS transactions
        FROM event_outbox WHERE event_type = 'lease.expired'`
      assert.strictEqual(events?.n, all - 1)
      assert.strictEqual(events?.leases, all - 1)
      assert.isAtMost(events?.transactions ?? Infinity, 8)
      const open = yield* sql<{ readonly license_id: string; readonly status: string }>`
        SELECT l.license_id, d.status FROM leases l JOIN devices d ON d.id = l.device_id
        WHERE l.ended_at IS NULL ORDER BY 1`
      assert.deepStrictEqual(open, [
        { license_id: `lic_${licenses + 1}`, status: "active" },
        { license_id: "lic_7", status: "active" }
      ])
      const [bound] = yield* sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM devices WHERE status = 'active'`
      assert.strictEqual(bound?.n, 2)
    }).pipe(Effect.scoped, Effect.provide(layer)))
})
