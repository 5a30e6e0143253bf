import { assert, beforeAll, describe, it } from "@effect/vitest"
import { createHash, randomUUID } from "node:crypto"
import { buyers } from "../../fixtures/ProviderBuyers.ts"
import { openProviderShop } from "../../fixtures/ProviderShop.ts"
import type { Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import { eventually, session } from "../../fixtures/Session.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { openShop, paidOnce, sellWhatFails, signed, sold } from "../../fixtures/StripeShop.ts"

const day = 86_400

let service: Service
let database: Session
let shop: Awaited<ReturnType<typeof openShop>>

beforeAll(async () => {
  service = await startService()
  database = await session(service.databaseUrl)
  shop = await openShop(service)
})

/** The kinds of the events of a purchase in the feed. */
const told = async ({ id }: Body): Promise<ReadonlyArray<string>> =>
  (await service.feed(`&resource_id=${id}`)).map(({ event_type }) => event_type)

describe("a purchase at Stripe", () => {
  it("becomes a license of its customer, follows what happens to it, and is told with the provider's ids", async () => {
    const buy = sold()
    await shop.sendAll(buy.bought)
    const license = await shop.license(buy)
    assert.deepInclude(license, {
      status: "active",
      policy_id: shop.policy.id,
      follows_subscription: true,
      overrides: { max_activations: 5 }
    })
    const customer = await eventually("the address is known", async () => {
      const found = await service.data("GET", `/api/v1/customers/${license.customer_id}`)
      return found.email === buy.email ? found : undefined
    })
    assert.deepInclude(customer, { external_system: "stripe", external_id: buy.customer, name: "Ada Lovelace" })
    const purchase = await shop.purchase(buy)
    assert.strictEqual(license.names.purchase, purchase.id)
    assert.strictEqual(license.names.subscription.startsWith(buy.id), true)
    assert.deepStrictEqual(
      (await service.data("GET", `/api/v1/licenses?purchase_id=${purchase.id}`)).map(({ id }: Body) => id),
      [license.id]
    )

    await shop.send(buy.event("customer.subscription.updated", 60, { item: { quantity: 8 } }))
    await shop.license(buy, ({ overrides }) => overrides?.max_activations === 8)
    await shop.send(buy.event("customer.subscription.updated", 120, { status: "paused" }))
    await shop.license(buy, ({ status }) => status === "suspended")
    await shop.send(buy.event("customer.subscription.updated", 180))
    await shop.license(buy, ({ status }) => status === "active")
    const ended = buy.event("customer.subscription.deleted", 240, {
      status: "canceled",
      ended_at: Math.floor(Date.now() / 1000) - 60
    })
    await shop.send(ended)
    const over = await shop.license(buy, ({ status }) => status === "expired")
    assert.strictEqual(over.id, license.id)

    const story = await service.data("GET", `/api/v1/billing/purchases/${purchase.id}`)
    assert.strictEqual(story.state, "canceled")
    assert.includeMembers(story.events.map(({ id }: Body) => id), [ended.id, ...buy.bought.map(({ id }) => id)])
    assert.include(await told(purchase), "purchase.done")
  })

  it("is one license however often and in whatever order its events come", async () => {
    const buy = sold()
    const late = buy.event("customer.subscription.updated", 60, { item: { quantity: 9 } })
    const events = [late, ...buy.bought.toReversed(), ...buy.bought, late]
    for (const event of events) assert.strictEqual((await shop.send(event)).status, 200)
    const license = await shop.license(buy, ({ overrides }) => overrides?.max_activations === 9)
    const { body } = await shop.send(late)
    assert.deepStrictEqual(body.data, { received: 0, repeated: 1 })
    const found = await service.data("GET", `/api/v1/licenses?customer_id=${license.customer_id}`)
    assert.strictEqual(found.length, 1)
  })

  it("waits with its price, and becomes a license when the mapping comes", async () => {
    const buy = sold({ price: "price_new" })
    await shop.sendAll(buy.bought)
    const waiting = await shop.purchase(buy, ({ status }) => status === "waiting")
    assert.deepInclude(waiting.holds[0], { code: "unmapped", price: "price_new" })
    const unmapped = await service.data("GET", "/api/v1/billing/unmapped-prices")
    assert.deepInclude(unmapped.find(({ price }: Body) => price === "price_new"), { purchases: 1, provider: "stripe" })
    const prices = [...shop.prices, { by: "price", value: "price_new", policy_id: shop.policy.id }]
    await service.data("PATCH", `/api/v1/billing/connections/${shop.connection.id}`, { mapping: { prices } })
    assert.strictEqual((await shop.license(buy)).status, "active")
    assert.deepStrictEqual((await shop.purchase(buy)).holds, [])
  })

  it("that cannot be done says why, is tried again, and keeps no other one waiting", async () => {
    const { buy, failed, licenseId, mend } = await sellWhatFails(service, shop)
    assert.strictEqual(failed.failure.code, "VALIDATION_ERROR")
    assert.include(failed.failure.message, "overrides.duration")
    assert.isString(failed.next_attempt_at)
    const other = sold()
    await shop.sendAll(other.bought)
    await shop.license(other)
    await mend()
    await service.data("POST", `/api/v1/billing/purchases/${failed.id}/retry`)
    const license = await shop.license(buy, ({ status }) => status === "active")
    assert.deepInclude(license, { id: licenseId, follows_subscription: true })
    assert.includeMembers([...await told(failed)], ["purchase.failed", "purchase.done"])
  })
})

describe("a subscription that moves to another customer at Stripe", () => {
  it("waits for a decision about its license, and hands it over when that is said", async () => {
    const [buy, other] = [sold(), sold()]
    await shop.sendAll(buy.bought)
    const license = await shop.license(buy)
    await shop.send(buy.event("customer.subscription.updated", 60, { customer: other.customer }))
    const { customer_id, holds, id } = await shop.purchase(buy, ({ status }) => status === "waiting")
    assert.deepStrictEqual(holds.map(({ code }: Body) => code), ["owner_differs"])
    assert.include(holds[0].message, "/api/v1/billing/purchases/{id}/owner")
    assert.notStrictEqual(customer_id, license.customer_id, "the purchase is of who pays")
    assert.strictEqual((await shop.license(buy)).customer_id, license.customer_id, "the license is not")
    const path = `/api/v1/billing/purchases/${id}/owner`
    refused(await service.call("POST", path, { body: { owner: "nobody" } }), 422, "VALIDATION_ERROR")
    await service.data("POST", path, { owner: "follow", reason: "the company was bought" })
    await shop.license(buy, (found) => found.customer_id === customer_id)
    await shop.purchase(buy, ({ status }) => status === "done")
    refused(await service.call("POST", path, { body: { owner: "follow" } }), 409, "STATE_CONFLICT")
    const [told] = await service.feed(`&resource_id=${license.id}&event_type=license.transferred`)
    assert.strictEqual(told.metadata.previous_customer_id, license.customer_id)
  })
})

describe("a subscription whose ID another site of the vendor has given as well, in the same second", () => {
  const from = Math.floor(Date.now() / 1000) - day
  const buy = buyers.chargebee(from, undefined, false)
  /** What a site tells of it: who pays there, and when it began. */
  const toldBy = (email: string, events: ReadonlyArray<object> = buy.bought): ReadonlyArray<Body> =>
    events.map((event) =>
      JSON.parse(
        JSON.stringify(event, (name, value) => name === "subscription" ? { ...value, started_at: from } : value)
          .replaceAll(buy.email, email).replaceAll(/"(ev_[^"]*)"/g, `"$1_${email}"`)
      )
    )
  const openSite = (mapping?: (policy: Body) => Body) => openProviderShop(service, "chargebee", buy.soldAs, mapping)
  const waits = ({ holds, status }: Body) => status === "waiting" && holds[0].code === "sold_elsewhere"

  it("waits until somebody says that it is another purchase, and has a license of its own from then on", async () => {
    const one = await openSite()
    const two = await openSite(() => ({ prices: [] }))
    await one.sendAll(toldBy("ada@one.example"))
    const first = await one.license(buy)
    await one.purchase(buy)
    await two.sendAll(toldBy("bob@two.example"))
    const { holds, id, licenses } = await two.purchase(buy, waits)
    assert.deepStrictEqual(licenses, [])
    assert.include(holds[0].message, "/api/v1/billing/purchases/{id}/owner")
    const path = `/api/v1/billing/purchases/${id}/owner`

    // A key for another product, or for this one alone, does not decide what becomes of purchases.
    for (const product_id of [one.product.id, two.product.id]) {
      const { token } = await service.data("POST", "/api/v1/api-keys", {
        name: "Reseller",
        scopes: ["product:write", "license:write"],
        product_ids: [product_id]
      })
      assert.strictEqual((await service.call("POST", path, { token, body: { owner: "issue" } })).status, 403)
    }
    for (const owner of ["follow", "keep"]) {
      refused(await service.call("POST", path, { body: { owner } }), 409, "STATE_CONFLICT")
    }
    await service.data("POST", `/api/v1/billing/purchases/${id}/retry`)
    await two.purchase(buy, waits)

    // What was said holds while the purchase waits for something else.
    await service.data("POST", path, { owner: "issue", reason: "Two brands, one numbering" })
    await two.purchase(buy, ({ holds, status }) => status === "waiting" && holds[0].code === "unmapped")
    const { mapping } = one.connection
    const prices = [{ ...mapping.prices[0], policy_id: two.policy.id }]
    await service.data("PATCH", `/api/v1/billing/connections/${two.connection.id}`, { mapping: { prices } })
    const second = await two.license(buy)
    assert.deepInclude(second, { product_id: two.product.id, policy_id: two.policy.id, status: "active" })
    assert.notStrictEqual(second.customer_id, first.customer_id)
    refused(await service.call("POST", path, { body: { owner: "issue" } }), 409, "STATE_CONFLICT")
    assert.includeMembers([...await told({ id })], ["purchase.waiting", "purchase.done"])
    const done = await service.data("GET", "/api/v1/activities?limit=100")
    assert.include(done.map(({ action }: Body) => action), "purchase.owner_decided")

    // Each goes on with its own, and a further connection to one of the sites gets nothing.
    await two.sendAll(toldBy("bob@two.example", buy.seats(60, 8)))
    await two.license(buy, ({ overrides }) => overrides?.max_activations === 8)
    await service.data("POST", `/api/v1/billing/purchases/${(await one.purchase(buy)).id}/retry`)
    assert.deepInclude(await one.license(buy), { id: first.id, overrides: { max_activations: 5 } })
    assert.strictEqual((await one.purchase(buy)).status, "done")
    const thief = await openSite()
    await thief.sendAll(toldBy("thief@one.example"))
    assert.deepStrictEqual((await thief.purchase(buy, waits)).licenses, [])
  })
})

