import { assert, beforeAll, describe, it } from "@effect/vitest"
import type { Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import { eventually, hold, session } from "../../fixtures/Session.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { openShop, sold } from "../../fixtures/StripeShop.ts"
import { holdsTransactions } from "../../fixtures/TransactionWatch.ts"

let service: Service
let database: Session
let shop: Awaited<ReturnType<typeof openShop>>

beforeAll(async () => {
  service = await startService()
  await holdsTransactions(service.databaseUrl)
  database = await session(service.databaseUrl)
  shop = await openShop(service)
})

const connectionPath = ({ connection }: { readonly connection: Body } = shop) =>
  `/api/v1/billing/connections/${connection.id}`

/** Maps one more price to a policy. */
const map = async (value: string, policy: Body): Promise<void> => {
  const { mapping } = await service.data("GET", connectionPath())
  const prices = [...mapping.prices, { by: "price", value, policy_id: policy.id }]
  await service.data("PATCH", connectionPath(), { mapping: { prices } })
}

describe("a mapping that comes while a purchase is looked at", () => {
  it("reaches one that will wait, and that it cannot see yet", async () => {
    const buy = sold()
    await shop.sendAll(buy.bought)
    await shop.license(buy, ({ status }) => status === "active")
    await shop.purchase(buy)
    const other = await service.data("POST", `/api/v1/products/${shop.product.id}/policies`, {
      name: "Team",
      code: "team",
      license_type: "subscription",
      follows_subscription: true
    })
    const held = await hold(service.databaseUrl, "SELECT 1 FROM policies WHERE id = $1 FOR UPDATE", [shop.policy.id])
    await shop.send(buy.event("customer.subscription.updated", 60, { item: { price: { id: "price_team" } } }))
    await held.blocked(1)
    await map("price_team", other)
    await held.release()
    const license = await shop.license(buy, ({ policy_id }) => policy_id === other.id)
    assert.strictEqual(license.status, "active")
  })

  it("is the one that a look decides by, which began to wait before it", async () => {
    const buy = sold({ price: "price_late" })
    await shop.sendAll(buy.bought)
    const { id } = await shop.purchase(buy, ({ payer, status }) => status === "waiting" && payer.email === buy.email)
    await eventually("there is no work for it", async () => {
      const work = await database.query("SELECT 1 FROM purchase_work WHERE purchase_id = $1", [id])
      return work.length === 0
    })
    const held = await hold(service.databaseUrl, "SELECT 1 FROM purchases WHERE id = $1 FOR NO KEY UPDATE", [id])
    await service.data("POST", `/api/v1/billing/purchases/${id}/retry`)
    await held.blocked(1)
    await map("price_late", shop.policy)
    await held.release()
    assert.strictEqual((await shop.license(buy)).status, "active")
  })
})

describe("a purchase of several subscriptions", () => {
  it("holds no license while it waits for one of them", async () => {
    const buy = sold()
    await shop.sendAll(buy.bought)
    await shop.license(buy, ({ status }) => status === "active")
    const [first] = buy.event("", 0).object.items.data
    const items = (quantity: number) => ({
      items: { has_more: false, data: [{ ...first, quantity }, { ...first, id: `${first.id}_2`, quantity }] }
    })
    await shop.send(buy.event("customer.subscription.updated", 60, items(2)))
    const { licenses } = await shop.purchase(buy, ({ licenses }) => licenses.length === 2)
    await eventually("both are active", async () => {
      const [{ count }] = await database.query(
        "SELECT count(*)::int AS count FROM subscriptions WHERE external_id LIKE $1 AND quantity = 2",
        [`${buy.id}%`]
      ) as [Body]
      return count === 2
    })
    // What links a license to the second subscription holds that, and then waits for the license.
    const held = await hold(service.databaseUrl, "SELECT 1 FROM subscriptions WHERE external_id = $1 FOR SHARE", [
      `${buy.id}:1`
    ])
    await shop.send(buy.event("customer.subscription.updated", 120, { ...items(3), status: "paused" }))
    await held.blocked(1)
    const free = await database.query("SELECT id FROM licenses WHERE id = ANY($1) FOR NO KEY UPDATE NOWAIT", [
      licenses.map(({ license_id }: Body) => license_id)
    ])
    assert.strictEqual(free.length, 2)
    await held.release()
    for (const { license_id } of licenses) {
      await eventually("it is suspended", async () => {
        const { status } = await service.data("GET", `/api/v1/licenses/${license_id}`)
        return status === "suspended"
      })
    }
  })
})

describe("purchases that wait for a lock", () => {
  it("take three connections of a node, and events are received meanwhile", async () => {
    const many = Array.from({ length: 12 }, () => sold())
    const held = await hold(service.databaseUrl, "SELECT 1 FROM policies WHERE id = $1 FOR UPDATE", [shop.policy.id])
    await Promise.all(many.map(({ bought }) => shop.sendAll(bought)))
    await held.blocked(3)
    const waiting = await database.query(
      `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
       AND application_name LIKE 'countersign %'`
    )
    await held.release()
    assert.strictEqual(waiting.length, 3, waiting.map(({ query }) => query).join("\n"))
    for (const buy of many) await shop.license(buy, ({ status }) => status === "active")
  })
})

describe("a connection that is deleted", () => {
  it("is kept where an event has come meanwhile", async () => {
    const other = await openShop(service)
    const buy = sold()
    const held = await hold(service.databaseUrl, "SELECT 1 FROM billing_connections WHERE id = $1 FOR KEY SHARE", [
      other.connection.id
    ])
    const removed = service.call("DELETE", connectionPath(other))
    await held.blocked(1)
    await other.sendAll(buy.bought)
    await held.release()
    refused(await removed, 409, "IN_USE")
    assert.strictEqual((await other.license(buy)).status, "active")
  })

  it("is not found by an event that was on its way to it", async () => {
    const other = await openShop(service)
    const about = (id: string) => ({
      id,
      type: "product.updated",
      created: 1,
      object: { id: "prod_1", object: "product" }
    })
    await other.send(about("evt_before"))
    const held = await hold(service.databaseUrl, "SELECT 1 FROM billing_events WHERE connection_id = $1 FOR UPDATE", [
      other.connection.id
    ])
    const removed = service.call("DELETE", connectionPath(other))
    await held.blocked(1)
    const sent = other.send(about("evt_meanwhile"))
    await held.blocked(2)
    await held.release()
    assert.strictEqual((await removed).status, 204)
    refused(await sent, 404, "NOT_FOUND")
  })
})
