// The way to renew a license on its page of the portal, by what its subscription will do.
import { assert, it } from "@effect/vitest"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

it("is offered once the subscription was canceled or waits for a payment, and not while it renews by itself", async () => {
  const service = await startService({ environment: { COUNTERSIGN_PORTAL: "on" } })
  await service.data("PATCH", "/api/v1/settings", { renewal_url: "https://acme.example/renew" })
  const { key, license } = await service.issue()
  const subscription: Body = await service.data("POST", `/api/v1/products/${license.product_id}/subscriptions`, {
    external_system: "shop",
    external_id: "sub-1",
    status: "active",
    current_period_start: "2026-01-01T00:00:00Z",
    current_period_end: "2999-01-01T00:00:00Z"
  })
  await service.data("PATCH", `/api/v1/licenses/${license.id}`, {
    subscription_id: subscription.id,
    follows_subscription: true
  })
  const entered = await fetch(`${service.url}/portal/sign-in`, {
    method: "POST",
    redirect: "manual",
    headers: { "sec-fetch-site": "same-origin" },
    body: new URLSearchParams({ license_key: key })
  })
  const cookie = entered.headers.get("set-cookie")!.split(";")[0]!
  const isOffered = async (change: object) => {
    await service.data("PATCH", `/api/v1/subscriptions/${subscription.id}`, change)
    const page = await fetch(`${service.url}/portal/licenses/${license.id}`, { headers: { cookie } })
    assert.strictEqual(page.status, 200)
    return (await page.text()).includes(`href="https://acme.example/renew"`)
  }
  assert.isFalse(await isOffered({ cancel_at_period_end: false }))
  assert.isTrue(await isOffered({ cancel_at_period_end: true }))
  assert.isFalse(await isOffered({ cancel_at_period_end: false }))
  assert.isTrue(await isOffered({ status: "past_due" }))
})
