import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { firstByOwner, firstByProduct, licenseKeys } from "../../../src/services/licenses/LicenseOrderSql.ts"
import { orderOf } from "../../../src/services/persistence/KeysetPaginationSql.ts"
import { makeRows } from "../../fixtures/Rows.ts"
import { Workers } from "../../fixtures/Workers.ts"

const world = Effect.gen(function*() {
  const { first: sql } = yield* Workers
  const rows = makeRows(sql)
  const keys = licenseKeys(sql)
  const sorted = (order: "owner_asc" | "owner_desc" | "product_asc" | "product_desc") => ({
    ...orderOf(sql, { order }, { alias: "l.", keys }),
    conditions: [],
    after: undefined
  })
  return { keys, rows, sorted, sql }
})

describe("the first licenses of an order", () => {
  layer(Workers.layer)((it) => {
    it.effect("by owner are read from two indexes: of those who are named, and of customers", () =>
      Effect.gen(function*() {
        const { sorted, sql } = yield* world
        // Tables without rows are read whole, unless that is ruled out.
        const off = ["enable_seqscan", "enable_bitmapscan", "enable_hashjoin", "enable_mergejoin", "enable_sort"]
        yield* sql`SELECT set_config(name, 'off', false) FROM unnest(${off}::text[]) AS s (name)`
        const limit = sql`LIMIT 101`
        const after = { key: sql`${"m"}::text`, id: "lic_5" }
        for (const behind of [undefined, after]) {
          const plan = yield* sql<{ readonly "QUERY PLAN": string }>`
            EXPLAIN ${firstByOwner(sql, { limit, sorted: { ...sorted("owner_asc"), after: behind } })}`
          const text = plan.map((line) => line["QUERY PLAN"]).join("\n")
          assert.match(text, /using licenses_by_owner/)
          assert.match(text, /using customers_by_sorted_name/)
          assert.match(text, /using licenses_by_customer/)
          assert.notMatch(text, /Seq Scan on licenses/)
        }
        const plan = yield* sql<{ readonly "QUERY PLAN": string }>`
          EXPLAIN ${firstByProduct(sql, { limit, sorted: { ...sorted("product_desc"), after } })}`
        assert.match(plan.map((line) => line["QUERY PLAN"]).join("\n"), /using licenses_by_product/)
        yield* sql`RESET ALL`
      }))

    it.effect("of many products are as many as are asked for, from the first product on", () =>
      Effect.gen(function*() {
        const { rows, sorted, sql } = yield* world
        const ids: Array<string> = []
        for (const name of ["000 one", "000 two"]) {
          const { id: policy_id, product_id } = yield* rows.policy({ product_id: yield* rows.product({ name }) })
          const own: Array<string> = []
          for (let index = 0; index < 3; index++) own.push(yield* rows.license({ policy_id, product_id }))
          ids.push(...own.toSorted())
        }
        const found = yield* sql<{ readonly id: string }>`${
          firstByProduct(sql, { limit: sql`LIMIT 4`, sorted: sorted("product_asc") })
        }`
        assert.deepStrictEqual(found.map(({ id }) => id), ids.slice(0, 4))
      }))
  })
})
