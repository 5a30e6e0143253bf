// What a license has of its features, as it is stored, and what it comes to.
import { assert, describe, it } from "@effect/vitest"
import { periodClockOf, snapshotOf } from "../../../../src/domain/licensing/entitlements/Snapshot.ts"
import type { SnapshotRow, StoredGrant } from "../../../../src/domain/licensing/entitlements/Snapshot.ts"
import { policyGrant, snapshotRow } from "../../../fixtures/SnapshotRows.ts"
import { storedFeature } from "../../../fixtures/StoredFeatures.ts"

const march = "2026-03-01T00:00:00.000Z"

const policy = policyGrant({
  quota: 10,
  value: "policy",
  period: "month",
  overage: "10%",
  thresholds: [50],
  remaining_thresholds: [5]
})

const featureOf = (own: StoredGrant | undefined, row: Partial<SnapshotRow> = {}) =>
  snapshotOf(snapshotRow({ granted: [policy], features: own === undefined ? null : [own], ...row })).features[0]!

describe("a feature of a license", () => {
  it("is its policy's, where the license says nothing of it", () => {
    for (const own of [undefined, storedFeature(null), storedFeature(), storedFeature({ is_counter: true })]) {
      assert.deepInclude(featureOf(own), {
        value: "policy",
        period: "month",
        overage: "10%",
        thresholds: [50],
        remainingThresholds: [5],
        quota: 10,
        credits: 0,
        announced: 0,
        announcedRemaining: Infinity
      })
    }
  })

  it("is the license's own, member by member, where it was assigned it", () => {
    const own = storedFeature({
      value: "own",
      period: "year",
      overage: "deny",
      thresholds: [80],
      remaining_thresholds: [2]
    }, {
      quota: 7
    })
    assert.deepInclude(featureOf(own), {
      value: "own",
      period: "year",
      overage: "deny",
      thresholds: [80],
      remainingThresholds: [2],
      quota: 7
    })
    // A counter alone assigns nothing.
    const counter = storedFeature({ is_counter: true, value: "own", period: "year", overage: "deny" }, { quota: 7 })
    assert.deepInclude(featureOf(counter), { value: "policy", period: "month", overage: "10%", quota: 10 })
  })

  it("has its use of the running period, and its credits", () => {
    const counted = { period_start: march, period_consumed: 4, credits: 3, credits_start: march }
    assert.deepInclude(featureOf(storedFeature(counted, { consumed: 50 })), {
      consumed: 4,
      total: 50,
      quota: 13,
      credits: 3
    })
    const before = { ...counted, period_start: "2026-02-01T00:00:00.000Z", credits_start: "2026-02-01T00:00:00.000Z" }
    assert.deepInclude(featureOf(storedFeature(before, { consumed: 50 })), {
      consumed: 0,
      total: 50,
      quota: 10,
      credits: 0
    })
  })

  it("has what was announced of its running period: a percentage, a number left, or both", () => {
    const said = (announced: number | null, announced_remaining: number | null, announced_start = march) => {
      const feature = featureOf(storedFeature({ announced, announced_remaining, announced_start }))
      return [feature.announced, feature.announcedRemaining]
    }
    assert.deepStrictEqual([said(50, 5), said(50, null), said(null, 5), said(null, null)], [
      [50, 5],
      [50, Infinity],
      [0, 5],
      [0, Infinity]
    ])
    assert.deepStrictEqual(said(50, 5, "2026-02-01T00:00:00.000Z"), [0, Infinity])
  })

  it("has the count of the records in the place of its counter, where that is of another period", () => {
    const recounted = { start: march, consumed: 6, drawn: 0 }
    assert.deepInclude(
      featureOf(storedFeature({ period_start: "2026-02-01T00:00:00.000Z", period_consumed: 9, recounted })),
      {
        consumed: 6
      }
    )
  })

  it("ends as is said of it", () => {
    const ends = (expires_at: string | null) => {
      const { enabled, expiresAt } = featureOf(storedFeature({}, { expires_at }))
      return [enabled, expiresAt]
    }
    const [past, coming] = ["2026-03-29T00:30:00.000Z", "2026-03-29T00:30:00.001Z"] as const
    assert.deepStrictEqual([ends(null), ends(past), ends(coming)], [
      [true, undefined],
      [false, Date.parse(past)],
      [true, Date.parse(coming)]
    ])
  })
})

describe("the features of a license", () => {
  const further = [{ id: "prod_2", code: "plugin", former_codes: null }] as unknown as SnapshotRow["further"]
  const granted = [policyGrant(), policyGrant({ id: "feat_2", code: "scan", product: "prod_2" })]
  const codes = (selector: Parameters<typeof snapshotOf>[1], row: Partial<SnapshotRow> = {}) =>
    snapshotOf(snapshotRow({ granted, further, ...row }), selector).features.map(({ code }) => code)

  it("are those of the product that is asked about", () => {
    assert.deepStrictEqual([codes({}), codes({ code: "studio" }), codes({ code: "plugin" }), codes({ id: "prod_2" })], [
      ["render"],
      ["render"],
      ["scan"],
      ["scan"]
    ])
  })

  it("are its policy's, its own, both, or none", () => {
    const own = [storedFeature({}, { id: "feat_3", code: "own" })]
    assert.deepStrictEqual(codes({}, { granted: null }), [])
    assert.deepStrictEqual(codes({}, { granted: null, features: own }), ["own"])
    assert.deepStrictEqual(codes({}, { features: own }), ["own", "render"])
  })
})

describe("the periods of a license", () => {
  const clock = (row: Partial<SnapshotRow>) => periodClockOf(snapshotRow(row))
  const created = Date.parse("2026-03-28T00:30:00Z")

  it("begin with the license: with its start, or else with its creation", () => {
    assert.deepStrictEqual(clock({}).licenseStart, created)
    const starts_at = new Date("2026-03-29T00:00:00Z")
    assert.deepStrictEqual(clock({ starts_at }).licenseStart, starts_at.getTime())
  })

  it("carry units since the license is there, or since they did last", () => {
    const rolled = (rolled_until?: string) =>
      clock({ more: { rolled_until } as unknown as SnapshotRow["more"] }).rolledUntil
    assert.strictEqual(clock({}).rolledUntil, created)
    assert.strictEqual(rolled(), created)
    assert.strictEqual(rolled(march), created)
    assert.strictEqual(rolled("2026-03-29T00:00:00.000Z"), Date.parse("2026-03-29T00:00:00.000Z"))
  })

  it("are those of its subscription, where it has one", () => {
    assert.isUndefined(clock({}).subscription)
    const subscription_period = { start: march, end: "2026-04-01T00:00:00.000Z" }
    assert.deepStrictEqual(clock({ subscription_period }).subscription, {
      start: Date.parse(march),
      end: Date.parse("2026-04-01T00:00:00.000Z")
    })
  })
})
