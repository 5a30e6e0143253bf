import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Devices } from "../../src/services/Devices.ts"
import { LeaseEndings } from "../../src/services/LeaseEndings.ts"
import { Licenses } from "../../src/services/Licenses.ts"
import { LicenseSweeper } from "../../src/services/LicenseSweeper.ts"
import { layerNode } from "../fixtures/Delivery.ts"
import { layerTarget } from "../fixtures/Target.ts"

/** A node with a sweeper that does nothing by itself. */
const layer = LicenseSweeper.layer.pipe(
  Layer.provideMerge(Devices.layer),
  Layer.provideMerge(Licenses.layer),
  Layer.provideMerge(LeaseEndings.layer),
  Layer.provideMerge(layerNode),
  Layer.provide(layerTarget)
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

describe("LicenseSweeper", () => {
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

  it.effect("waits for a license that is busy instead of passing it over for ever", () =>
    Effect.gen(function*() {
      const sql = yield* issue(3, "2020-01-01T00:00:00Z")
      const sweeper = yield* LicenseSweeper
      const announced = sql<{ readonly announced: string }>`SELECT announced FROM licenses ORDER BY id`.pipe(
        Effect.map((rows) => rows.map((row) => row.announced))
      )
      yield* Effect.all([
        sql.withTransaction(Effect.gen(function*() {
          yield* sql`SELECT 1 FROM licenses WHERE id = 'lic_000002' FOR NO KEY UPDATE`
          // The sweeper has announced the free ones and waits for this one.
          while ((yield* announced).filter((text) => text === "expired").length < 2);
          while (
            (yield* sql<{ readonly n: number }>`
              SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted`)[0]!.n === 0
          );
          yield* sql`UPDATE licenses SET state = 'suspended' WHERE id = 'lic_000002'`
        })),
        Effect.andThen(
          Effect.gen(function*() {
            while (
              (yield* sql<{ readonly n: number }>`
                SELECT count(*)::int AS n FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
                WHERE c.relname = 'licenses' AND l.mode = 'RowShareLock'`)[0]!.n === 0
            );
          }),
          sweeper.announce
        )
      ], { concurrency: "unbounded" })
      // What the holder did is seen: a suspended license crosses nothing.
      assert.deepStrictEqual(yield* announced, ["expired", "nothing", "expired"])
    }).pipe(Effect.provide(layer)))
})
