import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { pageLimits } from "../../../../src/services/ground/persistence/KeysetPagination.ts"
import { Workers } from "../../../fixtures/Workers.ts"

/** PostgreSQL compares its plan for all with those for each after the fifth of these. */
const pages = 8

const world = Effect.gen(function*() {
  const { first: sql } = yield* Workers
  yield* sql`DROP TABLE IF EXISTS listed`
  yield* sql`CREATE TEMP TABLE listed AS SELECT n AS id, n % 100 AS kind FROM generate_series(1, 20000) AS n`
  yield* sql`CREATE UNIQUE INDEX ON listed (id)`
  yield* sql`ANALYZE listed`
  return sql
})

describe("the limits of a page", () => {
  layer(Workers.layer)((it) => {
    it.effect("return as many rows as are asked for, with filters and without", () =>
      Effect.gen(function*() {
        const sql = yield* world
        for (const isFiltered of [false, true]) {
          for (const most of [1, 101, 201]) {
            const { read, returned } = pageLimits(sql, most, isFiltered)
            const rows = yield* sql<{ readonly id: number }>`
              SELECT r.id FROM (SELECT id FROM listed ORDER BY id DESC ${read}) r ${returned}`
            assert.deepStrictEqual(rows.map(({ id }) => id), Array.from({ length: most }, (_, index) => 20_000 - index))
          }
        }
      }))

    it.effect("have a list without filters planned for every page, and one with filters for the page at hand", () =>
      Effect.gen(function*() {
        const sql = yield* world
        // As PostgreSQL plans by itself: the server of the tests plans each statement once.
        yield* sql`SET plan_cache_mode = auto`
        const plansOf = Effect.fnUntraced(function*(name: string, isFiltered: boolean) {
          for (let page = 0; page < pages; page++) {
            const { read, returned } = pageLimits(sql, 101, isFiltered)
            yield* sql`
              SELECT r.id AS ${sql(name)} FROM (
                SELECT id FROM listed WHERE id < ${20_000 - page}::int ORDER BY id DESC ${read}
              ) r ${returned}`
          }
          const [counted] = yield* sql<{ readonly shared: number; readonly own: number }>`
            SELECT generic_plans::int AS shared, custom_plans::int AS own FROM pg_prepared_statements
            WHERE statement LIKE ${`%AS "${name}" FROM%`}`
          return counted
        })
        assert.deepStrictEqual(yield* plansOf("of_all", false), { shared: pages - 5, own: 5 })
        assert.deepStrictEqual(yield* plansOf("of_some", true), { shared: 0, own: pages })
        yield* sql`RESET plan_cache_mode`
      }))
  })
})
