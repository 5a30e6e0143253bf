// What a customer is shown of a license: what is left of each feature, and what it is left of.
import { assert, describe, it } from "@effect/vitest"
import { snapshotOf } from "../../../../src/domain/licensing/entitlements/Snapshot.ts"
import { licenseBalance } from "../../../../src/domain/licensing/metering/CustomerBalance.ts"
import { policyGrant, snapshotRow } from "../../../fixtures/SnapshotRows.ts"
import { storedCounter } from "../../../fixtures/StoredFeatures.ts"

const now = new Date("2026-03-29T00:30:00Z")
const iso = (days: number) => new Date(now.getTime() + days * 86_400_000).toISOString()

const balances = (row: Parameters<typeof snapshotRow>[0], code?: string) =>
  licenseBalance([snapshotOf(snapshotRow({ now, ...row }))], code)

const of = (row: Parameters<typeof snapshotRow>[0]) => balances(row, "render").balances[0]!

describe("the balance of a feature", () => {
  it("without a quota is what was used, and is not limited", () => {
    assert.deepStrictEqual<unknown>(of({ granted: [policyGrant()], features: [storedCounter(7)] }), {
      product_id: "prod_1",
      feature_id: "feat_1",
      feature_code: "render",
      enabled: true,
      unlimited: true,
      used: 7,
      total_consumptions: 7
    })
  })

  it("with a quota says what is left of it", () => {
    const found = of({ granted: [policyGrant({ quota: 10 })], features: [storedCounter(7)] })
    assert.deepInclude(found, { unlimited: false, used: 7, max_consumptions: 10, remaining: 3, quota_remaining: 3 })
    assert.notProperty(found, "grants")
    assert.notProperty(found, "pools")
    assert.notProperty(found, "period_ends_at")
  })

  it("of a period says its use, and when it ends", () => {
    const granted = [policyGrant({ quota: 10, period: "month" })]
    const features = [storedCounter(50, { period_start: "2026-03-01T00:00:00.000Z", period_consumed: 4 })]
    assert.deepInclude(of({ granted, features }), {
      used: 4,
      total_consumptions: 50,
      remaining: 6,
      period: "month",
      period_ends_at: "2026-04-01T00:00:00.000Z"
    })
  })

  it("names grants and pools in the order in which they are used, with their ends", () => {
    const grant = (id: string, left: number, expires_at: string | null) => ({
      id,
      left,
      priority: 100,
      starts_at: iso(-1),
      expires_at
    })
    const pool = { ...grant("pool_1", 20, iso(9)), feature: "feat_1", cap: 4, mine: 1 }
    const granted = { drawn: 0, period_drawn: null, grants: [grant("grant_b", 5, null), grant("grant_a", 2, iso(3))] }
    const found = of({
      granted: [policyGrant({ quota: 10 })],
      features: [storedCounter(7, { granted })],
      pools: [pool]
    })
    assert.deepInclude(found, {
      remaining: 13,
      quota_remaining: 3,
      grants: [{ grant_id: "grant_a", remaining: 2, expires_at: iso(3) }, { grant_id: "grant_b", remaining: 5 }],
      pools: [{ pool_id: "pool_1", remaining: 20, expires_at: iso(9) }],
      pool_remaining: 3
    })
    const without = of({ granted: [policyGrant({ quota: 10 })], features: [storedCounter(7, { granted })] })
    assert.notProperty(without, "pools")
    assert.notProperty(without, "pool_remaining")
    // Without a quota there is nothing that they could stand beside.
    assert.notProperty(of({ granted: [policyGrant()], features: [storedCounter(7, { granted })] }), "grants")
  })

  it("names no grant for units of an earlier period that are none yet", () => {
    const carrying = {
      rollover: { cap: 50, periods: 1 },
      since: "2026-01-01T00:00:00.000Z",
      past: null
    }
    const found = of({
      created_at: new Date("2026-01-01T00:00:00Z"),
      granted: [policyGrant({ quota: 10, period: "month", carrying })],
      features: [storedCounter(4, { period_start: "2026-02-01T00:00:00.000Z", period_consumed: 4 })]
    })
    assert.deepInclude(found, { grants: [{ remaining: 6, expires_at: "2026-04-01T00:00:00.000Z" }] })
  })
})

describe("the balances of a license", () => {
  const granted = ["render", "export", "scan"].map((code, index) =>
    policyGrant({ id: `feat_${index}`, code, quota: 1 })
  )

  it("stand by the codes of their features, of one where one is named", () => {
    const codes = (code?: string) => balances({ granted }, code).balances.map((one) => one.feature_code)
    assert.deepStrictEqual([codes(), codes("scan"), codes("other")], [["export", "render", "scan"], ["scan"], []])
  })

  it("are of all its products, those of one code in the order of the products", () => {
    const of = (product_id: string) => snapshotOf(snapshotRow({ now, product_id, granted }))
    const found = licenseBalance([of("prod_2"), of("prod_1")], "scan").balances.map((one) => one.product_id)
    assert.deepStrictEqual(found, ["prod_2", "prod_1"])
  })

  it("say the status of the license", () => {
    assert.deepInclude(balances({ granted }), { license_id: "lic_1", status: "active" })
    assert.deepInclude(balances({ granted, state: "suspended" }), { status: "suspended" })
  })
})
