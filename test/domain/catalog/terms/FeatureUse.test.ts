// A use of a feature: what it takes of the quota, of grants and of pools, what lies over all of them, and which thresholds it reaches.
import { assert, describe, it } from "@effect/vitest"
import { effectiveFeatures } from "../../../../src/domain/catalog/terms/EffectiveFeatures.ts"
import type { EffectiveFeature, LicenseFeatureTerms } from "../../../../src/domain/catalog/terms/EffectiveFeatures.ts"
import { booked, featureUse, foundNews } from "../../../../src/domain/catalog/terms/FeatureUse.ts"
import { afterDraw, balanceOf, openGrantOf } from "../../../../src/domain/catalog/terms/GrantBalance.ts"
import type { OpenGrant, SharedPool } from "../../../../src/domain/catalog/terms/GrantBalance.ts"
import { featuresAfterOthers, grantStanding } from "../../../../src/domain/catalog/terms/GrantStanding.ts"
import { overageOf } from "../../../../src/domain/catalog/terms/Overage.ts"
import { warningsAboutQuotas } from "../../../../src/domain/catalog/terms/QuotaWarnings.ts"
import { contradictions } from "../../../../src/domain/catalog/terms/Rules.ts"

const clock = { now: Date.parse("2027-03-17T00:00:00Z"), licenseStart: 0, subscription: undefined }

const grant = (id: string, left: number, more: Partial<OpenGrant> = {}): OpenGrant => ({
  id,
  left,
  priority: 100,
  starts_at: 0,
  expires_at: null,
  ...more
})

const pool = (id: string, left: number): SharedPool => ({ ...grant(id, left), feature: "feat_1", cap: null, mine: 0 })

interface Has {
  readonly quota?: number | null
  readonly consumed?: number
  readonly overage?: string
  readonly grants?: ReadonlyArray<OpenGrant>
  readonly pools?: ReadonlyArray<SharedPool>
  readonly thresholds?: ReadonlyArray<number>
  readonly remaining?: ReadonlyArray<number>
  readonly announced?: LicenseFeatureTerms["announced"]
}

const feature = (
  { announced = null, consumed = 0, grants, overage = undefined, pools = [], quota = 10, remaining, thresholds }: Has =
    {}
): EffectiveFeature =>
  effectiveFeatures(
    [{
      id: "feat_1",
      code: "render",
      enabled: true,
      value: null,
      quota,
      period: null,
      overage: overage ?? null,
      expires_after: null,
      thresholds: thresholds ?? null,
      remaining_thresholds: remaining ?? null
    }],
    [{
      id: "feat_1",
      code: "render",
      assigned: false,
      enabled: true,
      expires_at: null,
      value: null,
      quota: null,
      period: null,
      overage: null,
      consumed,
      period_start: null,
      period_consumed: null,
      credits: null,
      credits_start: null,
      granted: grants === undefined ? null : { drawn: 0, period_drawn: null, grants },
      announced
    }],
    clock,
    pools
  )[0]!

/** What a use takes, in short: of which grants, and how much lies over all. */
const takes = (of: EffectiveFeature, units: number) => {
  const { after, over, taken } = featureUse(of, units)
  assert.strictEqual(after.consumed, of.consumed + units)
  assert.strictEqual(after.total, of.total + units)
  return [over, ...taken.map(({ amount, grant_id }) => `${amount} of ${grant_id}`)]
}

