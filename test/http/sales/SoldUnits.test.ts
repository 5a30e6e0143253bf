// Units of a feature that are sold: by a license's own price, in packs, to a license or to its customer.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import type { Provider } from "../../../src/domain/sales/providers/Provider.ts"
import { buyers } from "../../fixtures/ProviderBuyers.ts"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { someOf } from "../../fixtures/Share.ts"
import { bodyOf, paidOnce, sold } from "../../fixtures/StripeShop.ts"
import { openUnitShop } from "../../fixtures/UnitShop.ts"

const day = 86_400
const month = 30 * day

let service: Service

beforeAll(async () => {
  service = await startService()
})

const written = bodyOf(true)

/** What follows of each grant, as far as a test compares it. */
const shown = (grants: ReadonlyArray<Body>) =>
  grants.map(({ amount, remaining, revoked_at, source }) => ({
    amount,
    remaining,
    source,
    taken: revoked_at !== undefined
  }))

const pack = { by: "payment_link", value: "plink_pack", amount: 100 }

/** The shop of Stripe, a customer who has a license there, and packs of 100 units. */
const stripeShop = async (entry: object = pack) => {
  const shop = await openUnitShop(service, "stripe", "price_pro", [entry])
  const buy = sold()
  await shop.sendAll(buy.bought.map(written))
  const license = await shop.license(buy, ({ status }) => status === "active")
  const buyPack = (more: Body = {}) => paidOnce("plink_pack", { customer: buy.customer, ...more })
  return { buy, buyPack, license, shop }
}

describe("a subscription whose price sells a license and units", () => {
  it.each(
    someOf<Exclude<Provider, "stripe">>("sellers of units", ["paddle", "lemon_squeezy", "fastspring", "chargebee"], 2)
  )(
    "at %s gives the license its units with each payment, and takes back those of a refund",
    async (provider) => {
      const buy = buyers[provider](Math.floor(Date.now() / 1000) - month - 2 * day)
      const shop = await openUnitShop(service, provider, buy.soldAs, [{ value: buy.soldAs, amount: 100 }])
      await shop.sendAll(buy.bought)
      const license = await shop.license(buy)
      const first = await shop.grants(license, (grants) => grants.length === 1)
      assert.deepStrictEqual(shown(first), [{ amount: 500, remaining: 500, source: "purchase", taken: false }])
      await shop.sendAll([...buy.declined(month), ...buy.paid(month + 900)])
      const [, second] = await shop.grants(license, (grants) => grants.length === 2)
      assert.strictEqual(second!["remaining"], second!["amount"])
      const refunded = buy.refunded(month + 1200)
      await shop.sendAll([...refunded, ...buy.bought, ...refunded])
      const all = await shop.grants(license, ([, last]) => last?.["revoked_at"] !== undefined)
      assert.deepStrictEqual(shown(all).map(({ remaining, taken }) => [remaining, taken]), [[500, false], [0, true]])
      const { units } = await shop.purchase(buy, ({ units }) => units?.length === 2)
      assert.deepStrictEqual(
        units.map(({ feature_code, license_id, revoked = false }: Body) => [feature_code, license_id, revoked]),
        [["render", license.id, false], ["render", license.id, true]]
      )
    }
  )

  it("at Stripe gives them with the end of the period that is paid for, where the mapping says so", async () => {
    const { buy, license, shop } = await stripeShop({ value: "price_pro", amount: 100, ends_with_period: true })
    const [grant] = await shop.grants(license, (grants) => grants.length === 1)
    assert.deepInclude(grant, { amount: 500, remaining: 500, expires_at: license.expires_at })
    assert.include(grant!["reference"], "invoice/")
    const events = await service.feed(`&resource_id=${license.id}`)
    const given = events.find(({ event_type }) => event_type === "license.grant_given")
    const purchase = await shop.purchase(buy)
    assert.include(given!["metadata"]["reason_given"], purchase.id, "the event names the purchase")
    assert.deepStrictEqual(purchase.units.map(({ grant_id }: Body) => grant_id), [grant!["id"]])
  })
})

