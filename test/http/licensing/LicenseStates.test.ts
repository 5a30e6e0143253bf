import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { expectHealthy } from "../../fixtures/Doctor.ts"
import { invalid, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

const service = await startService()
const { policy, product } = await service.issue()
const under = { product_id: product.id, policy_id: policy.id }
const bulk = (licenses: ReadonlyArray<object>, more: object = {}) =>
  service.call("POST", "/api/v1/licenses/bulk", { body: { defaults: under, licenses, ...more } })
const count = async () => (await service.call("GET", "/api/v1/licenses?limit=200")).body.data.length as number
const past = "2020-01-01T00:00:00Z"

describe("a license that is created in a state", () => {
  it("never serves when it comes suspended or revoked, expired or not, and says so in the feed", async () => {
    const answer = await bulk([
      { status: "suspended", license_key: "OLD-STATE-0001" },
      { status: "revoked", license_key: "OLD-STATE-0002" },
      { status: "suspended", expires_at: past, license_key: "OLD-STATE-0003" },
      { status: "active", license_key: "OLD-STATE-0004" },
      { status: "refunded", license_key: "OLD-STATE-0005" }
    ], { mode: "per_row" })
    assert.strictEqual(answer.status, 200, answer.text)
    const { created, results } = answer.body.data
    assert.strictEqual(created, 4)
    assert.strictEqual(results[4].error.fields[0].path, "status")
    const shown = results.slice(0, 4).map(({ license }: Body) => license)
    assert.deepStrictEqual(shown.map(({ status }: Body) => status), ["suspended", "revoked", "suspended", "active"])
    for (const license of shown) {
      assert.deepStrictEqual(await service.data("GET", `/api/v1/licenses/${license.id}`), license)
    }
    const codes = await Promise.all(
      [1, 2, 3, 4].map(async (n) =>
        (await service.license("validate", `OLD-STATE-000${n}`, { fingerprint: "m" })).body.error?.code
      )
    )
    assert.deepStrictEqual(codes.slice(0, 3), ["LICENSE_INACTIVE", "LICENSE_INACTIVE", "LICENSE_INACTIVE"])
    const feed = await service.feed()
    const told = (id: string) =>
      feed.filter(({ resource_id }) => resource_id === id).map(({ event_type }) => event_type)
    assert.deepStrictEqual(shown.map(({ id }: Body) => told(id)), [
      ["license.created", "license.suspended"],
      ["license.created", "license.revoked"],
      ["license.created", "license.suspended"],
      ["license.created"]
    ])
    const { license } = await service.data("POST", "/api/v1/licenses", { ...under, status: "revoked" })
    assert.strictEqual(license.status, "revoked")
    await expectHealthy(service.databaseUrl, [])
  })

  it("is only asked about with dry_run: judged as it would be, and nothing is made or remembered", async () => {
    const before = await count()
    const feed = (await service.feed()).length
    const rows = [{ license_key: "OLD-DRY-0001" }, { license_key: "OLD-STATE-0001" }, { policy_id: "pol_none" }, {}]
    const headers = { "idempotency-key": randomUUID() }
    const dry = await service.call("POST", "/api/v1/licenses/bulk", {
      body: { defaults: under, licenses: rows, mode: "per_row", dry_run: true },
      headers
    })
    assert.strictEqual(dry.status, 200, dry.text)
    const { created, refused, results } = dry.body.data
    assert.deepStrictEqual([created, refused], [2, 2])
    const found = results.map(({ error, index }: Body) => [index, error.fields[0].path])
    assert.deepStrictEqual(found, [[1, "license_key"], [2, "policy_id"]])
    invalid(await bulk(rows.slice(0, 2), { dry_run: true }), "licenses.1.license_key", "taken")
    assert.deepStrictEqual([await count(), (await service.feed()).length], [before, feed])
    const real = await service.call("POST", "/api/v1/licenses/bulk", {
      body: { defaults: under, licenses: rows, mode: "per_row" },
      headers
    })
    assert.deepStrictEqual([real.body.data.created, real.body.data.refused], [2, 2])
  })
})
