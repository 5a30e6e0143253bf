import { assert, beforeAll, describe, it } from "@effect/vitest"
import { buyers } from "../../fixtures/ProviderBuyers.ts"
import { post, signatureOf } from "../../fixtures/ProviderSender.ts"
import { openProviderShop } from "../../fixtures/ProviderShop.ts"
import type { Service } from "../../fixtures/Service.ts"
import { invalid, startService } from "../../fixtures/Service.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"
import { openShop, sellWhatFails, sold } from "../../fixtures/StripeShop.ts"

takeTurns()

let service: Service
let database: Session
let shop: Awaited<ReturnType<typeof openShop>>

beforeAll(async () => {
  service = await startService()
  database = await session(service.databaseUrl)
  shop = await openShop(service)
})

const ago = (seconds: number): number => Math.floor(Date.now() / 1000) - seconds

const isIn = (status: string) => (license: Body) => license.status === status

/** The ids of the licenses of a customer at a provider. */
const licensesOf = async (customer: string): Promise<ReadonlyArray<string>> => {
  const rows = await database.query(
    "SELECT l.id FROM licenses l JOIN customers c ON c.id = l.customer_id WHERE c.external_id = $1",
    [customer]
  )
  return rows.map(({ id }) => id)
}

const customerEvent = (type: string, { customer }: { readonly customer: string }, email: string, at: number) => ({
  id: `evt_${customer}_${at}`,
  type,
  created: at,
  object: { id: customer, object: "customer", email, name: "Ada Lovelace" }
})

