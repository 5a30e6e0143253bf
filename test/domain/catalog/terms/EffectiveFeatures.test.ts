import { assert, describe, it } from "@effect/vitest"
import {
  effectiveFeatures,
  leftOfQuota,
  overQuota,
  quotaStanding,
  remainingOf,
  servable
} from "../../../../src/domain/catalog/terms/EffectiveFeatures.ts"
import type { LicenseFeatureTerms, PolicyFeatureTerms } from "../../../../src/domain/catalog/terms/EffectiveFeatures.ts"
import { featureTable } from "../../../fixtures/featureTable.ts"
import type { FeatureRow } from "../../../fixtures/featureTable.ts"

const instant = (text: string): number => Date.parse(text)
const clock = {
  now: instant("2026-11-20T12:00:00Z"),
  licenseStart: instant("2026-01-15T00:00:00Z"),
  subscription: { start: instant("2026-11-10T00:00:00Z"), end: instant("2026-12-10T00:00:00Z") }
}
const feature = { id: "feat_1", code: "render" }

/** When the period of a grant began, in which `now` was counted. */
const starts: Readonly<Record<string, string>> = {
  day: "2026-11-20T00:00:00Z",
  week: "2026-11-16T00:00:00Z",
  month: "2026-11-01T00:00:00Z",
  year: "2026-01-01T00:00:00Z",
  license_month: "2026-11-15T00:00:00Z",
  subscription: "2026-11-10T00:00:00Z"
}

const grantsOf = (row: FeatureRow) => {
  const { before, license, now, policy } = row
  const period = license?.period ?? policy?.period
  const granted: ReadonlyArray<PolicyFeatureTerms> = policy === undefined ? [] : [{
    ...feature,
    enabled: policy.enabled ?? true,
    value: null,
    quota: policy.max_consumptions ?? null,
    period: policy.period ?? null,
    overage: policy.overage ?? null,
    expires_after: null
  }]
  const inPeriod = now + (period === "year" ? before : 0)
  const own: ReadonlyArray<LicenseFeatureTerms> = license === undefined && before + now === 0 ? [] : [{
    ...feature,
    assigned: license !== undefined,
    enabled: license?.enabled ?? true,
    expires_at: null,
    value: null,
    quota: license?.max_consumptions ?? null,
    period: license?.period ?? null,
    overage: license?.overage ?? null,
    consumed: before + now,
    // Nothing used yet in this period: the counter is that of the one before.
    period_start: period === undefined
      ? null
      : instant(inPeriod === 0 ? "2025-12-01T00:00:00Z" : starts[period]!),
    period_consumed: period === undefined ? null : inPeriod === 0 ? before : inPeriod,
    credits: null,
    credits_start: null
  }]
  return { granted, own }
}