describe("a price that is mapped anew", () => {
  it("is for new purchases, and says how many were sold before; they follow when that is said", async () => {
    const sells = await openShop(service)
    const [path, buy] = [`/api/v1/billing/connections/${sells.connection.id}`, sold()]
    await sells.sendAll(buy.bought)
    await sells.license(buy)
    const other = await service.data("POST", `/api/v1/products/${sells.product.id}/policies`, {
      name: "Solo",
      code: randomUUID(),
      license_type: "subscription",
      follows_subscription: true
    })
    const mapping = { prices: [{ by: "price", value: "price_pro", policy_id: other.id, quantity: "seats" }] }
    const asked = await service.data("PATCH", path, { mapping, dry_run: true })
    assert.deepInclude(asked, { sold_otherwise: 1, mapping })
    assert.notProperty(await service.data("GET", path), "sold_otherwise")
    assert.deepStrictEqual((await service.data("GET", path)).mapping, sells.connection.mapping)
    assert.strictEqual((await service.data("PATCH", path, { mapping })).sold_otherwise, 1)
    await sells.send(buy.event("customer.subscription.updated", 60, { item: { quantity: 8 } }))
    const kept = await sells.license(buy, ({ overrides }) => overrides?.max_activations === 8)
    assert.strictEqual(kept.policy_id, sells.policy.id)
    await service.data("PATCH", path, { mapping, sold_before: "now" })
    const { id } = await sells.license(buy, ({ policy_id }) => policy_id === other.id)
    // A job that says otherwise than the purchase is told so beforehand.
    const unpaid = await service.issue()
    const { preview }: Body = await service.data("POST", "/api/v1/licenses/jobs", {
      action: "change_policy",
      change_policy: { policy_id: sells.policy.id },
      selection: { ids: [id, unpaid.license.id] },
      dry_run: true
    }, { headers: { "idempotency-key": randomUUID() } })
    assert.deepInclude(preview, { judged: 2, of_purchases: 1 })
  })
})