describe("a use", () => {
  it("takes of the quota, and lies over it once that is used up", () => {
    assert.deepStrictEqual(takes(feature({ consumed: 7 }), 3), [0])
    assert.deepStrictEqual(takes(feature({ consumed: 7 }), 4), [1])
    assert.deepStrictEqual(takes(feature({ consumed: 12 }), 4), [4])
    assert.deepStrictEqual(takes(feature({ quota: null }), 4), [0])
    assert.deepStrictEqual(takes(feature({ consumed: 7 }), -3), [0])
  })

  it("takes of grants and pools what the quota has not left, and leaves them with the rest", () => {
    const of = feature({ consumed: 8, grants: [grant("grant_a", 3)], pools: [pool("pool_1", 5), pool("pool_2", 5)] })
    assert.deepStrictEqual(takes(of, 2), [0])
    assert.deepStrictEqual(takes(of, 7), [0, "3 of grant_a", "2 of pool_1"])
    assert.deepStrictEqual(takes(of, 16), [1, "3 of grant_a", "5 of pool_1", "5 of pool_2"])
    const { granted } = featureUse(of, 4).after
    assert.deepInclude(granted, { left: 11, drawn: 2, totalDrawn: 2 })
    assert.deepStrictEqual(granted!.grants.map(({ left }) => left), [1])
    assert.deepStrictEqual(featureUse(of, 7).after.granted!.grants, [])
    assert.deepStrictEqual(featureUse(of, 7).after.granted!.pools.map(({ left, mine }) => [left, mine]), [[3, 2], [
      5,
      0
    ]])
  })

  it("reaches thresholds of the quota and numbers of units left, each once", () => {
    const of = (more: Has = {}) => feature({ consumed: 4, thresholds: [50, 80, 100], remaining: [2, 5], ...more })
    const news = (found: EffectiveFeature, units: number) => {
      const { after, crossed } = featureUse(found, units)
      return [after.announced, after.announcedRemaining, ...crossed.map((one) => Object.values(one)[0])]
    }
    assert.deepStrictEqual(news(of(), 0), [0, Infinity])
    assert.deepStrictEqual(news(of(), 1), [50, 5, 50, 5])
    assert.deepStrictEqual(news(of(), 4), [80, 2, 50, 80, 5, 2])
    const announced = { percentage: 50, remaining: 5, period_start: null }
    assert.deepStrictEqual(news(of({ consumed: 5, announced }), 1), [50, 5])
    assert.deepStrictEqual(news(of({ consumed: 5, announced }), 3), [80, 2, 80, 2])
    // More is left again: what was announced does not hold any more, and is announced anew.
    assert.deepStrictEqual(news(of({ consumed: 1, announced }), 1), [0, Infinity])
    assert.deepStrictEqual(news(of({ consumed: 1, announced }), 4), [50, 5, 50, 5])
  })

  it("is no news where less is not left than before", () => {
    const found = feature({ consumed: 5, thresholds: [50], remaining: [5] })
    assert.deepStrictEqual(foundNews(found, true).crossed, [{ percentage: 50 }, { remaining_threshold: 5 }])
    assert.deepStrictEqual(foundNews(found, false), { announced: 0, announcedRemaining: Infinity, crossed: [] })
    const announced = { percentage: 50, remaining: 5, period_start: null }
    const told = feature({ consumed: 5, thresholds: [50], remaining: [5], announced })
    assert.deepStrictEqual(foundNews(told, false), { announced: 50, announcedRemaining: 5, crossed: [] })
  })

  it("makes grants of carried units, under their new IDs, and begins the counter", () => {
    const carried = [{ starts_at: 5, expires_at: clock.now + 1, amount: 3 }]
    const found = { ...feature({ grants: [grant("carried 5", 3), grant("grant_a", 1)] }), carried, isCounted: false }
    const after = booked(found, ["grant_new"])
    assert.deepStrictEqual(after.granted!.grants.map(({ id, left }) => [id, left]).toSorted(), [
      ["grant_a", 1],
      ["grant_new", 3]
    ])
    assert.deepInclude(after, { isCounted: true, carried: [] })
    const none = feature({ grants: [grant("grant_a", 1)] })
    assert.strictEqual(booked(none, []), none)
    const without = feature()
    assert.strictEqual(booked(without, []), without)
  })
})

