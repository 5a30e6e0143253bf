import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { activityDays, refusalDays } from "../../../src/domain/audit/Activity.ts"
import { Activities } from "../../../src/services/audit/Activities.ts"
import { layerNode } from "../../fixtures/Delivery.ts"
import { layerTarget } from "../../fixtures/Target.ts"

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
      assert.strictEqual(yield* activities.purge(3), 2)
      assert.deepStrictEqual(yield* kept, ["act_done_young", "act_refused_1", "act_refused_2", "act_refused_young"])
      assert.strictEqual(yield* activities.purge(2), 1)
      assert.deepStrictEqual(yield* kept, ["act_done_young", "act_refused_1", "act_refused_2"])
      assert.strictEqual(yield* activities.purge(2), 0)
    }).pipe(Effect.provide(layer), Effect.scoped))

  it.live("are deleted step by step when there are many", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const activities = yield* Activities
      yield* sql`
        INSERT INTO activities (id, occurred_at, action, source, actor_type, actor_id, result_class)
        SELECT 'act_' || n, now() - interval '11 years', 'license.created', 'management', 'api_key', 'x', 'success'
        FROM generate_series(1, 12000) n`
      assert.strictEqual(yield* activities.purge(1), 12_000)
    }).pipe(Effect.provide(layer), Effect.scoped))
})
