// What was sold before a connection: its licenses are taken over, and nobody who has one gets a second.
import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { apiKeys, providerApis } from "../../fixtures/ProviderApis.ts"
import { stand } from "../../fixtures/ProviderObjects.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import { eventually } from "../../fixtures/Session.ts"
import type { Body } from "../../fixtures/Session.ts"
import { someOf, takeTurns } from "../../fixtures/Share.ts"
import { openShop, paidOnce } from "../../fixtures/StripeShop.ts"

takeTurns()

const apis = await providerApis()
const service = await startService({ environment: { COUNTERSIGN_PROVIDER_API_URL: apis.url } })
const now = Math.floor(Date.now() / 1000)

const command = (...args: ReadonlyArray<string>) =>
  runCommand(args, { COUNTERSIGN_URL: service.url, COUNTERSIGN_TOKEN: adminToken })

let made = 7000

/** A vendor who sells already: a product, and customers whose licenses a program of the vendor has issued. */
const vendor = async (provider: "stripe" | "paddle" | "lemon_squeezy" | "fastspring" | "chargebee") => {
  apis.has[provider] = {}
  const product = await service.data("POST", "/api/v1/products", { name: "Acme", code: randomUUID() })
  const policy = await service.data("POST", `/api/v1/products/${product.id}/policies`, {
    name: "Pro",
    code: "pro",
    license_type: "subscription",
    follows_subscription: true,
    max_activations: 1
  })
  const connection = await service.data("POST", "/api/v1/billing/connections", {
    provider,
    name: provider,
    api_key: apiKeys[provider],
    mapping: {
      prices: [{
        by: provider === "lemon_squeezy" ? "variant" : provider === "fastspring" ? "product" : "price",
        value: "plan",
        policy_id: policy.id
      }]
    }
  })
  /** Somebody who has bought at the provider. */
  const bought = (): string => {
    const id = String(++made)
    stand(apis, provider, { id, quantity: 1, changed: now - 3600 })
    return id
  }
  const license = async (more: Body): Promise<string> => {
    const { license: { id } } = await service.data("POST", "/api/v1/licenses", {
      product_id: product.id,
      policy_id: policy.id,
      ...more
    })
    return id
  }
  /** A license as the vendor's program has issued it: of the subscription. */
  const mirrored = async (id: string): Promise<string> => {
    const { id: subscription_id } = await service.data("POST", `/api/v1/products/${product.id}/subscriptions`, {
      external_system: provider,
      external_id: id,
      status: "active",
      current_period_start: "2026-01-01T00:00:00Z",
      current_period_end: "2099-01-01T00:00:00Z"
    })
    return license({ subscription_id })
  }
  const licenses = () => service.data("GET", `/api/v1/licenses?product_id=${product.id}&limit=100`)
  return { bought, connection, license, licenses, mirrored, policy, product }
}

const lineOf = (output: string, id: string): string =>
  output.split("\n").find((line) => line.startsWith(`${id} `)) ?? assert.fail(`no line of ${id} in ${output}`)

describe.each(
  someOf(
    "providers that are adopted from",
    ["stripe", "paddle", "lemon_squeezy", "fastspring", "chargebee"] as const,
    2
  )
)(
  "countersign purchases adopt, of %s",
  (provider) => {
    it("lists what would be taken over, issued and doubled, and then adopts it, and nobody has two", async () => {
      const { bought, connection, license, licenses, mirrored } = await vendor(provider)
      const [moved, fresh, twice] = [bought(), bought(), bought()]
      const taken = await mirrored(moved)
      const other = await license({
        customer_email: `${twice}@EXAMPLE.com`,
        follows_subscription: false,
        expires_at: "2099-01-01T00:00:00Z"
      })

      const dry = await command("purchases", "adopt", connection.id, "--dry-run")
      assert.strictEqual(dry.status, 1, dry.errors)
      assert.match(lineOf(dry.output, moved), new RegExp(`takes over +${taken}`))
      assert.match(lineOf(dry.output, fresh), /new license *$/)
      assert.match(lineOf(dry.output, twice), new RegExp(`doubled +${other}`))
      assert.include(
        dry.output,
        "3 purchases not known here. 1 would take over a license, and 1 get a new one. 1 would double one."
      )
      assert.lengthOf(await service.data("GET", `/api/v1/billing/purchases?connection_id=${connection.id}`), 0)

      const refused = await command("purchases", "adopt", connection.id)
      assert.strictEqual(refused.status, 1)
      assert.include(refused.errors, "No purchase was adopted")
      assert.lengthOf(await licenses(), 2)

      const { id: subscription_id } = await service.data(
        "POST",
        `/api/v1/products/${(await service.data("GET", `/api/v1/licenses/${other}`)).product_id}/subscriptions`,
        {
          external_system: provider,
          external_id: twice,
          status: "active",
          current_period_start: "2026-01-01T00:00:00Z",
          current_period_end: "2099-01-01T00:00:00Z"
        }
      )
      await service.data("PATCH", `/api/v1/licenses/${other}`, { subscription_id })
      const adopted = await command("purchases", "adopt", connection.id)
      assert.strictEqual(adopted.status, 0, adopted.errors + adopted.output)
      const held = await eventually("the purchases have their licenses", async () => {
        const purchases = await service.data("GET", `/api/v1/billing/purchases?connection_id=${connection.id}`)
        return purchases.length === 3 && purchases.every(({ status }: Body) => status === "done")
          ? purchases
          : undefined
      })
      const of = (id: string) =>
        held.find(({ external_id }: Body) => external_id === id).licenses.map(({ license_id }: Body) => license_id)
      assert.deepStrictEqual([of(moved), of(twice)], [[taken], [other]])
      assert.lengthOf(await licenses(), 3)
    })
  }
)

