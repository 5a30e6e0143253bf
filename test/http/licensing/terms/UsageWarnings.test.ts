// Thresholds of usage are judged after whatever moves what can be used, and not after the license's own uses alone.
import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { examine } from "../../../fixtures/Doctor.ts"
import { soldUnder } from "../../../fixtures/Plans.ts"
import { startService } from "../../../fixtures/Service.ts"
import type { Body } from "../../../fixtures/Session.ts"
import { inTestOf, testDatabaseOf } from "../../../fixtures/TestEnvironment.ts"

const live = await startService()
const service = inTestOf(live, testDatabaseOf(live))

/** Moves the clock; what is due has happened when it answers. */
const pass = (advance: string) => service.data("PUT", "/api/v1/environment/clock", { advance })

const told = async ({ license }: { readonly license: Body }): Promise<ReadonlyArray<unknown>> => {
  await pass("PT1M")
  const events = await service.feed(`&event_type=license.quota_threshold&resource_id=${license.id}`)
  return events.map(({ data }) => data.percentage ?? `${data.remaining_threshold} left`)
}

const sold = (plan: Parameters<typeof soldUnder>[1][number], more: object = {}) => soldUnder(service, [plan], more)

const consistent = async () => assert.deepStrictEqual((await examine(service.databaseUrl)).found, [])

const customer = (more: object = {}): Promise<Body> =>
  service.data("POST", "/api/v1/customers", { name: "ACME", code: randomUUID(), ...more })

const pool = (owner: Body, feature: Body, amount: number, more: object = {}): Promise<Body> =>
  service.data("POST", `/api/v1/customers/${owner.id}/pools`, { feature_id: feature.id, amount, ...more })

const grant = ({ path }: { readonly path: string }, amount: number, more: object = {}): Promise<Body> =>
  service.data("POST", `${path}/grants`, { feature_code: "render", amount, ...more })

const inHours = async (hours: number): Promise<string> => {
  const { now } = await pass("PT1M")
  return new Date(Date.parse(now) + hours * 3_600_000).toISOString()
}