describe("a quantity of licenses", () => {
  it("is told with each further license, also where nothing else of the purchase is another", async () => {
    const sells = await openShop(service, ({ id }) => ({
      prices: [{ by: "price", value: "price_pro", policy_id: id, quantity: "licenses" }]
    }))
    const buy = sold({ quantity: 1 })
    await sells.sendAll(buy.bought)
    await sells.purchase(buy, ({ licenses, status }) => status === "done" && licenses.length === 1)
    await sells.send(buy.event("customer.subscription.updated", 60, { item: { quantity: 2 } }))
    const { id, licenses } = await sells.purchase(buy, (found) => found.licenses.length === 2)
    const last = (await service.feed(`&resource_id=${id}`)).at(-1)
    assert.sameMembers(last.data.license_ids, licenses.map(({ license_id }: Body) => license_id))
  })
})

describe("money that is given back", () => {
  it("ends the license of a subscription, and the license works again when the refund fails", async () => {
    const buy = sold()
    await shop.sendAll(buy.bought)
    const { id, subscription_id } = await shop.license(buy, ({ status }) => status === "active")
    const record = () => service.data("GET", `/api/v1/subscriptions/${subscription_id}`)
    await shop.send(buy.refund("refund.created", 60, "succeeded"))
    await shop.license(buy, ({ status }) => status === "expired")
    assert.property(await record(), "ended_at")
    await shop.send(buy.refund("refund.failed", 120, "failed"))
    assert.strictEqual((await shop.license(buy, ({ status }) => status === "active")).id, id)
    assert.notProperty(await record(), "ended_at")
  })

  it("ends an order and suspends its license, and neither is so when the refund fails", async () => {
    const { connection, product } = shop
    const policy = await service.data("POST", `/api/v1/products/${product.id}/policies`, {
      name: "For ever",
      code: "once",
      license_type: "perpetual"
    })
    const path = `/api/v1/billing/connections/${connection.id}`
    const { mapping } = await service.data("GET", path)
    const prices = [...mapping.prices, { by: "payment_link", value: "plink_once", policy_id: policy.id }]
    await service.data("PATCH", path, { mapping: { prices } })
    const buy = paidOnce("plink_once")
    await shop.send(buy.paid)
    const { id, order_id } = await shop.license(buy, ({ status }) => status === "active")
    const record = () => service.data("GET", `/api/v1/orders/${order_id}`)
    await shop.send(buy.refunded)
    await shop.license(buy, ({ status }) => status === "suspended")
    const refunded = await record()
    assert.strictEqual(refunded.status, "refunded")
    assert.property(refunded, "ended_at")
    await shop.send(buy.refundFailed)
    assert.strictEqual((await shop.license(buy, ({ status }) => status === "active")).id, id)
    const paid = await record()
    assert.strictEqual(paid.status, "paid")
    assert.notProperty(paid, "ended_at")
  })
})

