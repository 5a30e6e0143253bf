import { assert, beforeAll, describe, it } from "@effect/vitest"
import type { ServerResponse } from "node:http"
import { apiKeys, providerApis } from "../../fixtures/ProviderApis.ts"
import type { ProviderApis } from "../../fixtures/ProviderApis.ts"
import { buyers } from "../../fixtures/ProviderBuyers.ts"
import { openProviderShop } from "../../fixtures/ProviderShop.ts"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually } from "../../fixtures/Session.ts"
import { openShop, sold } from "../../fixtures/StripeShop.ts"
import type { Sold } from "../../fixtures/StripeShop.ts"
import { holdsTransactions } from "../../fixtures/TransactionWatch.ts"

let service: Service
let apis: ProviderApis

beforeAll(async () => {
  apis = await providerApis()
  service = await startService({ environment: { COUNTERSIGN_PROVIDER_API_URL: apis.url } })
  await holdsTransactions(service.databaseUrl)
})

/** A shop whose connection may read at Stripe. */
const openReadingShop = async () => {
  const shop = await openShop(service)
  await service.data("PATCH", `/api/v1/billing/connections/${shop.connection.id}`, { api_key: apiKeys.stripe })
  return shop
}

/** Puts a subscription at Stripe as it stands there. */
const stands = (buy: Sold, more: Body = {}): void => {
  const { subscriptions = [] } = apis.has.stripe
  const object = { ...buy.event("customer.subscription.updated", 0, more).object, livemode: true }
  apis.has.stripe["subscriptions"] = [...subscriptions.filter(({ id }) => id !== buy.id), object]
}

const seats = (count: number) => ({ overrides, status }: Body) =>
  status === "active" && overrides?.max_activations === count

describe("a purchase whose connection has an API key", () => {
  it("is read at its provider when an event of it comes, and is what stands there", async () => {
    const shop = await openReadingShop()
    const buy = sold()
    // The event of 8 seats was lost.
    stands(buy, { item: { quantity: 8 } })
    await shop.send(buy.bought[2]!)
    await shop.license(buy, seats(8))
    const purchase = await shop.purchase(buy, ({ read_at, status }) => status === "done" && read_at !== undefined)
    assert.notProperty(purchase, "read_failure")
    const { events } = await service.data("GET", `/api/v1/billing/purchases/${purchase.id}`)
    assert.isTrue(events.some(({ id }: Body) => id.startsWith(`read_${buy.id}_`)))
    // A repeat of what is known is read again, and stored no more.
    await service.data("POST", `/api/v1/billing/purchases/${purchase.id}/retry`)
    const again = await shop.purchase(buy, ({ read_at, status }) => status === "done" && read_at > purchase.read_at)
    const story = await service.data("GET", `/api/v1/billing/purchases/${again.id}`)
    assert.lengthOf(story.events, events.length)
  })

  it("follows a newer event, and no older one, whatever was read", async () => {
    const shop = await openReadingShop()
    const buy = sold()
    stands(buy, { item: { quantity: 8 } })
    await shop.sendAll(buy.bought)
    await shop.license(buy, seats(8))
    await shop.send(buy.event("customer.subscription.updated", 60, { item: { quantity: 6 } }))
    await shop.license(buy, seats(8))
    // What changes there afterwards, Stripe tells by an event first.
    apis.respond = (path, response) => {
      if (!path.startsWith("/stripe/")) return false
      response.writeHead(503).end()
      return true
    }
    await shop.send(buy.event("customer.subscription.updated", 3600, { item: { quantity: 7 } }))
    await shop.license(buy, seats(7))
    apis.respond = () => false
  })

  it("gets the price of what is paid once, which no event names", async () => {
    const shop = await openReadingShop()
    const session = {
      id: "cs_once",
      object: "checkout.session",
      status: "complete",
      mode: "payment",
      payment_status: "paid",
      payment_intent: "pi_once",
      customer_details: { email: "ada@example.com", name: "Ada Lovelace" },
      metadata: {}
    }
    apis.has.stripe["checkout/sessions"] = [{
      ...session,
      line_items: { data: [{ id: "li_1", price: { id: "price_pro", product: "prod_stripe" }, quantity: 3 }] }
    }]
    const created = Math.floor(Date.now() / 1000) - 60
    await shop.send({ id: "evt_once", type: "checkout.session.completed", created, object: session })
    const waiting = await shop.purchase({ id: "cs_once" }, ({ holds }) => holds.length > 0)
    // It has its price now. Its policy is one of subscriptions, which is another reason.
    assert.deepInclude(waiting.items[0], { price: "price_pro", quantity: 3 })
    assert.deepStrictEqual(
      waiting.holds.map(({ code }: Body) => code).filter((code: string) => code === "unmapped"),
      []
    )
  })
})

describe("a provider that is slow", () => {
  it("delays no purchase of another connection, and is asked for four purchases of its connection at once", async () => {
    const from = Math.floor(Date.now() / 1000) - 600
    const slow = Array.from({ length: 7 }, () => buyers.paddle(from))
    const shop = await openProviderShop(service, "paddle", slow[0]!.soldAs)
    await service.data("PATCH", `/api/v1/billing/connections/${shop.connection.id}`, { api_key: apiKeys.paddle })
    const quick = await openReadingShop()
    const held = new Set<ServerResponse>()
    let most = 0
    apis.respond = (path, response) => {
      if (!path.startsWith("/paddle/")) return false
      held.add(response)
      most = Math.max(most, held.size)
      response.on("close", () => held.delete(response))
      return true
    }
    for (const buy of slow) await shop.sendAll(buy.bought)
    await eventually("the slow provider is asked", () => Promise.resolve(most > 0 || undefined))
    const buy = sold()
    stands(buy, { item: { quantity: 8 } })
    await quick.send(buy.bought[2]!)
    await quick.license(buy, seats(8))
    for (const buy of slow) await shop.license(buy)
    assert.isAtMost(most, 4)
    apis.respond = () => false
  })
})

describe("a provider that cannot be read", () => {
  it.each([
    ["fails", "unavailable", (response) => void response.writeHead(500).end()],
    ["never answers", "unavailable", () => {}],
    ["answers something else", "unreadable", (response) => void response.writeHead(200).end("<html>")],
    ["knows no such purchase", "not_found", (response) => void response.writeHead(404).end("{}")],
    ["refuses the key", "api_key_refused", (response) => void response.writeHead(401).end("{}")],
    ["asks to wait", "rate_limited", (response) => void response.writeHead(429, { "retry-after": "600" }).end()]
  ] as ReadonlyArray<readonly [string, string, (response: Parameters<ProviderApis["respond"]>[1]) => void]>)(
    "and %s delays no purchase: its events decide, and it says why",
    async (_, code, answer) => {
      const shop = await openReadingShop()
      const buy = sold()
      apis.respond = (path, response) => {
        if (!path.includes(buy.id)) return false
        answer(response)
        return true
      }
      await shop.sendAll(buy.bought)
      await shop.license(buy, seats(5))
      const purchase = await shop.purchase(
        buy,
        ({ read_failure, status }) => status === "done" && read_failure !== undefined
      )
      assert.strictEqual(purchase.read_failure.code, code)
      assert.notProperty(purchase, "read_at")
      apis.respond = () => false
    }
  )
})
