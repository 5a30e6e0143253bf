import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { startService } from "../../../fixtures/Service.ts"
import type { Body } from "../../../fixtures/Session.ts"
import { eventually } from "../../../fixtures/Session.ts"

const service = await startService()
const base = "/api/v1/reports/exports"

const exported = async (format: string, report_kind: string, filters: object): Promise<Body> => {
  const { id } = await service.data("POST", base, { report_kind, format, filters })
  return eventually("the export is ready", async () => {
    const record = await service.data("GET", `${base}/${id}`)
    return record.status === "ready" ? record : undefined
  })
}

const presentationOf = async ({ id }: Body): Promise<Body> =>
  (await service.call("GET", `${base}/${id}/snapshot`)).body.presentation

describe("documents for people", () => {
  it("name what their rows and their subject give ids of, and expire when a customer they name is erased", async () => {
    const customer = await service.data("POST", "/api/v1/customers", { name: "Köln GmbH", code: "koeln" })
    const { key, license, policy, product } = await service.issue({ license: { customer_id: customer.id } })
    const other = await service.issue()
    const feature = await service.data("POST", `/api/v1/products/${product.id}/features`, { name: "Use", code: "use" })
    await service.data("POST", `/api/v1/licenses/${license.id}/features`, { feature_id: feature.id })
    const fingerprint = randomUUID()
    await service.license("activate", key, { fingerprint })
    const use = { fingerprint, feature_code: "use", amount: 1, event_id: "use-1" }
    assert.strictEqual((await service.license("consume", key, use)).status, 200)
    const { api_key, token } = await service.data("POST", "/api/v1/api-keys", {
      name: "Billing",
      scopes: ["license:write"]
    })
    await service.data("PATCH", `/api/v1/licenses/${license.id}`, { metadata: { seen: true } }, { token })

    // The ledger has a use once it has its place in the feed.
    await service.feed()
    const nameOfKey = `${license.license_key_prefix}…${license.license_key_last4}`
    const [ledger, audit, rows] = await Promise.all([
      exported("pdf", "usage-ledger", {}),
      exported("pdf", "license-audit", { license_id: license.id }),
      exported("json", "usage-ledger", {})
    ])
    assert.deepStrictEqual(await presentationOf(ledger), {
      names: { [product.id]: product.name, [customer.id]: "Köln GmbH", [license.id]: nameOfKey }
    })
    assert.deepStrictEqual((await presentationOf(audit)).names, {
      [product.id]: product.name,
      [policy.id]: policy.name,
      [customer.id]: "Köln GmbH",
      [license.id]: nameOfKey,
      [api_key.id]: "Billing"
    })
    assert.isUndefined(await presentationOf(rows), "programs look ids up")
    const unnamed = await exported("pdf", "license-audit", { license_id: other.license.id })

    await service.data("POST", `/api/v1/customers/${customer.id}/erase`)
    const statusOf = async ({ id }: Body) => (await service.data("GET", `${base}/${id}`)).status
    await eventually("what names the customer expires", async () => {
      const statuses = await Promise.all([ledger, audit].map(statusOf))
      return statuses.every((status) => status === "expired")
    })
    assert.deepStrictEqual(await Promise.all([rows, unnamed].map(statusOf)), ["ready", "ready"])
  })
})
