import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { lockNamed } from "../../../src/services/customers/CustomerSql.ts"
import { makeRows } from "../../fixtures/Rows.ts"
import { Workers } from "../../fixtures/Workers.ts"

describe("the statement that locks what others name", () => {
  layer(Workers.layer)((it) => {
    it.effect("what is named is not deleted before the reference is stored, and may be named by others meanwhile", () =>
      Effect.gen(function*() {
        const { first, passing, second, undone } = yield* Workers
        const { id, product_id } = yield* makeRows(first).policy()
        const named = (sql: typeof first) => lockNamed(sql, "policies", [id, "pol_none"], { limit: undefined })
        yield* passing(named(first), named(second))
        const [found, gone] = yield* undone(named(first), second`DELETE FROM policies WHERE id = ${id} RETURNING id`)
        assert.deepStrictEqual(found.map((row) => [row.id, row.product_id]), [[id, product_id]])
        assert.lengthOf(gone, 1)
      }))

    it.effect("what is locked against any change is not changed either", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        const product = yield* makeRows(first).product()
        const shared = lockNamed(first, "products", [product], { limit: undefined, lock: "SHARE" })
        yield* waiting(shared, second`UPDATE products SET name = 'Q' WHERE id = ${product}`)
      }))

    it.effect("what is beyond the products of a limited key is not there", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const rows = makeRows(first)
        const { id, product_id } = yield* rows.policy()
        const customer = `cus_of_${id}`
        yield* rows.insert("customers", { id: customer, code: customer, name: "N", metadata: first`'{}'` })
        yield* rows.license({ customer_id: customer, product_id, policy_id: id })
        const ids = (table: "products" | "policies" | "customers", limit: ReadonlyArray<string>) =>
          Effect.map(
            lockNamed(first, table, [product_id, id, customer], { limit }),
            (found) => found.map((row) => row.id)
          )
        for (const [table, own] of [["products", product_id], ["policies", id], ["customers", customer]] as const) {
          assert.deepStrictEqual(yield* ids(table, [product_id]), [own])
          assert.deepStrictEqual(yield* ids(table, ["prod_x"]), [])
        }
      }))
  })
})
