import { assert, describe, it } from "@effect/vitest"
import { invalid, refused, startService } from "../../../fixtures/Service.ts"
import type { Issued } from "../../../fixtures/Service.ts"
import { session } from "../../../fixtures/Session.ts"
import type { Body } from "../../../fixtures/Session.ts"

const service = await startService()
const database = await session(service.databaseUrl)
const day = 86_400_000
const from = (millis: number) => new Date(Date.now() + millis).toISOString()

const patch = (id: string, body: object): Promise<Body> => service.data("PATCH", `/api/v1/licenses/${id}`, body)
const terms = async (id: string): Promise<Body> =>
  (await service.data("GET", `/api/v1/licenses/${id}?include_terms=true`)).terms
const activate = ({ key }: Issued, fingerprint: string, more: object = {}) =>
  service.license("activate", key, { fingerprint, ...more })

describe("a license with rules of its own", () => {
  it("shows what is in force, and where it comes from", async () => {
    const { license } = await service.issue({
      policy: { max_activations: 3, grace_period_days: 7 },
      license: { overrides: { max_activations: 25 } }
    })
    assert.deepStrictEqual(license.overrides, { max_activations: 25 })
    assert.notProperty(await service.data("GET", `/api/v1/licenses/${license.id}`), "terms")
    const found = await terms(license.id)
    assert.deepStrictEqual(found.max_activations, { value: 25, from: "override" })
    assert.deepStrictEqual(found.grace_period_days, { value: 7, from: "policy" })
    assert.notProperty(found, "max_floating_users")
  })

  it("is decided by them at the next call; null takes one away, and the policy's change shows then", async () => {
    const issued = await service.issue({ policy: { max_activations: 1, allow_vm: false } })
    const { license, policy } = issued
    assert.strictEqual((await activate(issued, "a")).status, 200)
    refused(await activate(issued, "b"), 403, "ACTIVATION_LIMIT_EXCEEDED")
    const changed = await patch(license.id, { overrides: { max_activations: 2, allow_vm: true } })
    assert.strictEqual(changed.entitlement_version, 2)
    assert.strictEqual((await activate(issued, "b", { is_vm: true })).status, 200)
    await service.data("PATCH", `/api/v1/policies/${policy.id}`, { max_activations: 3 })
    refused(await activate(issued, "c"), 403, "ACTIVATION_LIMIT_EXCEEDED")
    const explain = await service.data("POST", `/api/v1/licenses/${license.id}/explain`, {
      operation: "activate",
      binding: { fingerprint: "c" }
    })
    assert.deepStrictEqual(explain.findings[0].term, { name: "max_activations", value: 2, from: "override" })
    assert.deepStrictEqual(explain.terms.max_activations, { value: 2, from: "override" })
    assert.deepStrictEqual((await patch(license.id, { overrides: { max_activations: null } })).overrides, {
      allow_vm: true
    })
    assert.strictEqual((await activate(issued, "c")).status, 200)
    assert.notProperty(await patch(license.id, { overrides: null }), "overrides")
    refused(await service.license("validate", issued.key, { fingerprint: "b", is_vm: true }), 403, "VM_NOT_ALLOWED")
  })

  it("has them from its creation in bulk, and each event tells them", async () => {
    const { policy, product } = await service.issue()
    const { results } = await service.data("POST", "/api/v1/licenses/bulk", {
      defaults: { product_id: product.id, policy_id: policy.id, overrides: { max_transfers: 9 } },
      licenses: [{}, { overrides: { max_activations: 4, grace_period_days: 2 } }]
    })
    assert.deepStrictEqual(results.map(({ license }: Body) => license.overrides), [
      { max_transfers: 9 },
      { max_activations: 4, grace_period_days: 2 }
    ])
    const [created] = await service.feed(`&resource_id=${results[1].license.id}`)
    assert.deepStrictEqual(created!.data.overrides, { max_activations: 4, grace_period_days: 2 })
  })

  it.each([
    [{ floating_overage: "10%" }, "overrides.floating_overage"],
    [{ maintenance_duration: "P1Y" }, "overrides.maintenance_duration"],
    [{ max_self_service_resets: 1 }, "overrides.max_self_service_resets"]
  ])("is refused where it contradicts the policy: %j", async (overrides, path) => {
    const { license, policy, product } = await service.issue()
    invalid(
      await service.call("PATCH", `/api/v1/licenses/${license.id}`, { body: { overrides } }),
      path,
      "contradiction"
    )
    const body = { product_id: product.id, policy_id: policy.id, overrides }
    invalid(await service.call("POST", "/api/v1/licenses", { body }), path, "contradiction")
    const bulk = { licenses: [body] }
    invalid(
      await service.call("POST", "/api/v1/licenses/bulk", { body: bulk }),
      `licenses.0.${path}`,
      "contradiction"
    )
  })

  it("has the grace that it was given: in lists, reports, answers and announcements", async () => {
    const issued = await service.issue({
      policy: { grace_period_days: 1 },
      license: { expires_at: from(-3 * day), overrides: { grace_period_days: 10 } }
    })
    const { key, license, policy } = issued
    assert.strictEqual((await activate(issued, "a")).body.data.status, "grace_period")
    const listed = async (status: string) =>
      (await service.data("GET", `/api/v1/licenses?policy_id=${policy.id}&status=${status}`)).length
    assert.strictEqual(await listed("grace_period"), 1)
    assert.strictEqual(await listed("expired"), 0)
    await patch(license.id, { overrides: { grace_period_days: null } })
    refused(await service.license("validate", key, { fingerprint: "a" }), 403, "LICENSE_EXPIRED")
    assert.strictEqual(await listed("expired"), 1)
    // More grace takes it back, and nothing is announced twice.
    const announced = () =>
      database.query("SELECT announced FROM licenses WHERE id = $1", [license.id]).then(([row]) => row.announced)
    await patch(license.id, { overrides: { grace_period_days: 10 } })
    assert.strictEqual((await service.license("validate", key, { fingerprint: "a" })).body.data.status, "grace_period")
    assert.notStrictEqual(await announced(), "expired")
  })

  it("shows in the past what was in force then", async () => {
    const { license } = await service.issue({ policy: { max_activations: 1 } })
    const [{ at }] = await database.query(
      "SELECT date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond' AS at, pg_sleep(0.003)"
    )
    await patch(license.id, { overrides: { max_activations: 7 } })
    const explain = (body: object) => service.data("POST", `/api/v1/licenses/${license.id}/explain`, body)
    assert.deepStrictEqual((await explain({ at: at.toISOString() })).terms.max_activations, {
      value: 1,
      from: "policy"
    })
    assert.deepStrictEqual((await explain({})).terms.max_activations, { value: 7, from: "override" })
  })
})
