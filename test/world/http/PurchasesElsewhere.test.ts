import { assert, beforeAll, describe, it } from "@effect/vitest"
import { buyers } from "../../fixtures/ProviderBuyers.ts"
import { openProviderShop } from "../../fixtures/ProviderShop.ts"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { someOf } from "../../fixtures/Share.ts"
import { inTestOf, testDatabaseOf } from "../../fixtures/TestEnvironment.ts"

let service: Service

beforeAll(async () => {
  const live = await startService()
  service = inTestOf(live, testDatabaseOf(live))
})

const month = 30 * 86_400

/** When the next story begins, in Unix seconds: the clock of the test environment only goes forward. */
let next = Math.floor(Date.now() / 1000) + 60

const moveTo = (at: number): Promise<Body> =>
  service.data("PUT", "/api/v1/environment/clock", { now: new Date(at * 1000).toISOString() })

const isIn = (status: string) => (license: Body) => license.status === status

describe("a subscription at", () => {
  it.each(someOf("providers of purchases", ["paddle", "lemon_squeezy", "fastspring", "chargebee"] as const, 2))(
    "%s becomes a license, follows seats, a declined card and a refund, and comes back with its key and devices",
    async (provider) => {
      const from = next
      next += 3 * month
      await moveTo(from)
      const buy = buyers[provider](from, undefined, false)
      const shop = await openProviderShop(service, provider, buy.soldAs)
      const happens = async (at: number, bodies: ReadonlyArray<object>) => {
        await moveTo(from + at + 10)
        await shop.sendAll(bodies)
      }

      await happens(0, buy.bought)
      const license = await shop.license(buy, isIn("active"))
      assert.deepInclude(license, { policy_id: shop.policy.id, overrides: { max_activations: 5 } })
      const customer = await service.data("GET", `/api/v1/customers/${license.customer_id}`)
      assert.deepInclude(customer, { external_system: provider, external_id: buy.customer, email: buy.email })
      const rotated = await service.data("POST", `/api/v1/licenses/${license.id}/rotate-key`, {})
      const key: string = rotated.license_key
      const fingerprint = `device-of-${buy.id}`
      assert.strictEqual((await service.license("activate", key, { fingerprint })).status, 200)

      await happens(60, buy.seats(60, 8))
      await shop.license(buy, ({ overrides }) => overrides?.max_activations === 8)

      await happens(month, buy.declined(month))
      const unpaid = await shop.license(buy, isIn("grace_period"))
      assert.strictEqual(Date.parse(unpaid.expires_at) / 1000, from + month, "grace counts from the unpaid period on")
      if (buy.stopped !== undefined) {
        await happens(month + 600, buy.stopped(month + 600))
        await shop.license(buy, isIn("suspended"))
      }
      await happens(month + 900, buy.paid(month + 900))
      await shop.license(buy, isIn("active"))
      await happens(month + 1200, buy.refunded(month + 1200))
      const over = await shop.license(buy, isIn("expired"))
      assert.strictEqual(over.id, license.id)

      const again = buyers[provider](from + month + 2000, buy.customer, false)
      await happens(month + 2000, again.bought)
      const revived = await shop.license(again, isIn("active"))
      assert.strictEqual(revived.id, license.id)
      assert.strictEqual(revived.customer_id, license.customer_id)
      const validated = await service.license("validate", key, { fingerprint })
      assert.strictEqual(validated.status, 200, validated.text)

      // The end of the first subscription comes late, and reaches nothing that is of the second.
      await shop.sendAll(buy.ended(month + 1300))
      await shop.purchase(buy, ({ state, status }) => status === "done" && state === "canceled")
      assert.strictEqual((await shop.license(again)).status, "active")
      const found = await service.data("GET", `/api/v1/licenses?customer_id=${license.customer_id}`)
      assert.deepStrictEqual(found.map(({ id }: Body) => id), [license.id])
    }
  )
})
