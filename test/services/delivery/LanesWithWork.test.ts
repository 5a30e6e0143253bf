import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { LanesWithWork } from "../../../src/services/delivery/LanesWithWork.ts"
import { placesQuery } from "../../../src/services/delivery/LanesWithWorkSql.ts"
import { EndpointDirectory } from "../../../src/services/delivery/webhooks/EndpointDirectory.ts"
import { DeliverySql } from "../../../src/services/ground/persistence/TransactionSql.ts"
import { Sequencer } from "../../../src/services/log/Sequencer.ts"
import { append, layerNode } from "../../fixtures/Delivery.ts"
import { layerTarget } from "../../fixtures/Target.ts"

/** Ids of lanes whose rows were read, of each time. */
const asked: Array<ReadonlyArray<string>> = []

const layerSpy = Layer.effect(
  DeliverySql,
  Effect.map(DeliverySql, (sql) =>
    new Proxy(sql, {
      get: (target, name: keyof SqlClient.SqlClient) =>
        name !== "unsafe" ? target[name] : (text: string, parameters?: ReadonlyArray<unknown>) => {
          if (text === placesQuery) asked.push(parameters?.[0] as ReadonlyArray<string>)
          return sql.unsafe(text, parameters)
        }
    }))
)

const layer = Layer.mergeAll(LanesWithWork.layer, Sequencer.layer).pipe(
  Layer.provideMerge(EndpointDirectory.layer),
  Layer.provide(layerSpy),
  Layer.provideMerge(layerNode),
  Layer.provide(layerTarget)
)

describe("LanesWithWork", () => {
  it.live("finds every lane that has work, and reads no others, however many endpoints there are", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const lanes = yield* LanesWithWork
      const sequencer = yield* Sequencer

      const happen = (type: "license.activated" | "license.created" | "product.created") =>
        Effect.gen(function*() {
          yield* append(1, { type })
          while ((yield* sql`SELECT 1 FROM event_outbox LIMIT 1`).length > 0) yield* sequencer.step
        })
      const add = (id: string, types: string) =>
        sql`
          WITH e AS (
            INSERT INTO webhook_endpoints (id, name, url, event_types, is_active)
            VALUES (${id}, 'n', 'https://example.com', string_to_array(${types}, ','), true) RETURNING id
          )
          INSERT INTO webhook_lanes (endpoint_id, cursor_seq) SELECT e.id, last_sequence FROM e, event_chain`
      const found = Effect.gen(function*() {
        asked.length = 0
        const work = yield* lanes.find
        return work.map(({ endpointId, overdue }) => overdue ? `${endpointId} overdue` : endpointId).toSorted()
      })
      const caughtUp = (id: string) =>
        sql`UPDATE webhook_lanes SET cursor_seq = (SELECT last_sequence FROM event_chain) WHERE endpoint_id = ${id}`
      const change = (id: string, is_active: boolean, types: string) =>
        sql`
          UPDATE webhook_endpoints SET is_active = ${is_active}, event_types = string_to_array(${types}, ','),
            changed_xid = pg_current_xact_id() WHERE id = ${id}`

      yield* sql`
        WITH e AS (
          INSERT INTO webhook_endpoints (id, name, url, event_types, is_active)
          SELECT 'other_' || n, 'n', 'https://example.com', ARRAY['product.created', 'customer.*'], true
          FROM generate_series(1, 10000) n RETURNING id
        )
        INSERT INTO webhook_lanes (endpoint_id, cursor_seq) SELECT id, 0 FROM e`
      yield* add("all", "")
      yield* add("family", "license.*")
      yield* add("kind", "license.activated")
      assert.deepStrictEqual(yield* found, [])

      yield* happen("license.created")
      assert.deepStrictEqual(yield* found, ["all", "family"])
      // Those that are behind are found until they are not, without any further event.
      assert.deepStrictEqual(yield* found, ["all", "family"])
      yield* caughtUp("all")
      assert.deepStrictEqual(yield* found, ["family"])
      yield* caughtUp("family")
      assert.deepStrictEqual(yield* found, [])
      assert.deepStrictEqual(yield* found, [])
      assert.deepStrictEqual(asked, [], "nothing happened")

      // A lane that may not be probed yet has no work, and is not forgotten.
      yield* sql`UPDATE webhook_lanes SET breaker = 'open', probe_at = now() + interval '1 day'
        WHERE endpoint_id = 'kind'`
      yield* happen("license.activated")
      yield* caughtUp("all")
      yield* caughtUp("family")
      assert.deepStrictEqual(yield* found, [])
      yield* sql`UPDATE webhook_lanes SET probe_at = now() WHERE endpoint_id = 'kind'`
      assert.deepStrictEqual(yield* found, ["kind"])
      assert.deepStrictEqual(asked, [["kind"]])

      // What an endpoint becomes counts: paused, resumed, with another subscription.
      yield* change("kind", false, "license.activated")
      assert.deepStrictEqual(yield* found, [])
      yield* change("kind", true, "license.activated")
      assert.deepStrictEqual(yield* found, ["kind"])
      yield* change("kind", true, "customer.created")
      assert.deepStrictEqual(yield* found, [])
      yield* change("kind", true, "license.*")
      assert.deepStrictEqual(yield* found, ["kind"])
      yield* caughtUp("kind")

      // A retry is found once it is due.
      yield* sql`
        INSERT INTO webhook_retries (endpoint_id, seq, attempt, due_at, last_outcome)
        VALUES ('all', 1, 1, now(), 'x'), ('family', 1, 1, now() + interval '1 day', 'x'),
          ('other_77', 1, 1, now() - interval '1 day', 'x'), ('other_77', 2, 1, now(), 'x')`
      assert.deepStrictEqual(yield* found, ["all overdue", "other_77 overdue"])
      yield* sql`DELETE FROM webhook_retries`
      assert.deepStrictEqual(yield* found, [])

      // All of them have work once something comes that all take.
      yield* happen("product.created")
      assert.lengthOf(yield* found, 10_001)
    }).pipe(Effect.scoped, Effect.provide(layer)))
})