describe("a purchase by the door", () => {
  it("2. is one license although all of its events come at once, three times each", async () => {
    const buy = sold()
    const events = [...buy.bought, ...buy.bought, ...buy.bought]
    await Promise.all(events.map((event) => shop.send(event)))
    const license = await shop.license(buy, isIn("active"))
    assert.deepStrictEqual(await licensesOf(buy.customer), [license.id])
  })

  it("4. is not lost where what follows from its events fails: they are kept, and it is tried again", async () => {
    const { buy, failed, licenseId, mend } = await sellWhatFails(service, shop)
    const { body } = await shop.send(buy.bought[0]!)
    assert.deepStrictEqual(body.data, { received: 0, repeated: 1 })
    await mend()
    await service.data("POST", `/api/v1/billing/purchases/${failed.id}/retry`)
    assert.strictEqual((await shop.license(buy, isIn("active"))).id, licenseId)
  })

  it("8. ends, and its customer's next one, which was known before that, goes on", async () => {
    const first = sold({ from: ago(7200) })
    await shop.sendAll(first.bought)
    await shop.license(first, isIn("active"))
    const next = sold({ from: ago(3600), customer: first.customer })
    await shop.sendAll(next.bought)
    const license = await shop.license(next, isIn("active"))
    await shop.send(
      first.event("customer.subscription.deleted", 3500, { status: "canceled", ended_at: ago(3700) })
    )
    await shop.license(first, isIn("expired"))
    assert.strictEqual((await shop.license(next)).id, license.id)
    assert.strictEqual((await shop.license(next)).status, "active")
  })

  it("8. goes on in the same license where the end of the one before it comes seconds later", async () => {
    const first = sold({ from: ago(7200) })
    await shop.sendAll(first.bought)
    const license = await shop.license(first, isIn("active"))
    const next = sold({ from: ago(60), customer: first.customer })
    await shop.sendAll(next.bought)
    await shop.send(
      first.event("customer.subscription.deleted", 7142, { status: "canceled", ended_at: ago(58) })
    )
    assert.strictEqual((await shop.license(next, isIn("active"))).id, license.id)
    assert.deepStrictEqual(await licensesOf(first.customer), [license.id])
  })

  it("15. is ended by a refund that came before the link which leads from it to the purchase", async () => {
    const buy = sold()
    const links = buy.bought.filter(({ type }) => type === "invoice_payment.paid")
    const [{ payment }] = links.map(({ object }) => object) as [Body]
    await shop.sendAll(buy.bought.filter((event) => !links.includes(event)))
    await shop.license(buy, isIn("active"))
    await shop.send({
      id: `evt_refund_${buy.id}`,
      type: "charge.refunded",
      created: ago(300),
      object: {
        id: `ch_${buy.id}`,
        object: "charge",
        amount: 4900,
        amount_refunded: 4900,
        refunded: true,
        currency: "eur",
        payment_intent: payment.payment_intent
      }
    })
    await shop.sendAll(links)
    const over = await shop.license(buy, isIn("expired"))
    assert.strictEqual(Date.parse(over.expires_at) <= Date.now(), true)
  })

  it("19. is verified over the bytes that came, minutes later, and an update of what nobody knows is kept", async () => {
    const buy = buyers.paddle(ago(600))
    const other = await openProviderShop(service, "paddle", buy.soldAs)
    const [update] = buy.seats(60, 8)
    const raw = JSON.stringify(update, undefined, 3).replaceAll("\n", "\r\n")
    const sent = await post(service, other.connection, raw, signatureOf.paddle(other.secret, raw, ago(240)))
    assert.strictEqual(sent.status, 200, sent.text)
    await other.license(buy, ({ overrides, status }) => status === "active" && overrides?.max_activations === 8)
  })

  it("23. is a license by an update alone, which came before what began it", async () => {
    const buy = sold()
    await shop.send(buy.event("customer.subscription.updated", 60, { item: { quantity: 9 } }))
    const license = await shop.license(buy, isIn("active"))
    await shop.sendAll(buy.bought)
    await shop.purchase(buy, ({ payer, status }) => status === "done" && payer.email === buy.email)
    assert.deepStrictEqual(await licensesOf(buy.customer), [license.id])
    assert.strictEqual((await shop.license(buy)).overrides.max_activations, 9)
  })

  it("30. of the provider's test mode is refused where it would be a license of real customers", async () => {
    const buy = sold()
    const [, created] = buy.bought
    const raw = JSON.stringify({
      id: created!.id,
      object: "event",
      api_version: "2026-10-28.endive",
      created: created!.created,
      livemode: false,
      type: created!.type,
      data: { object: created!.object }
    })
    const refused = await post(service, shop.connection, raw, signatureOf.stripe(shop.secret, raw))
    assert.strictEqual(refused.body.error.detail, "test_event")
  })

  it("45. is read by no key of the provider's test mode: the connection does not take it", async () => {
    const path = `/api/v1/billing/connections/${shop.connection.id}`
    invalid(
      await service.call("PATCH", path, { body: { api_key: "rk_test_of_the_wrong_mode" } }),
      "api_key",
      "other_environment"
    )
    assert.isFalse((await service.data("GET", path)).has_api_key)
  })

  it("31. is of one customer, who has two addresses one after the other", async () => {
    const buy = sold()
    await shop.sendAll(buy.bought)
    const { customer_id, id } = await shop.license(buy, isIn("active"))
    const email = `second-${buy.email}`
    await shop.send(customerEvent("customer.updated", buy, email, ago(10)))
    // One of before comes late.
    await shop.send(customerEvent("customer.updated", buy, `first-${buy.email}`, ago(20)))
    await shop.purchase(buy, ({ payer, status }) => status === "done" && payer.email === email)
    const rows = await database.query("SELECT id, email FROM customers WHERE external_id = $1", [buy.customer])
    assert.deepStrictEqual(rows, [{ id: customer_id, email }])
    assert.deepStrictEqual(await licensesOf(buy.customer), [id])
  })

  it("32. is of its own customer, although another one has the same address", async () => {
    const one = sold()
    const two = sold()
    await shop.sendAll(one.bought)
    const [created, ...others] = two.bought
    await shop.sendAll([{ ...created!, object: { ...created!.object, email: one.email } }, ...others])
    await shop.send(customerEvent("customer.updated", two, one.email, ago(10)))
    const owners = [
      (await shop.license(one, isIn("active"))).customer_id,
      (await shop.license(two, isIn("active"))).customer_id
    ]
    await shop.purchase(two, ({ payer, status }) => status === "done" && payer.email === one.email)
    assert.strictEqual(new Set(owners).size, 2)
    const rows = await database.query("SELECT email FROM customers WHERE id = ANY($1)", [owners])
    assert.deepStrictEqual(rows, [{ email: one.email }, { email: one.email }])
  })

  it("33. is the same one when an event comes again after more days than an Idempotency-Key is kept", async () => {
    const buy = sold()
    await shop.sendAll(buy.bought)
    const license = await shop.license(buy, isIn("active"))
    const { id } = await shop.purchase(buy, ({ payer, status }) => status === "done" && payer.email === buy.email)
    await eventually("there is no work for it", async () => {
      const events = await database.query("SELECT 1 FROM billing_events WHERE NOT is_routed")
      const work = await database.query("SELECT 1 FROM purchase_work WHERE purchase_id = $1", [id])
      return events.length + work.length === 0
    })
    const shown = await shop.purchase(buy)
    await database.query("DELETE FROM idempotency_keys")
    await database.query("UPDATE billing_events SET received_at = received_at - interval '4 days'")
    for (const event of buy.bought) {
      assert.deepStrictEqual((await shop.send(event)).body.data, { received: 0, repeated: 1 })
    }
    assert.deepStrictEqual(await shop.purchase(buy), shown)
    assert.deepStrictEqual(await licensesOf(buy.customer), [license.id])
  })

  it("34. in thin events is refused with the cure, which the provider shows to the vendor", async () => {
    const raw = JSON.stringify({ id: "evt_1", object: "v2.core.event", type: "v1.customer.created" })
    const refused = await post(service, shop.connection, raw, signatureOf.stripe(shop.secret, raw))
    assert.strictEqual(refused.body.error.detail, "thin_payload")
    assert.include(refused.body.error.message, "snapshot")
  })

  it("39. has no address until the event of its customer comes, and then has it", async () => {
    const buy = buyers.paddle(ago(600))
    const other = await openProviderShop(service, "paddle", buy.soldAs)
    const [created, ...others] = buy.bought
    await other.sendAll(others)
    const { customer_id } = await other.license(buy, isIn("active"))
    const before = await service.data("GET", `/api/v1/customers/${customer_id}`)
    assert.notProperty(before, "email")
    await other.sendAll([created!])
    await other.purchase(buy, ({ payer, status }) => status === "done" && payer.email === buy.email)
    assert.deepInclude(await service.data("GET", `/api/v1/customers/${customer_id}`), {
      email: buy.email,
      name: "Ada Lovelace"
    })
  })

  it("20. is one of Lemon Squeezy although its order comes long before its subscription, and nothing waits then", async () => {
    const buy = buyers.lemon_squeezy(ago(600))
    const other = await openProviderShop(service, "lemon_squeezy", buy.soldAs)
    const [order, ...others] = buy.bought
    await other.sendAll([order!])
    const list = () => service.data("GET", `/api/v1/billing/purchases?connection_id=${other.connection.id}`)
    await eventually("the order waits", async () => {
      const [waiting] = await list()
      return waiting?.holds[0]?.code === "awaits_subscription" || undefined
    })
    await other.sendAll(others)
    const all: ReadonlyArray<Body> = await eventually("nothing waits", async () => {
      const all = await list()
      return all.length === 2 && all.every(({ status }: Body) => status === "done") ? all : undefined
    })
    assert.deepStrictEqual(all.map(({ kind, licenses }) => [kind, licenses.length]).toSorted(), [
      ["order", 0],
      ["subscription", 1]
    ])
  })

  it("40. is told apart from its repeats where the provider gives them another ID, or none", async () => {
    const spring = buyers.fastspring(ago(600))
    const springShop = await openProviderShop(service, "fastspring", spring.soldAs)
    const [{ events: [, activated] }] = spring.bought as [Body]
    await springShop.sendAll([{ events: [activated] }])
    const resent = await springShop.send({ events: [{ ...activated, id: "by-hand" }] })
    assert.deepStrictEqual(resent.body.data, { received: 0, repeated: 1 })
    const lemon = buyers.lemon_squeezy(ago(600))
    const lemonShop = await openProviderShop(service, "lemon_squeezy", lemon.soldAs)
    await lemonShop.sendAll(lemon.bought)
    assert.deepStrictEqual((await lemonShop.send(lemon.bought[1]!)).body.data, { received: 0, repeated: 1 })
    await lemonShop.license(lemon, isIn("active"))
    // The order may have come alone, and waits for nothing any more once its subscription is there.
    const licenses = await eventually("nothing waits", async () => {
      const all = await service.data("GET", `/api/v1/billing/purchases?connection_id=${lemonShop.connection.id}`)
      return all.every(({ status }: Body) => status === "done") && all.flatMap(({ licenses }: Body) => licenses)
    })
    assert.strictEqual(licenses.length, 1)
  })
})
