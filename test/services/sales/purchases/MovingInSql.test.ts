import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Database } from "../../../../src/services/ground/persistence/Database.ts"
import { LicenseCreation } from "../../../../src/services/licensing/licenses/LicenseCreation.ts"
import { SubscriptionFollowing } from "../../../../src/services/licensing/licenses/SubscriptionFollowing.ts"
import { insertWork } from "../../../../src/services/sales/billing/ConnectionSql.ts"
import { PurchaseWork } from "../../../../src/services/sales/purchases/PurchaseWork.ts"
import { layerOwnedPurchases, makeShop } from "../../../fixtures/OwnedPurchases.ts"
import { connected } from "../../../fixtures/StoredEvents.ts"

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

describe("what is bought at an account that has two connections", () => {
  it.layer(layerOwnedPurchases, { excludeTestServices: true })((it) => {
    /** A second connection to the account, which is told what the first one was. */
    const second = Effect.fnUntraced(function*(shop: Effect.Success<typeof makeShop>) {
      const sql = yield* Database
      const connectionId = yield* connected(sql, `${shop.connectionId}_second`)
      const id = `pur_${connectionId}`
      yield* sql`UPDATE billing_connections SET credentials = NULL,
        mapping = (SELECT mapping FROM billing_connections WHERE id = ${shop.connectionId}) WHERE id = ${connectionId}`
      yield* sql`INSERT INTO purchases (id, connection_id, name, status, created_at)
        SELECT ${id}, ${connectionId}, name, 'new', created_at FROM purchases WHERE connection_id = ${shop.connectionId}`
      yield* sql`
        WITH new AS (
          INSERT INTO billing_events (connection_id, event_id, type, occurred_at, api_version, body, facts, is_routed)
          SELECT ${connectionId}, event_id, type, occurred_at, api_version, body, facts, true FROM billing_events
          WHERE connection_id = ${shop.connectionId} RETURNING sequence, event_id
        )
        INSERT INTO billing_event_objects (connection_id, sequence, object)
        SELECT ${connectionId}, new.sequence, o.object FROM new
        JOIN billing_events e ON e.connection_id = ${shop.connectionId} AND e.event_id = new.event_id
        JOIN billing_event_objects o ON o.sequence = e.sequence`
      yield* insertWork(sql, [id])
      const { look } = yield* PurchaseWork
      return { id, look: look(id) }
    })

    /** The purchases that have a license of the shop's product, and those that had one; and how each waits. */
    const heldOf = Effect.fnUntraced(function*({ product_id }: Effect.Success<typeof makeShop>) {
      const sql = yield* Database
      return yield* sql<{
        readonly license_id: string
        readonly purchase_id: string
        readonly is_adopted: boolean
        readonly status: string
      }>`SELECT l.id AS license_id, p.id AS purchase_id, pl.is_adopted, p.status FROM licenses l
        JOIN purchase_licenses pl ON pl.license_id = l.id JOIN purchases p ON p.id = pl.purchase_id
        WHERE l.product_id = ${product_id} ORDER BY pl.is_adopted`
    })

    it.effect("is one license, which the connection goes on with that was told last, and the other one waits for nothing", () =>
      Effect.gen(function*() {
        const shop = yield* makeShop
        const first = yield* shop.tell("sub_1", { customer: "cus_ada", quantity: 5 })
        const other = yield* second(shop)
        yield* other.look
        yield* shop.looked("sub_1")
        const held = yield* heldOf(shop)
        assert.deepStrictEqual(held.map(({ license_id }) => license_id), [first.licenses[0]!.id, first.licenses[0]!.id])
        assert.deepStrictEqual(held.map(({ is_adopted, status }) => [is_adopted, status]), [[false, "done"], [
          true,
          "done"
        ]])
        assert.strictEqual(held[0]!.purchase_id, other.id)
      }))

    it.effect("of two connections to one account one alone issues what was bought, also when both look at once", () =>
      Effect.gen(function*() {
        const shop = yield* makeShop
        yield* shop.told("sub_1", { customer: "cus_ada", quantity: 5 })
        const other = yield* second(shop)
        yield* Effect.all([other.look, shop.looked("sub_1")], { concurrency: "unbounded" })
        const held = yield* heldOf(shop)
        assert.strictEqual(new Set(held.map(({ license_id }) => license_id)).size, 1, JSON.stringify(held))
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
