import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { findNextDeadlines } from "../../../src/services/clock/ClockSql.ts"
import { databaseOf } from "../../../src/services/persistence/Database.ts"
import { layerNode } from "../../fixtures/Delivery.ts"
import { layerTarget } from "../../fixtures/Target.ts"

const day = 86_400_000
const begin = Date.UTC(2040, 0, 1)

const layer = Layer.provideMerge(layerNode, layerTarget)

/** A product with two policies, the second of which grants two weeks of grace. */
const makeCatalog = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO products (id, name, code, metadata) VALUES ('prod_1', 'P', 'p', '{}')`
  for (const [id, grace] of [["pol_none", 0], ["pol_grace", 14]] as const) {
    yield* sql`
      INSERT INTO policies (
        id, product_id, name, code, license_type, max_activations, floating_timeout_minutes, grace_period_days,
        validation_interval_minutes, require_heartbeat, allow_offline_activation, offline_grace_days, allow_vm,
        allow_container, max_transfers, metadata
      ) VALUES (${id}, 'prod_1', 'P', ${id}, 'subscription', 1, 10, ${grace}, 1440, false, true, 30, true, true, 3, '{}')`
  }
  return sql
})

describe("the next deadlines", () => {
  it.effect("are a week before the end of a license, its end, and the end of its grace", () =>
    Effect.gen(function*() {
      const sql = yield* makeCatalog
      const issue = (id: string, policy: string, announced: string, end: Date) =>
        sql`
          INSERT INTO licenses (id, product_id, policy_id, license_key_prefix, license_key_last4, expires_at, announced, metadata)
          VALUES (${id}, 'prod_1', ${policy}, 'CS-AAAAA', 'AAAA', ${end}, ${announced}, '{}')`
      const next = Effect.map(findNextDeadlines(databaseOf(sql)), ([row]) => row?.licenses?.getTime())
      const end = (id: string) => sql`UPDATE licenses SET state = 'revoked' WHERE id = ${id}`
      const now = Date.now()
      assert.isUndefined(yield* next)
      yield* issue("lic_warn", "pol_none", "nothing", new Date(begin + 9 * day))
      assert.strictEqual(yield* next, begin + 2 * day)
      yield* issue("lic_end", "pol_grace", "expiring", new Date(begin + day))
      assert.strictEqual(yield* next, begin + day)
      yield* issue("lic_short", "pol_none", "nothing", new Date(now + 3 * day))
      assert.strictEqual(yield* next, now + 3 * day, "its warning is due already")
      yield* end("lic_short")
      yield* issue("lic_grace", "pol_grace", "grace_period", new Date(now - 10 * day))
      assert.strictEqual(yield* next, now + 4 * day)
      for (const id of ["lic_grace", "lic_end", "lic_warn"]) yield* end(id)
      yield* issue("lic_over", "pol_grace", "expired", new Date(now - 20 * day))
      assert.isUndefined(yield* next)
    }).pipe(Effect.provide(layer)))

  it.effect("are the first of the deliveries to be tried again, but none that is past", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO webhook_endpoints (id, name, url, event_types, is_active)
        VALUES ('whk_1', 'n', 'https://example.com', '{}', true)`
      for (const [seq, due] of [[1, -day], [2, begin + 3], [3, begin]] as const) {
        yield* sql`
          INSERT INTO webhook_retries (endpoint_id, seq, attempt, due_at, last_outcome)
          VALUES ('whk_1', ${seq}, 1, ${new Date(due)}, '500')`
      }
      const [row] = yield* findNextDeadlines(databaseOf(sql))
      assert.deepStrictEqual(row, { licenses: null, containers: null, leases: null, retries: new Date(begin) })
    }).pipe(Effect.provide(layer)))
})