describe("a threshold of usage", () => {
  it("is announced where others of the group empty the pool, of each license that has used the feature, once", async () => {
    const group = await customer()
    const company = await customer({ parent_id: group.id })
    const plan = { max_consumptions: 0, remaining_thresholds: [10], quota_thresholds: [90] }
    const first = await sold(plan, { customer_id: group.id })
    const { license, license_key } = await service.data("POST", "/api/v1/licenses", {
      product_id: first.license.product_id,
      policy_id: first.license.policy_id,
      customer_id: company.id
    })
    const shared = await pool(group, first.feature, 100)
    await service.license("activate", license_key, { fingerprint: "b" })
    const consume = (amount: number) =>
      service.license("consume", license_key, {
        fingerprint: "b",
        feature_code: "render",
        event_id: randomUUID(),
        amount
      })
    assert.strictEqual((await consume(5)).status, 200)
    assert.deepStrictEqual(await told({ license }), [])
    assert.strictEqual((await first.consume(80)).status, 200)
    assert.deepStrictEqual([await told({ license }), await told(first)], [[], []])
    assert.strictEqual((await first.consume(10)).status, 200)
    assert.deepStrictEqual([await told({ license }), await told(first)], [["10 left"], [90, "10 left"]])
    // A use more of the others is no news, and a refund has it announced again.
    const event_id = randomUUID()
    assert.strictEqual((await first.consume(3, service, event_id)).status, 200)
    assert.lengthOf(await told({ license }), 1)
    await service.data("POST", `${first.path}/usage/refund`, { feature_code: "render", event_id })
    await pool(group, first.feature, 20)
    assert.lengthOf(await told({ license }), 1)
    await service.data("POST", `/api/v1/customers/${group.id}/pools/${shared.id}/revoke`)
    assert.lengthOf(await told({ license }), 1)
    assert.strictEqual((await first.consume(15)).status, 200)
    assert.deepStrictEqual(await told({ license }), ["10 left", "10 left"])
    await consistent()
  })

  it("is announced after another plan, a smaller quota of the plan, the license or a correction, and after a transfer", async () => {
    const thresholds = { quota_thresholds: [80] }
    const large = { max_consumptions: 100, ...thresholds }
    const small = { max_consumptions: 10, ...thresholds }
    const owner = await customer()
    const changes: Readonly<Record<string, (sold: Awaited<ReturnType<typeof soldUnder>>) => Promise<unknown>>> = {
      plan: ({ change, policies }) => change(policies[1]!),
      policy: ({ edit, policies }) => edit(policies[0]!, small),
      license: ({ feature, path }) =>
        service.data("POST", `${path}/features`, { feature_id: feature.id, max_consumptions: 10 }),
      correction: async (license) =>
        grant(license, -90, { source: "correction", reason: "counted twice", expires_at: await inHours(1) })
    }
    for (const [name, changed] of Object.entries(changes)) {
      const license = await soldUnder(service, [large, small])
      assert.strictEqual((await license.consume(8)).status, 200)
      await changed(license)
      assert.deepStrictEqual(await told(license), [80], name)
      assert.deepStrictEqual(await told(license), [80], name)
    }
    const license = await soldUnder(service, [{ max_consumptions: 10, ...thresholds }], { customer_id: owner.id })
    await pool(owner, license.feature, 10)
    assert.strictEqual((await license.consume(9)).status, 200)
    assert.deepStrictEqual(await told(license), [])
    await service.data("POST", `${license.path}/transfer`, { customer_id: (await customer()).id }, {
      headers: { "idempotency-key": randomUUID() }
    })
    assert.deepStrictEqual(await told(license), [80])
    await consistent()
  })

  it("is announced when a pack or a pool ends, or is revoked, and again where one was given and ended in between", async () => {
    const plan = { max_consumptions: 10, quota_thresholds: [80] }
    const license = await sold(plan)
    await grant(license, 10, { expires_at: await inHours(1) })
    assert.strictEqual((await license.consume(9)).status, 200)
    assert.deepStrictEqual(await told(license), [])
    await pass("PT1H")
    // The pack served 9, and with it goes what is left of it.
    assert.deepStrictEqual(await told(license), [])
    assert.strictEqual((await license.consume(6)).status, 200)
    assert.deepStrictEqual(await told(license), [])
    const given = await grant(license, 30, { expires_at: await inHours(2) })
    assert.strictEqual((await license.consume(1)).status, 200)
    await service.data("POST", `${license.path}/grants/${given.id}/revoke`)
    assert.deepStrictEqual(await told(license), [80])
    // Given and ended without a use in between: it holds again, after it did not.
    await grant(license, 30, { expires_at: await inHours(1) })
    assert.deepStrictEqual(await told(license), [80])
    await pass("PT2H")
    assert.deepStrictEqual(await told(license), [80, 80])
    await consistent()
  })

  it("may be of the license itself, in place of the policy's, and is the policy's again once it is removed", async () => {
    const license = await sold({ max_consumptions: 100, quota_thresholds: [50] })
    const assign = (more: object): Promise<Body> =>
      service.data("POST", `${license.path}/features`, { feature_id: license.feature.id, ...more })
    const own = await assign({ quota_thresholds: [90, 70], remaining_thresholds: [5] })
    assert.deepInclude(own, { quota_thresholds: [70, 90], remaining_thresholds: [5] })
    assert.deepInclude(own, { max_consumptions: 100, from: "both" })
    assert.strictEqual((await license.consume(75)).status, 200)
    assert.deepStrictEqual(await told(license), [70])
    assert.strictEqual((await license.consume(20)).status, 200)
    assert.deepStrictEqual(await told(license), [70, 90, "5 left"])
    await grant(license, 100)
    assert.lengthOf(await told(license), 3)
    assert.notProperty(await assign({ quota_thresholds: null, remaining_thresholds: null }), "quota_thresholds")
    assert.deepStrictEqual(await told(license), [70, 90, "5 left"])
    await assign({ remaining_thresholds: [110] })
    assert.deepStrictEqual(await told(license), [70, 90, "5 left", "110 left"])
    const refused = [{ quota_thresholds: [] }, { quota_thresholds: [0] }, { quota_thresholds: [5, 5] }, {
      remaining_thresholds: Array.from({ length: 11 }, (_, at) => at + 1)
    }]
    for (const wrong of refused) {
      const { status } = await service.call("POST", `${license.path}/features`, {
        body: { feature_id: license.feature.id, ...wrong }
      })
      assert.strictEqual(status, 422)
    }
    await service.call("DELETE", `${license.path}/features/${license.feature.id}`)
    assert.notProperty(await license.shown(), "remaining_thresholds")
    await consistent()
  })
})
