import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { customersHolding } from "../../../src/services/customers/Customers.ts"
import type { LicensesHeld } from "../../../src/services/customers/Customers.ts"
import type { ProductLimit } from "../../../src/services/ground/persistence/ProductLimit.ts"
import { makeRows } from "../../fixtures/Rows.ts"
import { Workers } from "../../fixtures/Workers.ts"

describe("customers who hold a license", () => {
  layer(Workers.layer)((it) => {
    it.effect("are found by its product and by what one device of it runs, from either end", () =>
      Effect.gen(function*() {
        const { first: sql } = yield* Workers
        const rows = makeRows(sql)
        const [one, two] = [yield* rows.policy(), yield* rows.policy()]
        const holder = (id: string) => rows.insert("customers", { id, code: id, name: "N", metadata: sql`'{}'` })
        const held = (
          customer_id: string | null,
          of: typeof one,
          app_version: string | null,
          os: string | null,
          status = "active"
        ) =>
          Effect.gen(function*() {
            const license_id = yield* rows.license({ customer_id, policy_id: of.id, product_id: of.product_id })
            yield* rows.device({ license_id, app_version, os, status })
          })
        for (const id of ["cus_a", "cus_b", "cus_c", "cus_d"]) yield* holder(id)
        yield* held("cus_a", one, "1.9", "Linux 6.1")
        yield* held("cus_a", one, "1.8", "Windows 11")
        yield* held("cus_b", two, "1.9", "Windows 11")
        yield* held("cus_b", one, "2.0", "Windows 11")
        yield* held("cus_c", one, "1.9", "Windows 11", "reset")
        yield* held("cus_d", one, null, null)
        yield* held("cus_d", one, "1-beta", "Linux 6.1")
        yield* held("cus_d", one, "10.1", "Linux 6.1")
        yield* held(null, one, "1.9", "Windows 11")

        const found = Effect.fnUntraced(function*(filters: LicensesHeld, limit: ProductLimit) {
          const { found, isLike } = customersHolding(sql, filters, limit)!
          const sought = yield* sql<{ readonly id: string }>`SELECT DISTINCT id FROM (${found}) f ORDER BY id`
          const judged = yield* sql<{ readonly id: string }>`SELECT id FROM customers WHERE ${isLike} ORDER BY id`
          assert.deepStrictEqual(sought, judged, "a search from the devices finds who a look at each customer finds")
          return sought.map(({ id }) => id.slice(4)).join("")
        })
        const cases: ReadonlyArray<readonly [LicensesHeld, string, string]> = [
          [{ app_version: "1.x" }, "ab", "a"],
          [{ app_version: "1.8" }, "a", "a"],
          [{ os: "WINDOWS" }, "ab", "ab"],
          [{ app_version: "1.9", os: "windows" }, "b", ""],
          [{ app_version: "1.x", product_id: two.product_id }, "b", ""],
          [{ app_version: "1.x", product_id: one.product_id }, "a", "a"],
          [{ product_id: one.product_id }, "abcd", "abcd"],
          [{ product_id: two.product_id }, "b", ""]
        ]
        for (const [filters, all, ofOne] of cases) {
          assert.strictEqual(yield* found(filters, undefined), all, JSON.stringify(filters))
          assert.strictEqual(
            yield* found(filters, [one.product_id]),
            ofOne,
            `within one product ${JSON.stringify(filters)}`
          )
        }
        assert.isUndefined(customersHolding(sql, {}, [one.product_id]))
      }))
  })
})
