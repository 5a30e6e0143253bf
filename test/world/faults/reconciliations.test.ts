import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import type { ServerResponse } from "node:http"
import { apiKeys, providerApis } from "../../fixtures/ProviderApis.ts"
import { stand } from "../../fixtures/ProviderObjects.ts"
import { startService } from "../../fixtures/Service.ts"
import { eventually } from "../../fixtures/Session.ts"
import type { Body } from "../../fixtures/Session.ts"
import { holdsTransactions } from "../../fixtures/TransactionWatch.ts"

describe("a reconciliation", () => {
  it("goes on where its node was killed, and mends everything once", async () => {
    const apis = await providerApis()
    const service = await startService({ as: "program", environment: { COUNTERSIGN_PROVIDER_API_URL: apis.url } })
    await holdsTransactions(service.databaseUrl)
    const product = await service.data("POST", "/api/v1/products", { name: "Acme", code: randomUUID() })
    const policy = await service.data("POST", `/api/v1/products/${product.id}/policies`, {
      name: "Pro",
      code: "pro",
      license_type: "subscription",
      follows_subscription: true
    })
    const connection = await service.data("POST", "/api/v1/billing/connections", {
      provider: "stripe",
      name: "Stripe",
      api_key: apiKeys.stripe,
      mapping: { prices: [{ by: "price", value: "plan", policy_id: policy.id, quantity: "seats" }] }
    })
    const ids = ["1001", "1002", "1003", "1004", "1005", "1006"]
    for (const id of ids) stand(apis, "stripe", { id, quantity: 2, changed: Math.floor(Date.now() / 1000) - 3600 })

    // The third page stands at a gate, and its node ends there.
    const third = (path: string) => path.includes("/subscriptions?") && path.includes("starting_after=1004")
    const held: Array<ServerResponse> = []
    apis.respond = (path, response) => third(path) && held.push(response) > 0
    const { id } = await service.data("POST", `/api/v1/billing/connections/${connection.id}/reconcile`, {})
    await eventually("the third page is asked for", () => Promise.resolve(held.length > 0 || undefined))
    await service.kill("SIGKILL")
    for (const response of held) response.destroy()
    apis.respond = () => false
    apis.asked.length = 0
    await service.start()

    const over = await eventually("it is over", async () => {
      const found = await service.data("GET", `/api/v1/billing/reconciliations/${id}`)
      return found.status === "done" ? found : undefined
    })
    assert.deepStrictEqual(
      over.findings.map(({ external_id, finding }: Body) => `${finding} ${external_id}`),
      ids.map((id) => `missing ${id}`)
    )
    assert.isTrue(third(apis.asked.find((path) => path.includes("/v1/subscriptions?"))!), apis.asked.join("\n"))
    for (const id of ids) {
      await eventually(`the purchase ${id} is one license`, async () => {
        const [purchase] = await service.data("GET", `/api/v1/billing/purchases?external_id=${id}`)
        return purchase?.status === "done" && purchase.licenses.length === 1 || undefined
      })
    }
  })
})