describe("the balance beside a quota", () => {
  it("is read with its instants, of which an end and a revocation may not be said", () => {
    const row = { id: "grant_1", priority: 100, left: 3, starts_at: "2027-03-01T00:00:00Z" }
    const starts_at = Date.parse(row.starts_at)
    assert.deepStrictEqual<unknown>(openGrantOf(row), { ...row, starts_at, expires_at: null })
    assert.deepStrictEqual<unknown>(openGrantOf({ ...row, expires_at: null, revoked_at: null }), {
      ...row,
      starts_at,
      expires_at: null
    })
    assert.deepStrictEqual<unknown>(
      openGrantOf({ ...row, expires_at: "2027-04-01T00:00:00Z", revoked_at: "2027-03-02T00:00:00Z" }),
      {
        ...row,
        starts_at,
        expires_at: Date.parse("2027-04-01T00:00:00Z"),
        revoked_at: Date.parse("2027-03-02T00:00:00Z")
      }
    )
  })

  it("has served what it served in the running period, or in all where the quota has none", () => {
    const drawn = (inPeriod: boolean | undefined, period_drawn: number | null = 4) =>
      balanceOf({ drawn: 9, period_drawn, grants: [] }, { quota: 1, pools: [], now: 0, inPeriod }).drawn
    assert.deepStrictEqual([drawn(undefined), drawn(true), drawn(true, null), drawn(false)], [9, 4, 0, 0])
  })

  it("takes of the pools that a use took of, and of no other", () => {
    const before = balanceOf({ drawn: 0, period_drawn: 0, grants: [grant("a", 3)] }, {
      quota: 1,
      pools: [pool("pool_1", 5), pool("pool_2", 5)],
      now: 0,
      inPeriod: true
    })
    const after = afterDraw(before, [{ grant_id: "pool_2", amount: 2 }])
    assert.deepStrictEqual(after.pools.map(({ id, left }) => [id, left]), [["pool_1", 5], ["pool_2", 3]])
    assert.deepStrictEqual(after.grants.map(({ left }) => left), [3])
  })

  it("is told of a feature with a quota alone", () => {
    const { granted } = feature({ grants: [grant("a", 3, { expires_at: clock.now + 1 })] })
    assert.deepStrictEqual(grantStanding({ granted, quota: 10 }), {
      granted_remaining: 3,
      next_grant_expires_at: new Date(clock.now + 1).toISOString()
    })
    assert.deepStrictEqual(
      [grantStanding({ granted, quota: null }), grantStanding({ granted: undefined, quota: 10 })],
      [
        {},
        {}
      ]
    )
  })

  it("is less once other licenses have taken of the pools, in quota and ceiling", () => {
    const found = feature({ overage: "10%", pools: [pool("pool_1", 5)] })
    assert.deepInclude(found, { quota: 15, ceiling: 16 })
    const [after] = featuresAfterOthers([found], [{ grant_id: "pool_1", amount: 2 }])
    assert.deepInclude(after, { quota: 13, ceiling: 14 })
    assert.strictEqual(after!.granted!.left, 3)
    assert.deepStrictEqual(featuresAfterOthers([found], []), [found])
    const without = feature({ quota: null })
    assert.deepStrictEqual(featuresAfterOthers([without], [{ grant_id: "pool_1", amount: 2 }]), [without])
  })
})

describe("use beyond a limit", () => {
  it("is told where the terms serve beyond it", () => {
    const over = (overage: string | undefined, used: number) => overageOf({ limit: 10, used, overage })
    assert.deepStrictEqual(over("10%", 11), { limit: 10, used: 11, over: 1 })
    assert.deepStrictEqual([over("10%", 10), over("deny", 11), over(undefined, 11)], [undefined, undefined, undefined])
  })
})

