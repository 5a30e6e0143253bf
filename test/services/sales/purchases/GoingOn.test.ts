// What the same customer buys of the same product within a day of an end goes on in the same license, however late the end is told.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Database } from "../../../../src/services/ground/persistence/Database.ts"
import { Licenses } from "../../../../src/services/licensing/licenses/Licenses.ts"
import { layerOwnedPurchases, makeShop } from "../../../fixtures/OwnedPurchases.ts"
import type { Told } from "../../../fixtures/OwnedPurchases.ts"
import { makeRows } from "../../../fixtures/Rows.ts"

let made = 0

/** A customer whose subscription is followed by another one. `late` tells of its end, which nobody had told when the other began. */
const followed = Effect.fnUntraced(function*(
  { began = 20, bought_again, canceledOn = 20.5 }: {
    readonly began?: number
    readonly canceledOn?: number
    readonly bought_again?: "issue"
  } = {}
) {
  const sql = yield* Database
  const shop = yield* makeShop
  const customer = `late_${++made}`
  if (bought_again !== undefined) {
    yield* shop.map({ mapping: { prices: [shop.entry("price_a", shop.policies.a)], bought_again } })
  }
  const { licenses: [old] } = yield* shop.tell("sub_1", { customer })
  const second: Told = { customer, from: began, to: began + 30 }
  const end: Told = { customer, status: "canceled", endedOn: canceledOn, from: 0 }
  const wasAsked = (subscription: string) =>
    Effect.map(
      sql`SELECT 1 FROM purchase_work WHERE purchase_id = ${`pur_${shop.connectionId}_${subscription}`}`,
      ({ length }) => length > 0
    )
  return { customer, end, old: old!.id, second, shop, sql, wasAsked }
})

describe("a subscription that is followed by another one within a day", () => {
  it.layer(layerOwnedPurchases, { excludeTestServices: true })((it) => {
    it.effect("leaves the old license working, with the new subscription, in whatever order both are told", () =>
      Effect.gen(function*() {
        for (const isLate of [false, true]) {
          const { end, old, second, shop, wasAsked } = yield* followed()
          if (!isLate) yield* shop.tell("sub_1", end)
          const { licenses: [first] } = yield* shop.tell("sub_2", second)
          if (isLate) {
            assert.notStrictEqual(first!.id, old, "nobody can know")
            yield* shop.tell("sub_1", end)
            assert.isTrue(yield* wasAsked("sub_2"), "the end has the other one looked at again")
          }
          const { holds, licenses, status } = yield* shop.looked("sub_2")
          assert.deepStrictEqual([status, holds], ["done", []])
          assert.deepStrictEqual(licenses.map(({ id, is_adopted, state }) => [id, is_adopted, state]), [[
            old,
            false,
            "active"
          ]])
          const licenseOf = yield* Licenses
          assert.strictEqual((yield* licenseOf.get(old)).status, (yield* licenseOf.get(licenses[0]!.id)).status)
          if (isLate) assert.strictEqual((yield* licenseOf.get(first!.id)).status, "revoked")
          assert.isTrue((yield* shop.purchase("sub_1")).licenses[0]!.is_adopted)
          // A later word changes nothing, and the end of the old one does not reach the license.
          yield* shop.tell("sub_1", end)
          assert.deepStrictEqual((yield* shop.looked("sub_2")).licenses, licenses)
        }
      }))

    it.effect("keeps both licenses where the new one is used, more than a day is between, or the mapping says never", () =>
      Effect.gen(function*() {
        for (const kind of ["used", "far", "never"] as const) {
          const { end, second, shop, sql } = yield* followed(
            kind === "far" ? { canceledOn: 21.5 } : kind === "never" ? { bought_again: "issue" } : {}
          )
          const { licenses: [first] } = yield* shop.tell("sub_2", second)
          if (kind === "used") {
            yield* makeRows(sql).device({ license_id: first!.id })
          }
          yield* shop.tell("sub_1", end)
          const { licenses } = yield* shop.looked("sub_2")
          assert.deepStrictEqual(licenses.map(({ id }) => id), [first!.id], kind)
          assert.isFalse((yield* shop.purchase("sub_1")).licenses[0]!.is_adopted, kind)
        }
      }))

    it.effect("is gone on with once: of two that began in that day, one has a license of its own", () =>
      Effect.gen(function*() {
        const { customer, end, old, second, shop } = yield* followed()
        yield* shop.tell("sub_2", second)
        yield* shop.tell("sub_3", { ...second, customer, from: 20 })
        yield* shop.tell("sub_1", end)
        const [two, three] = [yield* shop.looked("sub_2"), yield* shop.looked("sub_3")]
        assert.strictEqual(two.licenses[0]!.id, old)
        assert.notStrictEqual(three.licenses[0]!.id, old)
        assert.strictEqual(three.licenses[0]!.state, "active")
      }))
  })
})
