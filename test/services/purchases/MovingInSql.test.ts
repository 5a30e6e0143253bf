import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { LicenseCreation } from "../../../src/services/licenses/LicenseCreation.ts"
import { SubscriptionFollowing } from "../../../src/services/licenses/SubscriptionFollowing.ts"
import { Database } from "../../../src/services/persistence/Database.ts"
import { layerOwnedPurchases, makeShop } from "../../fixtures/OwnedPurchases.ts"

describe("a license that a vendor's own program issued", () => {
  it.layer(layerOwnedPurchases, { excludeTestServices: true })((it) => {
    /** A subscription and its license, as a vendor's program writes them before there is a connection. */
    const made = Effect.gen(function*() {
      const shop = yield* makeShop
      const creation = yield* LicenseCreation
      const following = yield* SubscriptionFollowing
      const ada = "cus_ada"
      const record = yield* following.put(
        shop.product_id,
        { external_system: "stripe", external_id: "sub_1" },
        {
          status: "active",
          current_period_start: "2026-01-01T00:00:00.000Z",
          current_period_end: "2026-02-01T00:00:00.000Z"
        }
      )
      const { data: { license } } = yield* creation.create({
        product_id: shop.product_id,
        policy_id: shop.policies.a,
        subscription_id: record.id,
        overrides: { max_activations: 9 }
      })
      const sql = yield* Database
      yield* sql`UPDATE licenses SET created_at = created_at - interval '1 day' WHERE id = ${license.id}`
      return { shop, ada, license }
    })

    it.effect("is taken over by the purchase of the same subscription, and no second one is issued", () =>
      Effect.gen(function*() {
        const { ada, license, shop } = yield* made
        const told = yield* shop.tell("sub_1", { customer: ada, quantity: 5 })
        assert.deepStrictEqual(told.licenses.map(({ id }) => id), [license.id])
        assert.strictEqual(told.licenses[0]!.seats, 9, "it stays as the vendor had made it")
        const more = yield* shop.tell("sub_1", { customer: ada, quantity: 7 })
        assert.strictEqual(more.licenses[0]!.seats, 7)
        const sql = yield* Database
        const [all] = yield* sql<{ readonly count: number }>`
          SELECT count(*)::int AS count FROM licenses WHERE product_id = ${shop.product_id}`
        assert.strictEqual(all!.count, 1)
      }))
  })
})

describe("a customer who begins two subscriptions at once after one has ended", () => {
  it.layer(layerOwnedPurchases, { excludeTestServices: true })((it) => {
    it.effect("has a license for each: the one that had ended goes on for one of them", () =>
      Effect.gen(function*() {
        const shop = yield* makeShop
        const ada = "cus_ada"
        const first = yield* shop.tell("sub_1", { customer: ada, quantity: 5 })
        yield* shop.tell("sub_1", { customer: ada, quantity: 5, status: "canceled", endedOn: 30 })
        yield* shop.told("sub_2", { customer: ada, quantity: 5, from: 40, to: 70 })
        yield* shop.told("sub_3", { customer: ada, quantity: 5, from: 40, to: 70 })
        yield* Effect.all([shop.looked("sub_2"), shop.looked("sub_3")], { concurrency: "unbounded" })
        const held = [yield* shop.purchase("sub_2"), yield* shop.purchase("sub_3")].map(({ licenses }) =>
          licenses.map(({ id }) => id)
        )
        assert.include(held.flat(), first.licenses[0]!.id)
        assert.strictEqual(new Set(held.flat()).size, 2)
      }))
  })
})
