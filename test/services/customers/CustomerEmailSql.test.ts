import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { lockCustomerEmail, lockCustomersByEmail } from "../../../src/services/customers/CustomerSql.ts"
import type { Database } from "../../../src/services/ground/persistence/Database.ts"
import { makeRows } from "../../fixtures/Rows.ts"
import { Workers } from "../../fixtures/Workers.ts"

const makeCustomer = (sql: Database, id: string, email: string, more: object = {}) =>
  makeRows(sql).insert("customers", { id, code: id, name: "N", email, metadata: sql`'{}'`, ...more })

describe("the statements that find a customer by an address", () => {
  layer(Workers.layer)((it) => {
    it.effect("customers of one address are found or created one after the other, and the second finds the first", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        const [, found] = yield* waiting(
          Effect.andThen(
            lockCustomerEmail(first, "Ada@one.example"),
            makeCustomer(first, "cus_one", "Ada@one.example")
          ),
          Effect.andThen(
            lockCustomerEmail(second, "ada@ONE.example"),
            lockCustomersByEmail(second, "ada@ONE.example", undefined)
          )
        )
        assert.deepStrictEqual(found, [{ id: "cus_one", of_limited_key: false }])
      }))

    it.effect("another address waits for nobody", () =>
      Effect.gen(function*() {
        const { first, passing, second } = yield* Workers
        yield* passing(lockCustomerEmail(first, "a@two.example"), lockCustomerEmail(second, "b@two.example"))
      }))

    it.effect("a customer who was found is not deleted before the license is stored", () =>
      Effect.gen(function*() {
        const { first, second, waiting } = yield* Workers
        yield* makeCustomer(first, "cus_three", "a@three.example")
        yield* waiting(
          lockCustomersByEmail(first, "a@three.example", undefined),
          second`DELETE FROM customers WHERE id = 'cus_three'`
        )
      }))

    it.effect("one that a limited key has made comes after the others", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        yield* makeCustomer(first, "cus_5a", "a@five.example", { product_ids: ["prod_x"] })
        yield* makeCustomer(first, "cus_5b", "a@five.example")
        assert.deepStrictEqual(yield* lockCustomersByEmail(first, "a@five.example", undefined), [
          { id: "cus_5b", of_limited_key: false },
          { id: "cus_5a", of_limited_key: true }
        ])
      }))

    it.effect("two are found at most, and those beyond the products of a limited key are not there", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const product = yield* makeRows(first).product()
        for (const id of ["cus_4a", "cus_4b", "cus_4c"]) yield* makeCustomer(first, id, "a@four.example")
        yield* makeCustomer(first, "cus_4d", "A@four.example", { product_ids: [product] })
        assert.lengthOf(yield* lockCustomersByEmail(first, "a@four.example", undefined), 2)
        assert.deepStrictEqual(yield* lockCustomersByEmail(first, "a@four.example", [product]), [
          { id: "cus_4d", of_limited_key: true }
        ])
        assert.deepStrictEqual(yield* lockCustomersByEmail(first, "a@four.example", ["prod_x"]), [])
        assert.deepStrictEqual(yield* lockCustomersByEmail(first, "a@nobody.example", undefined), [])
      }))
  })
})
