import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { orderOf } from "../../../../src/services/ground/persistence/KeysetPaginationSql.ts"
import {
  firstByOwner,
  firstByProduct,
  licenseKeys
} from "../../../../src/services/licensing/licenses/LicenseOrderSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

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

    it.effect("by owner are the same of a filter that few fit, which are sorted, and of one that many do, which are met", () =>
      Effect.gen(function*() {
        const { keys, rows, sorted, sql } = yield* world
        const { id: policy_id, product_id } = yield* rows.policy()
        yield* sql`INSERT INTO customers (id, name, code, metadata)
          SELECT 'owner_' || n, md5(n::text), 'owner_' || n, '{}' FROM generate_series(1, 40) n`
        // Of more than 5,000 of each half every tenth is tagged; names repeat, so that ids decide among them.
        yield* sql`
          INSERT INTO licenses (id, product_id, policy_id, customer_id, customer_name, license_key_prefix,
            license_key_last4, metadata, tags)
          SELECT 'many_' || n, ${product_id}, ${policy_id}, CASE WHEN n % 2 = 0 THEN 'owner_' || n % 40 + 1 END,
            CASE WHEN n % 2 = 1 THEN 'Name ' || n % 97 END, 'CS', '0000', '{}', CASE WHEN n % 10 < 2 THEN ARRAY['few'] END
          FROM generate_series(1, 10400) n`
        const ofProduct = sql`l.product_id = ${product_id}`
        for (const conditions of [[ofProduct], [ofProduct, sql`l.tags @> ARRAY['few']`]]) {
          for (const order of ["owner_asc", "owner_desc"] as const) {
            const { direction } = sorted(order)
            const all = yield* sql<{ readonly id: string; readonly place: string }>`
              SELECT l.id, ${keys.owner.place} AS place FROM licenses l WHERE ${sql.and(conditions)}
              ORDER BY ${keys.owner.key} ${direction}, l.id ${direction}`
            for (const begin of [0, 511, all.length - 7]) {
              const last = all[begin - 1]
              const after = last === undefined ? undefined : { key: sql`${last.place}::text`, id: last.id }
              const found = yield* sql<{ readonly id: string }>`${
                firstByOwner(sql, { limit: sql`LIMIT 51`, sorted: { ...sorted(order), conditions, after } })
              }`
              assert.deepStrictEqual(found.map(({ id }) => id), all.slice(begin, begin + 51).map(({ id }) => id))
            }
          }
        }
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
