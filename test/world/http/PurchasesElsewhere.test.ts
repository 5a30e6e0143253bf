import { assert, beforeAll, describe, it } from "@effect/vitest"
import { buyers } from "../../fixtures/ProviderBuyers.ts"
import { openProviderShop } from "../../fixtures/ProviderShop.ts"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

let service: Service

beforeAll(async () => {
  service = await startService()
})

const ago = (seconds: number): number => Math.floor(Date.now() / 1000) - seconds

const isIn = (status: string) => (license: Body) => license.status === status

describe("a subscription at", () => {
  it.each(["paddle", "lemon_squeezy", "fastspring", "chargebee"] as const)(
    "%s becomes a license, follows seats, a declined card and a refund, and comes back with its key and devices",
    async (provider) => {
      const from = ago(3600)
      const buy = buyers[provider](from)
      const shop = await openProviderShop(service, provider, buy.soldAs)

      await shop.sendAll(buy.bought)
      const license = await shop.license(buy, isIn("active"))
      assert.deepInclude(license, { policy_id: shop.policy.id, overrides: { max_activations: 5 } })
      const customer = await service.data("GET", `/api/v1/customers/${license.customer_id}`)
      assert.deepInclude(customer, { external_system: provider, external_id: buy.customer, email: buy.email })
      const rotated = await service.data("POST", `/api/v1/licenses/${license.id}/rotate-key`, {})
      const key: string = rotated.license_key
      const fingerprint = `device-of-${buy.id}`
      assert.strictEqual((await service.license("activate", key, { fingerprint })).status, 200)

      await shop.sendAll(buy.seats(60, 8))
      await shop.license(buy, ({ overrides }) => overrides?.max_activations === 8)

      await shop.sendAll(buy.declined(1800))
      const unpaid = await shop.license(buy, isIn("grace_period"))
      assert.strictEqual(Date.parse(unpaid.expires_at) / 1000, from + 1800, "grace counts from the unpaid period on")
      if (buy.stopped !== undefined) {
        await shop.sendAll(buy.stopped(2400))
        await shop.license(buy, isIn("suspended"))
      }
      await shop.sendAll(buy.paid(2700))
      await shop.license(buy, isIn("active"))
      await shop.sendAll(buy.refunded(3000))
      const over = await shop.license(buy, isIn("expired"))
      assert.strictEqual(over.id, license.id)

      const again = buyers[provider](ago(300), buy.customer)
      await shop.sendAll(again.bought)
      const revived = await shop.license(again, isIn("active"))
      assert.strictEqual(revived.id, license.id)
      assert.strictEqual(revived.customer_id, license.customer_id)
      const validated = await service.license("validate", key, { fingerprint })
      assert.strictEqual(validated.status, 200, validated.text)

      // The end of the first subscription comes late, and reaches nothing that is of the second.
      await shop.sendAll(buy.ended(3100))
      await shop.purchase(buy, ({ state, status }) => status === "done" && state === "canceled")
      assert.strictEqual((await shop.license(again)).status, "active")
      const found = await service.data("GET", `/api/v1/licenses?customer_id=${license.customer_id}`)
      assert.deepStrictEqual(found.map(({ id }: Body) => id), [license.id])
    }
  )
})
