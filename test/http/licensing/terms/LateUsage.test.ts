// Late uses are judged by the license, its plan, its owner and what it could take of as they were at their time.
import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { examine } from "../../../fixtures/Doctor.ts"
import { movedNodes } from "../../../fixtures/MovedClock.ts"
import { soldUnder } from "../../../fixtures/Plans.ts"
import type { Body } from "../../../fixtures/Session.ts"

const day = 86_400_000

const { clock, service } = await movedNodes()

/** The log has the time of the server; the service judges a day later. */
await clock.set(Date.now() + day)

const at = (millis: number): string => new Date(millis).toISOString()

type Plans = Parameters<typeof soldUnder>[1]

const sold = async (plans: Plans, more: object = {}) => {
  const license = await soldUnder(service, plans, more)
  const report = async (amount: number, used: number | undefined, extra: object = {}): Promise<Body> => {
    const { results } = await service.data("POST", "/api/v1/usage", {
      uses: [{
        license_id: license.license.id,
        feature_code: "render",
        event_id: randomUUID(),
        amount,
        ...(used === undefined ? {} : { used_at: at(used) }),
        ...extra
      }]
    })
    return results[0]
  }
  const transfer = (owner: Body) =>
    service.data("POST", `${license.path}/transfer`, { customer_id: owner.id }, {
      headers: { "idempotency-key": randomUUID() }
    })
  return { ...license, report, transfer }
}

const outcome = ({ error, over_quota = 0 }: Body): unknown => error?.fields?.[0]?.code ?? error?.code ?? over_quota

const consistent = async () => assert.deepStrictEqual((await examine(clock.databaseUrl)).found, [])

const customer = (more: object = {}): Promise<Body> =>
  service.data("POST", "/api/v1/customers", { name: "ACME", code: randomUUID(), ...more })

const pool = (owner: Body, feature: Body, amount: number): Promise<Body> =>
  service.data("POST", `/api/v1/customers/${owner.id}/pools`, {
    feature_id: feature.id,
    amount,
    starts_at: at(Date.now() - day)
  })

