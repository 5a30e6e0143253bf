import { assert, describe, it } from "@effect/vitest"
import { effectiveFeatures } from "../../../src/domain/terms/EffectiveFeatures.ts"
import type { LicenseFeatureTerms, PolicyFeatureTerms } from "../../../src/domain/terms/EffectiveFeatures.ts"
import { featureTable } from "../../fixtures/featureTable.ts"
import type { FeatureRow } from "../../fixtures/featureTable.ts"

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
