import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { listFeed } from "../../../src/services/events/EventSql.ts"
import type { FeedFilters } from "../../../src/services/events/FeedPlaces.ts"
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
  })
})