describe("a pack of units", () => {
  it("goes to the one license of the customer, whoever is told of it how often; a refund leaves what is used", async () => {
    const { buyPack, license, shop } = await stripeShop()
    const bought = buyPack()
    await shop.sendAll([bought.paid, bought.paid].map(written))
    const [grant] = await shop.grants(license, (grants) => grants.length === 1)
    assert.deepInclude(grant, { amount: 100, remaining: 100 })
    await shop.use(license, 30)
    await shop.send(written(bought.refunded))
    const [taken] = await shop.grants(license, ([first]) => first?.["revoked_at"] !== undefined)
    assert.deepInclude(taken, { amount: 100, used: 30, remaining: 0 })
    // The refund fails in the end: what was taken is given again.
    await shop.send(written(bought.refundFailed))
    const both = await shop.grants(license, (grants) => grants.length === 2)
    assert.deepStrictEqual(shown(both).map(({ amount, remaining }) => [amount, remaining]), [[100, 0], [70, 70]])
    const { created } = bought.refundFailed
    await shop.send(written({ ...bought.refunded, id: `${bought.refunded.id}_again`, created: created + 60 }))
    await shop.grants(license, (grants) => grants.every(({ remaining }) => remaining === 0))
    await shop.sendAll([bought.paid, bought.refunded, bought.refundFailed].map(written))
    const { units } = await shop.purchase(bought)
    assert.deepStrictEqual(units.map(({ revoked }: Body) => revoked), [true, true])
    assert.lengthOf(await shop.grantsOf(license), 2)
  })

  it("is of one more purchase at another connection to the same account, and is given once", async () => {
    const { buyPack, license, shop } = await stripeShop()
    const other = await openUnitShop(service, "stripe", "price_other", [{ ...pack, feature_id: shop.feature["id"] }])
    const bought = buyPack()
    await Promise.all([shop.send(written(bought.paid)), other.send(written(bought.paid))])
    await shop.purchase(bought)
    await other.purchase(bought)
    assert.lengthOf(await shop.grantsOf(license), 1)
  })

  it("waits for a license, and goes to it once it is there", async () => {
    const shop = await openUnitShop(service, "stripe", "price_pro", [pack])
    const buy = sold()
    const bought = paidOnce("plink_pack", { customer: buy.customer })
    await shop.send(written(bought.paid))
    const { holds } = await shop.purchase(bought, ({ status }) => status === "waiting")
    assert.deepStrictEqual(holds.map(({ code }: Body) => code), ["units_no_license"])
    await shop.sendAll(buy.bought.map(written))
    const license = await shop.license(buy)
    assert.deepStrictEqual(shown(await shop.grants(license, (grants) => grants.length === 1)), [
      { amount: 100, remaining: 100, source: "purchase", taken: false }
    ])
    assert.deepStrictEqual((await shop.purchase(bought)).holds, [])
  })

  it("goes to the license that the buyer names, and waits where there are several or the named one is not", async () => {
    const { buy, buyPack, license, shop } = await stripeShop()
    const second = sold({ customer: buy.customer })
    await shop.sendAll(second.bought.map(written))
    await shop.license(second)
    const holdsOf = async (bought: ReturnType<typeof buyPack>) => {
      await shop.send(written(bought.paid))
      const { holds } = await shop.purchase(bought, ({ status }) => status === "waiting")
      return holds.map(({ code }: Body) => code)
    }
    assert.deepStrictEqual(await holdsOf(buyPack()), ["units_several_licenses"])
    assert.deepStrictEqual(await holdsOf(buyPack({ metadata: { license_id: "lic_none" } })), ["units_unknown_license"])
    const bought = buyPack({ metadata: { license_id: license.id } })
    await shop.send(written(bought.paid))
    await shop.purchase(bought)
    assert.lengthOf(await shop.grantsOf(license), 1)
  })

  it("is the customer's pool where the entry says so", async () => {
    const { buyPack, license, shop } = await stripeShop({ ...pack, to: "customer", expires_after: "P1Y" })
    const bought = buyPack()
    await shop.send(written(bought.paid))
    const { units } = await shop.purchase(bought)
    assert.deepStrictEqual(units.map(({ customer_id }: Body) => customer_id), [license.customer_id])
    const path = `/api/v1/customers/${license.customer_id}/pools`
    const [pool] = await service.data("GET", path)
    assert.deepInclude(pool, { id: units[0].grant_id, amount: 100, remaining: 100 })
    assert.isString(pool.expires_at)
    await shop.send(written(bought.refunded))
    await shop.purchase(bought, ({ units }) => units?.[0].revoked === true)
    assert.strictEqual((await service.data("GET", path))[0].remaining, 0)
  })

  it("that cannot be given says why", async () => {
    const { buyPack, shop } = await stripeShop()
    await service.data(
      "DELETE",
      `/api/v1/products/${shop.product.id}/policies/${shop.policy.id}/features/${shop.feature["id"]}`
    )
    const bought = buyPack()
    await shop.send(written(bought.paid))
    const { holds } = await shop.purchase(bought, ({ status }) => status === "waiting")
    assert.deepInclude(holds[0], { code: "units_refused" })
    assert.include(holds[0].message, "does not have this feature")
  })
})

describe("an entry of units", () => {
  it("says from when payments give them, and keeps that when the mapping changes", async () => {
    const { license, shop } = await stripeShop({ ...pack, since: undefined })
    const path = `/api/v1/billing/connections/${shop.connection.id}`
    const [entry] = (await service.data("GET", path)).mapping.units
    assert.closeTo(Date.parse(entry.since), Date.now(), 60_000)
    await shop.sell([{ ...pack, amount: 200, since: undefined }])
    const [later] = (await service.data("GET", path)).mapping.units
    assert.deepStrictEqual([later.amount, later.since], [200, entry.since])
    // It was paid ten minutes ago, before the entry.
    const { customer } = sold()
    const bought = paidOnce("plink_pack", { customer, metadata: { license_id: license.id } })
    await shop.send(written(bought.paid))
    assert.strictEqual((await shop.purchase(bought)).units, undefined)
    assert.deepStrictEqual(await shop.grantsOf(license), [])
  })

  it("gives what had waited for it", async () => {
    const { buyPack, license, shop } = await stripeShop({ ...pack, value: "plink_other" })
    const bought = buyPack({
      payment_link: "plink_late",
      line_items: { data: [{ price: { id: "price_late", product: "p" }, quantity: 2 }] }
    })
    await shop.send(written(bought.paid))
    await shop.purchase(bought, ({ status }) => status === "waiting")
    await shop.sell([{ by: "price", value: "price_late", amount: 50, since: undefined }])
    assert.deepStrictEqual(
      shown(await shop.grants(license, (grants) => grants.length === 1)).map(({ amount }) => amount),
      [100]
    )
  })

  it("is refused where its feature is none, or measures an amount", async () => {
    const { shop } = await stripeShop()
    const answer = await service.call("PATCH", `/api/v1/billing/connections/${shop.connection.id}`, {
      body: { mapping: { prices: [], units: [{ ...pack, feature_id: "feat_none" }] } }
    })
    assert.strictEqual(answer.status, 422, answer.text)
    assert.include(answer.text, "mapping.units.0.feature_id")
  })
})