describe("a late use", () => {
  it("is judged by the quota of its time, whether the plan, the policy or the license has another one since", async () => {
    const changes = [
      async ({ edit, policies }: Awaited<ReturnType<typeof sold>>) => edit(policies[0]!, { max_consumptions: 10 }),
      async ({ change, policies }: Awaited<ReturnType<typeof sold>>) => change(policies[1]!),
      async ({ feature, path }: Awaited<ReturnType<typeof sold>>) =>
        service.data("POST", `${path}/features`, { feature_id: feature.id, max_consumptions: 10 })
    ]
    for (const changed of changes) {
      const license = await sold([
        { max_consumptions: 100, overage: "allow" },
        { max_consumptions: 10, overage: "allow" }
      ])
      await license.report(20, Date.now())
      const before = Date.now()
      await changed(license)
      assert.strictEqual(outcome(await license.report(50, before)), 0)
      assert.strictEqual(outcome(await license.report(31, before)), 1)
      assert.strictEqual(outcome(await license.report(5, undefined)), 5)
      assert.deepInclude(await license.shown(), { total_consumptions: 106, max_consumptions: 10, remaining: 0 })
    }
    await consistent()
  })

  it("is served where the license was active and had the feature, and refused where it was not or had not", async () => {
    const license = await sold([{ max_consumptions: 100 }, {}])
    const active = Date.now()
    await service.data("POST", `${license.path}/suspend`)
    const suspended = Date.now()
    assert.deepStrictEqual(
      [outcome(await license.report(1, active)), outcome(await license.report(1, undefined))],
      [0, "LICENSE_INACTIVE"]
    )
    await service.data("POST", `${license.path}/reinstate`)
    assert.strictEqual(outcome(await license.report(1, suspended)), "LICENSE_INACTIVE")
    await service.data("POST", `${license.path}/features`, { feature_id: license.feature.id, enabled: false })
    const off = Date.now()
    assert.deepStrictEqual(
      [outcome(await license.report(1, active)), outcome(await license.report(1, undefined))],
      [0, "FEATURE_NOT_ENTITLED"]
    )
    await service.data("DELETE", `${license.path}/features/${license.feature.id}`)
    assert.strictEqual(outcome(await license.report(1, off)), "FEATURE_NOT_ENTITLED")
    const before = Date.now()
    await service.data("POST", `${license.path}/revoke`, { reason: "charged back" })
    assert.deepStrictEqual(
      [outcome(await license.report(1, before)), outcome(await license.report(1, undefined))],
      [0, "LICENSE_INACTIVE"]
    )
    await consistent()
  })

  it("takes of what its owner had then, also of what was revoked since, and stands in the ledger of that owner", async () => {
    const [former, owner] = [await customer(), await customer()]
    const license = await sold([{ max_consumptions: 0 }], { customer_id: former.id })
    const [mine, other] = [await pool(former, license.feature, 10), await pool(owner, license.feature, 10)]
    const before = Date.now()
    await license.transfer(owner)
    const late = await license.report(4, before)
    assert.strictEqual(outcome(late), 0)
    const poolOf = (of: Body, { id }: Body) => service.data("GET", `/api/v1/customers/${of.id}/pools/${id}`)
    assert.deepInclude(await poolOf(former, mine), { used: 4 })
    assert.deepInclude(await poolOf(owner, other), { used: 0 })
    const ledger = `/api/v1/reports/usage-ledger?license_id=${license.license.id}`
    assert.deepStrictEqual((await service.data("GET", ledger)).map(({ customer_id }: Body) => customer_id), [former.id])
    const [told] = await service.feed(`&event_type=license.usage_recorded&resource_id=${license.license.id}`)
    assert.deepStrictEqual(told!.metadata.owner, { customer_id: former.id })
    assert.strictEqual(outcome(await license.report(1, undefined)), 0)
    assert.deepInclude(await poolOf(owner, other), { used: 1 })
    await service.data("POST", `/api/v1/customers/${former.id}/pools/${mine.id}/revoke`)
    assert.strictEqual(outcome(await license.report(7, before)), "FEATURE_QUOTA_EXCEEDED")
    assert.strictEqual(outcome(await license.report(6, before)), 0)
    assert.deepInclude(await poolOf(former, mine), { used: 10, remaining: 0 })
    await consistent()
  })

  it("takes nothing of what the owners of other licenses in its report have", async () => {
    const [rich, poor] = [await customer(), await customer()]
    const license = await sold([{ max_consumptions: 0 }], { customer_id: rich.id })
    const { license: { id } } = await service.data("POST", "/api/v1/licenses", {
      product_id: license.license.product_id,
      policy_id: license.policies[0]!.id,
      customer_id: poor.id
    })
    const { id: pooled } = await pool(rich, license.feature, 10)
    const before = Date.now()
    // A change since, and none, are two ways to the terms of then.
    for (
      const changed of [() => service.data("PATCH", `/api/v1/licenses/${id}`, { metadata: { a: "b" } }), undefined]
    ) {
      const uses = [license.license.id, id].map((license_id) => ({
        license_id,
        feature_code: "render",
        event_id: randomUUID(),
        amount: 2,
        used_at: at(before)
      }))
      const { results } = await service.data("POST", "/api/v1/usage", { uses })
      assert.deepStrictEqual(results.map(outcome), [0, "FEATURE_QUOTA_EXCEEDED"])
      await changed?.()
    }
    assert.deepInclude(await service.data("GET", `/api/v1/customers/${rich.id}/pools/${pooled}`), { used: 4 })
    await consistent()
  })

  it("takes of a grant that was revoked since", async () => {
    const license = await sold([{ max_consumptions: 0 }])
    const grant = await service.data("POST", `${license.path}/grants`, {
      feature_code: "render",
      amount: 5,
      starts_at: at(Date.now() - day)
    })
    const before = Date.now()
    await service.data("POST", `${license.path}/grants/${grant.id}/revoke`)
    assert.deepStrictEqual(
      [outcome(await license.report(3, before)), outcome(await license.report(1, undefined))],
      [0, "FEATURE_QUOTA_EXCEEDED"]
    )
    await consistent()
  })

  it("is of the customer who owned the license then", async () => {
    const [former, owner] = [await customer(), await customer()]
    const license = await sold([{ max_consumptions: 10 }], { customer_id: former.id })
    const before = Date.now()
    await license.transfer(owner)
    const of = (id: string, used: number | undefined) =>
      license.report(1, used, { license_id: undefined, customer_id: id })
    assert.strictEqual(outcome(await of(owner.id, before)), "FEATURE_NOT_ENTITLED")
    assert.strictEqual(outcome(await of(owner.id, undefined)), 0)
  })

  it("counts in the period of its time, and in that of now where that is another one", async () => {
    const license = await sold([{ max_consumptions: 100, period: "year" }, { max_consumptions: 100, period: "month" }])
    await license.report(20, Date.now())
    const before = Date.now()
    await license.change(license.policies[1]!)
    assert.strictEqual(outcome(await license.report(5, undefined)), 0)
    assert.strictEqual(outcome(await license.report(76, before)), "FEATURE_QUOTA_EXCEEDED")
    assert.strictEqual(outcome(await license.report(75, before)), 0)
    await consistent()
  })

  it("counts in the period of its plan, also where another plan has none or a shorter one, once that plan comes back", async () => {
    const plan = { max_consumptions: 10, period: "license_month", overage: "allow" }
    for (const between of [{ max_consumptions: 1000 }, { max_consumptions: 1000, period: "day" }]) {
      const license = await sold([plan, between])
      const { change, policies, report, shown } = license
      await report(1, undefined)
      const used = Date.now()
      await change(policies[1]!)
      assert.strictEqual(outcome(await report(5, used)), 0)
      await change(policies[0]!)
      assert.deepInclude(await shown(), { period_consumptions: 6, remaining: 4 }, JSON.stringify(between))
      assert.strictEqual(outcome(await report(7, undefined)), 3)
    }
    await consistent()
  })
})