describe("effectiveFeatures", () => {
  // The state of a license is no matter of its features; the same table is asked through HTTP with it.
  it.each(featureTable.filter(({ state }) => state === "active"))("$situation", (row) => {
    const { granted, own } = grantsOf(row)
    const [found] = effectiveFeatures(granted, own, clock)
    if (row.answer === "FEATURE_NOT_ENTITLED") return assert.isFalse(found?.enabled ?? false)
    assert.isTrue(found!.enabled)
    if (row.answer === "FEATURE_QUOTA_EXCEEDED") {
      return assert.isBelow(found!.ceiling - found!.consumed, row.asked)
    }
    const [, consumed, quota, over] = /^(\d+)\/(\d+|-)(?:\+(\d+))?$/.exec(row.answer)!
    assert.strictEqual(found!.consumed + row.asked, Number(consumed))
    assert.strictEqual(found!.quota, quota === "-" ? null : Number(quota))
    assert.isAtLeast(found!.ceiling, Number(consumed))
    if (found!.quota !== null) assert.strictEqual(Math.max(0, Number(consumed) - found!.quota), Number(over ?? 0))
  })

  it("ends a policy's feature after its time from the start of the license, unless an assignment says when", () => {
    const granted: PolicyFeatureTerms = {
      ...feature,
      enabled: true,
      value: null,
      quota: null,
      period: null,
      overage: null,
      expires_after: "P10M"
    }
    const own = (expires_at: number | null): LicenseFeatureTerms => ({
      ...feature,
      assigned: true,
      enabled: true,
      expires_at,
      value: null,
      quota: null,
      period: null,
      overage: null,
      consumed: 0,
      period_start: null,
      period_consumed: null,
      credits: null,
      credits_start: null
    })
    const at = (text: string) => ({ ...clock, now: instant(text) })
    const enabled = (text: string, grants: ReadonlyArray<LicenseFeatureTerms>) =>
      effectiveFeatures([granted], grants, at(text))[0]!.enabled
    assert.isTrue(enabled("2026-11-14T23:59:59.999Z", []))
    assert.isFalse(enabled("2026-11-15T00:00:00Z", []))
    assert.isFalse(enabled("2026-11-15T00:00:00Z", [own(null)]))
    assert.isTrue(enabled("2026-11-15T00:00:00Z", [own(instant("2026-11-16T00:00:00Z"))]))
    assert.isFalse(enabled("2026-11-16T00:00:00Z", [own(instant("2026-11-16T00:00:00Z"))]))
  })

  it("takes the value of the license where it has one, else the policy's", () => {
    const granted: PolicyFeatureTerms = {
      ...feature,
      enabled: true,
      value: 3,
      quota: null,
      period: null,
      overage: null,
      expires_after: null
    }
    const row = featureTable.find(({ license }) => license !== undefined)
    const [own] = grantsOf(row!).own
    const valueWith = (...grants: ReadonlyArray<LicenseFeatureTerms>) => {
      const [found] = effectiveFeatures([granted], grants, clock)
      return [found!.value, found!.from.value]
    }
    assert.deepStrictEqual(valueWith(), [3, "policy"])
    assert.deepStrictEqual(valueWith({ ...own!, value: null }), [3, "policy"])
    assert.deepStrictEqual(valueWith({ ...own!, value: 0 }), [0, "license"])
    assert.deepStrictEqual(valueWith({ ...own!, value: false }), [false, "license"])
    assert.deepStrictEqual(valueWith({ ...own!, value: "" }), ["", "license"])
    assert.deepStrictEqual(valueWith({ ...own!, assigned: false, value: null }), [3, "policy"])
  })

  it("leaves out what was used of a feature that nobody grants any more, and sorts by code", () => {
    const counter: LicenseFeatureTerms = {
      id: "feat_0",
      code: "a-gone",
      assigned: false,
      enabled: true,
      expires_at: null,
      value: null,
      quota: null,
      period: null,
      overage: null,
      consumed: 3,
      period_start: null,
      period_consumed: null,
      credits: null,
      credits_start: null
    }
    const granted = (code: string): PolicyFeatureTerms => ({
      id: `feat_${code}`,
      code,
      enabled: true,
      value: null,
      quota: null,
      period: null,
      overage: null,
      expires_after: null
    })
    const found = effectiveFeatures([granted("z"), granted("b")], [counter, {
      ...counter,
      id: "x",
      code: "c",
      assigned: true
    }], clock)
    assert.deepStrictEqual(found.map(({ code }) => code), ["b", "c", "z"])
  })
})

