// The balances of a customer: what each of its licenses may still use, and of what, in one call.
import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { soldUnder } from "../../../fixtures/Plans.ts"
import { startService } from "../../../fixtures/Service.ts"
import type { Body } from "../../../fixtures/Session.ts"

const service = await startService()

const customer = (more: object = {}): Promise<Body> =>
  service.data("POST", "/api/v1/customers", { name: "ACME", code: randomUUID(), ...more })

const balancesOf = (owner: Body, query = ""): Promise<ReadonlyArray<Body>> =>
  service.data("GET", `/api/v1/customers/${owner.id}/balances${query}`)

const feature = async ({ license }: { readonly license: Body }, code: string): Promise<Body> =>
  service.data("POST", `/api/v1/products/${license.product_id}/features`, { name: code, code })

describe("the balances of a customer", () => {
  it("say what is left of quota, grants and pools, and tell nothing, no limit and no feature apart", async () => {
    const group = await customer()
    const owner = await customer({ parent_id: group.id })
    const license = await soldUnder(service, [{ max_consumptions: 10, period: "month" }], { customer_id: owner.id })
    const [free, spent] = [await feature(license, "free"), await feature(license, "spent")]
    await service.data("POST", `${license.path}/features`, { feature_id: free.id })
    await service.data("POST", `${license.path}/features`, { feature_id: spent.id, max_consumptions: 0 })
    await feature(license, "elsewhere")
    const grant = await service.data("POST", `${license.path}/grants`, {
      feature_code: "render",
      amount: 5,
      expires_at: "2126-01-01T00:00:00.000Z"
    })
    const pool = await service.data("POST", `/api/v1/customers/${group.id}/pools`, {
      feature_id: license.feature.id,
      amount: 100,
      max_per_license: 7
    })
    assert.strictEqual((await license.consume(12)).status, 200)
    const [only] = await balancesOf(owner)
    assert.deepInclude(only, { license_id: license.license.id, status: "active" })
    const [first, render, last] = only!.balances
    assert.deepInclude(first, { feature_code: "free", unlimited: true, used: 0, enabled: true })
    for (const member of ["remaining", "max_consumptions", "quota_remaining", "grants"]) {
      assert.notProperty(first, member)
    }
    assert.deepInclude(last, { feature_code: "spent", unlimited: false, remaining: 0, quota_remaining: 0 })
    assert.lengthOf(only!.balances, 3)
    assert.deepInclude(render, {
      feature_code: "render",
      product_id: license.license.product_id,
      used: 12,
      total_consumptions: 12,
      remaining: 10,
      quota_remaining: 0,
      pool_remaining: 7,
      period: "month"
    })
    assert.deepStrictEqual(render.grants, [{ grant_id: grant.id, remaining: 3, expires_at: grant.expires_at }])
    assert.deepStrictEqual(render.pools, [{ pool_id: pool.id, remaining: 100 }])
    const { remaining } = (await service.data("GET", `${license.path}/features`)).find(({ feature_code }: Body) =>
      feature_code === "render"
    )
    assert.strictEqual(render.remaining, remaining, "the license itself says the same")
    const named = await balancesOf(owner, "?feature_code=spent")
    assert.deepStrictEqual(named.map(({ balances }) => balances.map((each: Body) => each.feature_code)), [["spent"]])
    assert.deepStrictEqual(await balancesOf(group), [], "licenses of other customers are theirs")
  })

  it("are read by pages, the newest license first, and a limited key sees those of its products alone", async () => {
    const owner = await customer()
    const sold = []
    for (let count = 0; count < 3; count++) {
      sold.push(await soldUnder(service, [{ max_consumptions: count }], { customer_id: owner.id }))
    }
    const expected = sold.map(({ license }) => license.id).toReversed()
    const path = `/api/v1/customers/${owner.id}/balances`
    const seen: Array<string> = []
    for (let cursor = "";;) {
      const { body } = await service.call("GET", `${path}?limit=2${cursor}`)
      seen.push(...body.data.map(({ license_id }: Body) => license_id))
      if (!body.page_info.has_more) break
      cursor = `&cursor=${body.page_info.next_cursor}`
    }
    assert.deepStrictEqual(seen, expected)
    const { token } = await service.data("POST", "/api/v1/api-keys", {
      name: "limited",
      scopes: ["license:read"],
      product_ids: [sold[1]!.license.product_id]
    })
    const limited = await service.call("GET", path, { token })
    assert.deepStrictEqual(limited.body.data.map(({ license_id }: Body) => license_id), [sold[1]!.license.id])
    const stranger = await customer()
    assert.strictEqual((await service.call("GET", `/api/v1/customers/${stranger.id}/balances`, { token })).status, 404)
    assert.strictEqual((await service.call("GET", "/api/v1/customers/cus_none/balances")).status, 404)
  })
})