describe("a quota by the periods of a subscription", () => {
  const quota = (code: string, more: object = {}) => ({
    code,
    enabled: true,
    quota: 10,
    period: "subscription" as const,
    ...more
  })
  const warned = (...granted: ReadonlyArray<ReturnType<typeof quota>>) =>
    warningsAboutQuotas(granted, "period").map(({ message }) =>
      /^The quota of (.*) starts again with/.exec(message)?.[1]
    )

  it("is warned of where there is no subscription", () => {
    assert.deepStrictEqual(warned(quota("a")), ["a"])
    for (const more of [{ enabled: false }, { quota: null }, { period: "month" }, { periodStart: 0 }]) {
      assert.deepStrictEqual(warned(quota("a", more) as never), [])
    }
    assert.deepStrictEqual(warned(), [])
  })

  it("is named once, up to ten of them, and how many more there are", () => {
    const codes = (count: number) => Array.from({ length: count }, (_, index) => `f${index}`)
    const quotas = (count: number) => codes(count).map((code) => quota(code))
    assert.deepStrictEqual(warned(quota("a"), quota("a")), ["a"])
    assert.deepStrictEqual(warned(...quotas(10)), [codes(10).join(", ")])
    assert.deepStrictEqual(warned(...quotas(12)), [`${codes(10).join(", ")} and of 2 more`])
  })
})

describe("rules that contradict each other", () => {
  type Given = Parameters<typeof contradictions>
  it.each<[string, Given[0], Given[1], ReadonlyArray<string>]>([
    ["nothing said", {}, "perpetual", []],
    ["a duration of a perpetual license", { duration: "P1Y" }, "perpetual", ["duration"]],
    ["a duration of another one", { duration: "P1Y" }, "time_limited", []],
    ["no duration of a perpetual one", { duration: null as never }, "perpetual", []],
    ["a maintenance of another one", { maintenance_duration: "P1Y" }, "time_limited", ["maintenance_duration"]],
    ["a maintenance of a perpetual one", { maintenance_duration: "P1Y" }, "perpetual", []],
    ["a first activation that begins nothing", { expiry_basis: "first_activation" }, "time_limited", ["expiry_basis"]],
    ["one that begins a duration", { expiry_basis: "first_activation", duration: "P1Y" }, "time_limited", []],
    [
      "one that begins a maintenance",
      {
        expiry_basis: "first_activation",
        maintenance_duration: "P1Y"
      },
      "perpetual",
      []
    ],
    ["another beginning", { expiry_basis: "issue" as never }, "time_limited", []],
    ["following of another one", { follows_subscription: true }, "time_limited", ["follows_subscription"]],
    ["following of a subscription", { follows_subscription: true }, "subscription", []],
    ["following beside a duration", { follows_subscription: true, duration: "P1Y" }, "subscription", [
      "follows_subscription"
    ]],
    ["an overage of no limit", { floating_overage: "10%" }, "subscription", ["floating_overage"]],
    ["an overage of a limit", { floating_overage: "10%", max_floating_users: 3 }, "subscription", []],
    ["a unit of no seats", { lease_unit: "process" }, "subscription", ["lease_unit"]],
    ["self-service that is not allowed", { max_self_service_resets: 3 }, "subscription", ["max_self_service_resets"]],
    ["self-service that is", { max_self_service_resets: 3, self_service: true }, "subscription", []],
    ["a transfer that is not allowed either", { self_service_transfer: false }, "subscription", []],
    ["devices of no users", { max_devices_per_user: 3 }, "subscription", ["max_devices_per_user"]],
    ["devices of users", { max_devices_per_user: 3, max_users: 2 }, "subscription", []],
    ["files where none are allowed", { offline_file_days: 30, allow_offline_activation: false }, "subscription", [
      "offline_file_days"
    ]],
    ["files where they are", { offline_file_days: 30, allow_offline_activation: true }, "subscription", []],
    ["no files where none are allowed", { allow_offline_activation: false }, "subscription", []]
  ])("%s", (_, rules, type, members) => {
    assert.deepStrictEqual(
      contradictions(rules, type, "rules.").map(({ path }) => path),
      members.map((one) => `rules.${one}`)
    )
  })
})
