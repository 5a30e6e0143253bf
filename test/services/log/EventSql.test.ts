import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { insertEvents, listFeed } from "../../../src/services/log/EventSql.ts"
import type { FeedFilters } from "../../../src/services/log/FeedPosition.ts"
import { makeRows } from "../../fixtures/Rows.ts"
import { Workers } from "../../fixtures/Workers.ts"

const page = { ascending: true, beyond: undefined, limit: 101, products: undefined }

describe("the statements of events", () => {
  layer(Workers.layer)((it) => {
    const filters: ReadonlyArray<FeedFilters> = [
      { event_type: "license.created", actor_type: "license" },
      { event_type: "license.created", actor_type: "system" },
      { resource_type: "customer", actor_type: "license" }
    ]
    it.effect.each(filters)("the feed by %o reads the index of both", (filters) =>
      Effect.gen(function*() {
        const { first: sql } = yield* Workers
        // Tables without rows are read whole, unless that is ruled out.
        yield* sql`SELECT set_config(name, 'off', false)
          FROM unnest(${["enable_seqscan", "enable_bitmapscan"]}::text[]) AS s (name)`
        const plan = yield* sql<{ readonly "QUERY PLAN": string }>`EXPLAIN ${listFeed(sql, filters, page)}`
        const text = plan.map((line) => line["QUERY PLAN"]).join("\n")
        assert.match(text, /Index Scan using event_places_by_kind_and_actor/)
        assert.notMatch(text, /Seq Scan on event_places|event_places_by_type/)
      }))

    it.effect("an event looks up its license by the id, where there are a thousand", () =>
      Effect.gen(function*() {
        const { second: sql } = yield* Workers
        const license_id = yield* makeRows(sql).license()
        yield* sql`
          INSERT INTO licenses (id, product_id, policy_id, license_key_prefix, license_key_last4, metadata)
          SELECT id || '_' || n, product_id, policy_id, license_key_prefix, license_key_last4, metadata
          FROM licenses CROSS JOIN generate_series(1, 1000) n WHERE id = ${license_id}`
        yield* sql.unsafe("ANALYZE licenses").unprepared
        const event = {
          id: "evt_1",
          event_type: "license.created",
          actor_type: "system",
          actor_id: "system",
          resource_id: license_id,
          metadata: "{}",
          data: "{}",
          commitments: null,
          personal: null,
          request_id: null,
          traceparent: null
        }
        const activity = {
          id: "act_1",
          action: "license.created",
          source: "system",
          actor_type: "system",
          actor_id: "system",
          result_class: "success",
          license_id
        } as const
        const plan = yield* sql<{ readonly "QUERY PLAN": string }>`EXPLAIN ${insertEvents(sql, [event], [activity])}`
        const text = plan.map((line) => line["QUERY PLAN"]).join("\n")
        assert.match(text, /Index Scan using licenses_pkey/)
        assert.notMatch(text, /Seq Scan on licenses/)
      }))
  })
})