describe("a customer who is erased", () => {
  it("stands in no event of a provider and in no purchase, and the purchase goes on", async () => {
    const buy = sold()
    await shop.sendAll(buy.bought)
    const { customer_id } = await shop.license(buy, ({ status }) => status === "active")
    await shop.purchase(buy, ({ payer, status }) => status === "done" && payer.email === buy.email)
    await service.data("POST", `/api/v1/customers/${customer_id}/erase`, {})
    for (const table of ["billing_events", "purchases", "customers"]) {
      const rows = await database.query(
        `SELECT 1 FROM ${table} t WHERE to_jsonb(t)::text LIKE $1
         OR convert_from(decode(substr(to_jsonb(t) ->> 'body', 3), 'hex'), 'UTF8') LIKE $1`,
        [`%${buy.email}%`]
      )
      assert.deepStrictEqual(rows, [], table)
    }
    await shop.send(buy.event("customer.subscription.updated", 60, { status: "paused" }))
    assert.strictEqual((await shop.license(buy, ({ status }) => status === "suspended")).customer_id, customer_id)
  })
})

describe("the inbox", () => {
  it("takes nothing that is not signed, and says why", async () => {
    const path = `/api/v1/billing/connections/${shop.connection.id}/events`
    const body = JSON.stringify({ id: "evt_1", object: "event" })
    const send = (headers: Readonly<Record<string, string>>, raw = body) =>
      service.call("POST", path, { token: null, raw, headers })
    const now = Math.floor(Date.now() / 1000)
    const cases = [
      [{}, "signature_missing"],
      [{ "stripe-signature": "v1=aa" }, "signature_malformed"],
      [{ "stripe-signature": signed("whsec_other", body) }, "signature_mismatch"],
      [{ "stripe-signature": signed(shop.secret, body, now - 400) }, "signature_too_old"]
    ] as const
    for (const [headers, detail] of cases) {
      const answer = await send(headers)
      refused(answer, 400, "INVALID_HEADER")
      assert.strictEqual(answer.body.error.detail, detail)
    }
    const thin = JSON.stringify({ id: "evt_1", object: "v2.core.event", type: "v1.customer.created" })
    const unread = await send({ "stripe-signature": signed(shop.secret, thin) }, thin)
    assert.strictEqual(unread.body.error.detail, "thin_payload")
    refused(
      await service.call("POST", "/api/v1/billing/connections/bcn_none/events", { token: null, raw: body }),
      404,
      "NOT_FOUND"
    )
  })

  it("keeps the bytes that were signed, and takes the old secret while it overlaps", async () => {
    const other = await openShop(service)
    await service.data("PATCH", `/api/v1/billing/connections/${other.connection.id}`, { secret: "whsec_the_next_one" })
    const raw =
      `{"id":"evt_bytes", "object":"event","type":"customer.updated","created":1,"data":{"object":{"id":"cus_bytes","n":"\u00fc"}}}`
    for (const secret of [other.secret, "whsec_the_next_one"]) {
      const { status } = await service.call("POST", `/api/v1/billing/connections/${other.connection.id}/events`, {
        token: null,
        raw,
        headers: { "stripe-signature": signed(secret, raw) }
      })
      assert.strictEqual(status, 200)
    }
    const [{ body }] = await database.query("SELECT body FROM billing_events WHERE event_id = 'evt_bytes'") as [Body]
    assert.strictEqual(createHash("sha256").update(body).digest("hex"), createHash("sha256").update(raw).digest("hex"))
  })

  it("keeps of what is about nothing that it knows no word", async () => {
    const about = randomUUID()
    const event = { id: `evt_${about}`, type: "identity.verified", created: 1_800_000_000, object: { note: about } }
    assert.strictEqual((await shop.send(event)).body.data.received, 1)
    assert.strictEqual((await shop.send(event)).body.data.repeated, 1)
    assert.deepStrictEqual(
      await database.query("SELECT body, facts FROM billing_events WHERE event_id = $1", [event.id]),
      [{ body: null, facts: [] }]
    )
  })

  it("turns 50 purchases at once into one license each", async () => {
    const many = Array.from({ length: 50 }, () => sold({ from: Math.floor(Date.now() / 1000) - day }))
    await Promise.all(many.map(({ bought }) => shop.sendAll(bought)))
    for (const buy of many) await shop.license(buy)
    const [{ count }] = await database.query(
      "SELECT count(*)::int AS count FROM licenses WHERE customer_id IN (SELECT id FROM customers WHERE external_id = ANY($1))",
      [many.map(({ customer }) => customer)]
    ) as [Body]
    assert.strictEqual(count, 50)
  })
})
