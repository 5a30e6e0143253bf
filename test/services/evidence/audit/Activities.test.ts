import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { activityDays, refusalDays } from "../../../../src/domain/keys/settings/ActivityRetention.ts"
import { Activities } from "../../../../src/services/evidence/audit/Activities.ts"
import { layerNode } from "../../../fixtures/Delivery.ts"
import { layerTarget } from "../../../fixtures/Target.ts"

const layer = Activities.layer.pipe(Layer.provideMerge(layerNode), Layer.provide(layerTarget))

describe("Activities", () => {
  it.live("are kept for their time, refusals for less and no more than so many", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const activities = yield* Activities
      const add = (id: string, result: string, hours: number) =>
        sql`
          INSERT INTO activities (id, occurred_at, action, source, actor_type, actor_id, result_class, code)
          VALUES (${id}, now() - ${hours} * interval '1 hour', 'license.created', 'management', 'api_key', 'x',
            ${result}, ${result === "refused" ? "CONFLICT" : null})`
      const kept = Effect.map(
        sql<{ readonly id: string }>`SELECT id FROM activities WHERE actor_id = 'x' ORDER BY id`,
        (rows) => rows.map(({ id }) => id)
      )
      yield* add("act_done_young", "success", activityDays * 24 - 1)
      yield* add("act_done_old", "success", activityDays * 24 + 1)
      yield* add("act_refused_old", "refused", refusalDays * 24 + 1)
      yield* add("act_refused_young", "refused", refusalDays * 24 - 1)
      yield* add("act_refused_1", "refused", 1)
      yield* add("act_refused_2", "refused", 2)
      assert.strictEqual(yield* activities.purge({ days: activityDays, refusals: 3 }), 2)
      assert.deepStrictEqual(yield* kept, ["act_done_young", "act_refused_1", "act_refused_2", "act_refused_young"])
      assert.strictEqual(yield* activities.purge({ days: activityDays, refusals: 2 }), 1)
      assert.deepStrictEqual(yield* kept, ["act_done_young", "act_refused_1", "act_refused_2"])
      assert.strictEqual(yield* activities.purge({ days: activityDays, refusals: 2 }), 0)
    }).pipe(Effect.provide(layer), Effect.scoped))

  it.live("are deleted step by step when there are many", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const activities = yield* Activities
      yield* sql`
        INSERT INTO activities (id, occurred_at, action, source, actor_type, actor_id, result_class)
        SELECT 'act_' || n, now() - interval '11 years', 'license.created', 'management', 'api_key', 'x', 'success'
        FROM generate_series(1, 12000) n`
      assert.strictEqual(yield* activities.purge({ days: activityDays, refusals: 1 }), 12_000)
    }).pipe(Effect.provide(layer), Effect.scoped))

  it.live("that are filtered by what never comes together are not sought everywhere", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      // Half of them created and answered with 201, half activated and answered with 200: by the shares alone, a
      // quarter of them would be created and answered with 200.
      yield* sql`
        INSERT INTO activities (id, occurred_at, action, source, actor_type, actor_id, result_class, status_code)
        SELECT 'act_' || n, now() - n * interval '1 minute', k.action, k.source, 'api_key', 'x', 'success', k.status
        FROM generate_series(1, 20000) n
        JOIN (VALUES (0, 'license.created', 'management', 201), (1, 'license.activated', 'runtime', 200))
          AS k (rest, action, source, status) ON k.rest = n % 2`
      yield* sql`ANALYZE activities`
      const expected = (status: number) =>
        Effect.map(
          sql<{ readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: { readonly "Plan Rows": number } }> }>`
            EXPLAIN (FORMAT JSON) SELECT * FROM activities
            WHERE action = 'license.created' AND status_code = ${sql.literal(String(status))}`,
          ([row]) => row!["QUERY PLAN"][0]!.Plan["Plan Rows"]
        )
      assert.isBelow(yield* expected(200), 200)
      assert.isAbove(yield* expected(201), 5000)
    }).pipe(Effect.provide(layer), Effect.scoped))
})