describe("countersign purchases adopt", () => {
  it("says what a purchase would wait for, and prints it for programs", async () => {
    const { bought, connection } = await vendor("stripe")
    const id = bought()
    await service.data("PATCH", `/api/v1/billing/connections/${connection.id}`, { mapping: { prices: [] } })
    const { output, status } = await command("purchases", "adopt", connection.id, "--dry-run", "--json")
    assert.strictEqual(status, 1)
    const { findings, foreseen } = JSON.parse(output)
    assert.deepInclude(foreseen, { waits: 1, issues: 0, doubles: 0 })
    assert.deepInclude(findings[0], { external_id: id, finding: "missing" })
    assert.deepInclude(findings[0].foreseen, { outcome: "waits", issued: 0, license_ids: [] })
    assert.deepStrictEqual(findings[0].foreseen.holds.map(({ code }: Body) => code), ["unmapped"])
  })

  it("ends with the reason where the connection has no API key", async () => {
    const { id } = await service.data("POST", "/api/v1/billing/connections", { provider: "paddle", name: "Paddle" })
    const { errors, status } = await command("purchases", "adopt", id, "--dry-run")
    assert.strictEqual(status, 1)
    assert.include(errors, "API key")
  })
})

describe("a license that a vendor's own program issued for a one-time purchase", () => {
  it("is taken over at the first event of it, and its money back suspends it", async () => {
    const shop = await openShop(service)
    const { id: policy_id } = await service.data("POST", `/api/v1/products/${shop.product.id}/policies`, {
      name: "Once",
      code: "once",
      license_type: "perpetual"
    })
    await service.data("PATCH", `/api/v1/billing/connections/${shop.connection.id}`, {
      mapping: { prices: [{ by: "payment_link", value: "plink_once", policy_id }] }
    })
    const buy = paidOnce("plink_once")
    const { id: order_id } = await service.data("POST", `/api/v1/products/${shop.product.id}/orders`, {
      external_system: "stripe",
      external_id: buy.id,
      status: "paid"
    })
    const { license } = await service.data("POST", "/api/v1/licenses", {
      product_id: shop.product.id,
      policy_id,
      order_id
    })
    await shop.sendAll([buy.paid])
    const purchase = await shop.purchase(buy, ({ status }: Body) => status === "done")
    assert.deepStrictEqual(purchase.licenses.map(({ license_id }: Body) => license_id), [license.id])
    assert.lengthOf(await service.data("GET", `/api/v1/licenses?product_id=${shop.product.id}`), 1)
    await shop.sendAll([buy.refunded])
    await eventually("the license is suspended", async () => {
      const { status } = await service.data("GET", `/api/v1/licenses/${license.id}`)
      return status === "suspended"
    })
  })
})

describe("units of payments from before a connection", () => {
  it("are not given again, unless their entry says since when, and the dry run says which would be", async () => {
    const { bought, connection, licenses, policy, product } = await vendor("stripe")
    const below = `/api/v1/products/${product["id"]}`
    const feature = await service.data("POST", `${below}/features`, { name: "Rendering", code: "render" })
    await service.data("POST", `${below}/policies/${policy["id"]}/features`, {
      feature_id: feature.id,
      max_consumptions: 0
    })
    const sell = (more: object = {}) =>
      service.data("PATCH", `/api/v1/billing/connections/${connection["id"]}`, {
        mapping: {
          prices: [{ by: "price", value: "plan", policy_id: policy["id"] }],
          units: [{ by: "price", value: "plan", feature_id: feature.id, amount: 100, ...more }]
        }
      })
    const grants = async () => {
      const all: ReadonlyArray<Body> = await licenses()
      return Promise.all(all.map(({ id }) => service.data("GET", `/api/v1/licenses/${id}/grants`)))
    }
    await sell()
    const before = bought()
    const dry = await command("purchases", "adopt", connection["id"], "--dry-run")
    assert.notInclude(lineOf(dry.output, before), "units")
    assert.strictEqual((await command("purchases", "adopt", connection["id"])).status, 0)
    const given = await eventually("the license is there", async () => {
      const found = await grants()
      return found.length === 0 ? undefined : found
    })
    assert.deepStrictEqual(given, [[]])

    await sell({ since: "2020-01-01T00:00:00Z" })
    const asked = bought()
    const told = await command("purchases", "adopt", connection["id"], "--dry-run")
    assert.include(lineOf(told.output, asked), `100 units of ${feature.id} for the license`)
    assert.strictEqual((await command("purchases", "adopt", connection["id"])).status, 0)
    await eventually("the units are given", async () => (await grants()).flat().length > 0 ? true : undefined)
  })
})