describe("a feature beside its quota", () => {
  const month = instant("2026-11-01T00:00:00Z")
  const policy = (more: Partial<PolicyFeatureTerms> = {}): PolicyFeatureTerms => ({
    ...feature,
    enabled: true,
    value: null,
    quota: 10,
    period: null,
    overage: null,
    expires_after: null,
    ...more
  })
  const counter = (more: Partial<LicenseFeatureTerms> = {}): LicenseFeatureTerms => ({
    ...feature,
    assigned: false,
    enabled: true,
    expires_at: null,
    value: null,
    quota: null,
    period: null,
    overage: null,
    consumed: 4,
    period_start: null,
    period_consumed: null,
    credits: null,
    credits_start: null,
    ...more
  })
  const grant = (left: number) => ({ id: "grant_1", starts_at: 0, expires_at: null, priority: 100, left })
  const pool = (left: number) => ({ ...grant(left), id: "pool_1", feature: "feat_1", cap: null, mine: 0 })
  const of = (
    terms: PolicyFeatureTerms,
    own?: LicenseFeatureTerms,
    pools: ReadonlyArray<ReturnType<typeof pool>> = []
  ) => effectiveFeatures([terms], own === undefined ? [] : [own], clock, pools)[0]!

  it("has its grants and what they served, with the overage of the quota alone", () => {
    const found = of(
      policy({ overage: "10%" }),
      counter({ granted: { drawn: 3, period_drawn: null, grants: [grant(20)] } })
    )
    // 10 of the quota, 3 that were served, and 20 that are left; 1 more is a tenth of the quota.
    assert.deepInclude(found, { quota: 33, ceiling: 34, isCounted: true })
    assert.deepStrictEqual([leftOfQuota(found), remainingOf(found), servable(found), overQuota(found)], [9, 29, 30, 0])
  })

  it("shares pools also where it never had a grant, and none without a quota", () => {
    assert.deepInclude(of(policy(), undefined, [pool(5)]), { quota: 15, isCounted: false })
    assert.isUndefined(of(policy()).granted)
    assert.isUndefined(of(policy({ quota: null }), undefined, [pool(5)]).granted)
    assert.isUndefined(of(policy(), undefined, [{ ...pool(5), feature: "feat_2" }]).granted)
  })

  it("has the count of the running period by the records, with what grants served in it", () => {
    const granted = { drawn: 9, period_drawn: 7, grants: [grant(20)] }
    const recounted = { start: month, consumed: 6, drawn: 2 }
    const own = counter({ period_start: month - 1, period_consumed: 8, granted, recounted })
    const found = of(policy({ period: "month" }), own)
    assert.deepInclude(found, { consumed: 6, periodStart: month, quota: 32 })
    const before = of(policy({ period: "month" }), { ...own, recounted: { ...recounted, start: month - 1 } })
    assert.deepInclude(before, { consumed: 0, quota: 30 })
    const counted = of(policy({ period: "month" }), counter({ period_start: month, period_consumed: 8, granted }))
    assert.deepInclude(counted, { consumed: 8, quota: 37 })
  })

  it("has no overage, and nothing that was announced, where nobody says so", () => {
    const found = of(policy(), counter())
    assert.strictEqual(found.overage, null)
    const { announced, announcedRemaining } = of(
      policy(),
      counter({ announced: { percentage: null, remaining: 2, period_start: null } })
    )
    assert.deepStrictEqual([announced, announcedRemaining], [0, 2])
  })

  it("says what is left, and how far it is over where its terms serve beyond", () => {
    const used = (consumed: number, more: Partial<PolicyFeatureTerms> = {}) => of(policy(more), counter({ consumed }))
    assert.deepStrictEqual([9, 10, 12].map((consumed) => leftOfQuota(used(consumed))), [1, 0, 0])
    assert.deepStrictEqual([4, 12].map((consumed) => overQuota(used(consumed))), [0, 2])
    assert.deepStrictEqual(quotaStanding(used(4, { quota: null })), {})
    assert.deepStrictEqual(overQuota(used(4, { quota: null })), 0)
    assert.deepStrictEqual([remainingOf(used(4, { quota: null })), servable(used(4, { quota: null }))], [
      undefined,
      Infinity
    ])
    assert.deepStrictEqual(quotaStanding(used(12)), { remaining: 0 })
    assert.deepStrictEqual(quotaStanding(used(12, { overage: "allow" })), { remaining: 0, over: 2 })
    assert.deepStrictEqual(quotaStanding(used(4, { overage: "allow" })), { remaining: 6 })
    assert.deepStrictEqual([servable(used(12)), servable(used(4))], [0, 6])
  })
})
