import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { SnapshotRow } from "../../../../src/domain/licensing/entitlements/Snapshot.ts"
import { chosen, lateness, pastKey } from "../../../../src/domain/licensing/metering/ChosenUse.ts"
import type { CountedState, NamedUse, RecordedUse } from "../../../../src/domain/licensing/metering/ChosenUse.ts"
import type { PastTerms } from "../../../../src/domain/licensing/metering/PastTerms.ts"
import type { PastCount } from "../../../../src/domain/licensing/metering/ReportedCount.ts"
import { counterOf } from "../../../../src/domain/licensing/metering/ReportedCount.ts"
import { makeUseCounting } from "../../../../src/domain/licensing/metering/ReportedDecision.ts"
import type { PastPeriods } from "../../../../src/domain/licensing/metering/ReportedDecision.ts"
import type { ReportedUse } from "../../../../src/domain/licensing/metering/UsageReport.ts"
import { policyGrant, snapshotRow } from "../../../fixtures/SnapshotRows.ts"

const now = Date.UTC(2026, 2, 29)
const march = Date.UTC(2026, 2, 1)
const day = 86_400_000
const iso = (at: number) => new Date(at).toISOString()

const license = (id: string, members: Partial<SnapshotRow> = {}): SnapshotRow =>
  snapshotRow({
    license_id: id,
    now: new Date(now),
    created_at: new Date(now - 300 * day),
    device_id: null,
    device_status: null,
    granted: [policyGrant({ quota: 10 })],
    ...members
  })

/** What a license has of the feature itself: its counter, and its grants. */
const counter = (members: object, more: object = {}): NonNullable<SnapshotRow["features"]>[number] => ({
  id: "feat_1",
  code: "render",
  product: null,
  enabled: true,
  expires_at: null,
  quota: null,
  consumed: 0,
  ...members,
  more: {
    is_counter: true,
    value: null,
    period: null,
    overage: null,
    period_start: null,
    period_consumed: null,
    credits: null,
    credits_start: null,
    granted: null,
    announced: null,
    announced_remaining: null,
    announced_start: null,
    ...more
  }
})

const grant = (id: string, left: number, members: object = {}) => ({
  id,
  left,
  priority: 100,
  starts_at: iso(now - day),
  expires_at: null,
  ...members
})

const pool = (left: number, members: object = {}) => ({
  ...grant("pool_1", left),
  feature: "feat_1",
  cap: null,
  mine: 0,
  ...members
})

const counted = (count: PastCount): readonly [string, PastCount] => [pastKey("lic_1", "feat_1", count), count]

let made = 0

const use = (amount: number, members: Partial<ReportedUse> = {}, more: Partial<NamedUse> = {}): NamedUse => ({
  index: 0,
  at: now,
  isOld: false,
  licenses: ["lic_1"],
  use: {
    license_id: "lic_1",
    feature_code: "render",
    amount,
    event_id: `use-${++made}`,
    ...members
  },
  ...more
})

interface World {
  readonly licenses?: ReadonlyArray<SnapshotRow>
  readonly recorded?: ReadonlyMap<string, RecordedUse>
  readonly values?: ReadonlySet<string>
  readonly outdated?: ReadonlySet<number>
  readonly past?: Partial<PastPeriods>
  readonly terms?: PastTerms
}

const counting = ({ licenses = [license("lic_1")], past, ...known }: World = {}) => {
  const state: CountedState = {
    licenses: new Map(licenses.map((row) => [row.license_id, row])),
    recorded: new Map(),
    values: new Set(),
    outdated: new Set(),
    ...known
  }
  let grants = 0
  const made = makeUseCounting(state, { counts: new Map(), carriedOut: new Map(), ...past }, {
    now,
    nextId: () => `grant_new_${++grants}`
  })
  return {
    ...made,
    /** The refusal of a use, or what it comes to. */
    told: (named: NamedUse): unknown => {
      const result = Result.flatMap(chosen(named, state), made.count)
      if (Result.isFailure(result)) return result.failure.error.detail ?? result.failure.error.code
      const decided = result.success
      if (decided.before !== undefined) return { before: decided.before.amount }
      const taken = decided.taken.map(({ amount, grant_id }) => `${amount} of ${grant_id}`)
      return [decided.amount, decided.over, ...taken].join(", ")
    }
  }
}

describe("uses of one report", () => {
  it("find what those before them have left of the quota", () => {
    const { licenses, told } = counting()
    assert.deepStrictEqual([7, 4, 3, 1].map((amount) => told(use(amount))), [
      "7, 0",
      "3 left, 4 asked for",
      "3, 0",
      "0 left, 1 asked for"
    ])
    assert.strictEqual(licenses.get("lic_1")!.features![0]!.consumed, 10)
  })

  it("find what those before them have left of grants, in the order of their ends", () => {
    const features = [counter({ consumed: 8 }, {
      granted: { drawn: 0, period_drawn: null, grants: [grant("a", 3), grant("b", 2, { expires_at: iso(now + day) })] }
    })]
    const { told } = counting({ licenses: [license("lic_1", { features })] })
    assert.deepStrictEqual([3, 3, 2].map((amount) => told(use(amount))), [
      "3, 0, 2 of b",
      "3, 0, 2 of a",
      "1 left, 2 asked for"
    ])
  })

  it("find what those of other licenses have left of a pool, and each its own cap", () => {
    const granted = [policyGrant({ quota: 1 })]
    const licenses = ["lic_1", "lic_2", "lic_3"].map((id) => license(id, { granted, pools: [pool(7, { cap: 4 })] }))
    const { told } = counting({ licenses })
    const of = (id: string, amount: number) => told(use(amount, { license_id: id }, { licenses: [id] }))
    assert.strictEqual(of("lic_1", 6), "5 left, 6 asked for")
    assert.strictEqual(of("lic_1", 4), "4, 0, 3 of pool_1")
    assert.strictEqual(of("lic_1", 2), "1 left, 2 asked for")
    assert.strictEqual(of("lic_2", 5), "5, 0, 4 of pool_1")
    assert.strictEqual(of("lic_3", 1), "1, 0")
    assert.strictEqual(of("lic_3", 1), "0 left, 1 asked for")
  })

  it("count an event_id once, and refuse it with another amount, as one that was recorded before", () => {
    const recorded = new Map([
      ["lic_1\nfeat_1\nbefore", { amount: 4, overage: 0, usedAt: now - 5, periodStart: undefined }]
    ])
    const { told } = counting({ recorded })
    assert.strictEqual(told(use(3, { event_id: "same" })), "3, 0")
    assert.deepStrictEqual(told(use(3, { event_id: "same" })), { before: 3 })
    assert.strictEqual(told(use(2, { event_id: "same" })), "amount 3")
    assert.deepStrictEqual(told(use(4, { event_id: "before" })), { before: 4 })
    assert.strictEqual(told(use(5, { event_id: "before" })), "amount 4")
    assert.strictEqual(told(use(7)), "7, 0")
  })

  it("of a period that is over count in it, and find what those before them left of it", () => {
    const granted = [policyGrant({ quota: 10, period: "month" })]
    const running = counter({ consumed: 15 }, { period_start: iso(march), period_consumed: 6 })
    const february = Date.UTC(2026, 1, 1)
    const counts = new Map([counted({ start: february, end: march, consumed: 9, drawn: 0 })])
    const { licenses, told } = counting({
      licenses: [license("lic_1", { granted, features: [running] })],
      past: { counts }
    })
    const late = (amount: number) => told(use(amount, {}, { at: march - 1 }))
    assert.deepStrictEqual([late(2), late(1), late(1)], ["1 left, 2 asked for", "1, 0", "0 left, 1 asked for"])
    assert.deepStrictEqual([told(use(5)), told(use(4)), told(use(1))], [
      "4 left, 5 asked for",
      "4, 0",
      "0 left, 1 asked for"
    ])
    const [left] = licenses.get("lic_1")!.features!
    assert.strictEqual(left!.consumed, 20)
    assert.deepInclude(left!.more, { period_start: iso(march), period_consumed: 10 })
  })

  it("of a period that is over leave what grants served of the running one as it is, also where that is nothing", () => {
    const granted = [policyGrant({ quota: 0, period: "day", overage: "allow" })]
    const today = now + day / 2
    const grants = [grant("a", 11, { starts_at: iso(now - day) })]
    const features = [counter({ consumed: 3 }, {
      period_start: iso(now),
      period_consumed: 2,
      granted: { drawn: 0, period_drawn: null, grants }
    })]
    const row = license("lic_1", { now: new Date(today), granted, features })
    const counts = new Map([counted({ start: now - day, end: now, consumed: 1, drawn: 0 })])
    const { licenses, told } = counting({ licenses: [row], past: { counts } })
    assert.strictEqual(told(use(11, {}, { at: now - day / 2 })), "11, 0, 11 of a")
    assert.deepInclude(counterOf(licenses.get("lic_1")!, { id: "feat_1", period: "day" }), {
      total: 14,
      consumed: 2,
      granted: { totalDrawn: 11, drawn: 0 }
    })
  })

  it("of another plan's period count in each period that they lie in, whose counter it has or has not", () => {
    const monday = Date.UTC(2026, 2, 23)
    const then = (members: object): PastTerms => (_id, at) =>
      at >= now - day
        ? undefined
        : {
          owner: { customer_id: undefined, order_id: undefined, subscription_id: undefined },
          applied: (row) => ({ ...row, granted: [policyGrant({ quota: 10, ...members })] })
        }
    const late = (amount: number) => use(amount, {}, { at: now - 2 * day })
    const monthly = [policyGrant({ quota: 10, period: "month" })]
    const begun = { period_start: iso(march), period_consumed: 3 }
    for (const features of [[], [counter({ consumed: 3 }, begun)]]) {
      const used = features.length * 3
      const { told } = counting({ licenses: [license("lic_1", { granted: monthly, features })], terms: then({}) })
      assert.deepStrictEqual([told(late(2)), told(late(2)), told(use(7 - used)), told(use(1))], [
        "2, 0",
        "2, 0",
        `${6 - used} left, ${7 - used} asked for`,
        "1, 0"
      ])
    }
    const week = counted({ start: monday, end: monday + 7 * day, consumed: 8, drawn: 0 })
    const ofDay = counted({ start: now - 2 * day, end: now - day, consumed: 8, drawn: 0 })
    const { told } = counting({
      licenses: [
        license("lic_1", {
          granted: [policyGrant({ quota: 10, period: "week" })],
          features: [counter({}, { period_start: iso(now) })]
        })
      ],
      terms: then({ period: "day" }),
      past: { counts: new Map([week, ofDay]) }
    })
    assert.deepStrictEqual([
      told(late(1)),
      told(late(2)),
      told(use(2, {}, { at: now - day })),
      told(use(1, {}, { at: now - day }))
    ], [
      "1, 0",
      "1 left, 2 asked for",
      "1 left, 2 asked for",
      "1, 0"
    ])
  })

  it("of a period that has carried units have the overage of its whole quota", () => {
    const granted = [policyGrant({ quota: 100, period: "month", overage: "10%" })]
    const february = Date.UTC(2026, 1, 1)
    const out = grant("out", 20, { starts_at: iso(march), expires_at: iso(Date.UTC(2026, 3, 1)), priority: 50 })
    const features = [counter({ consumed: 80 }, {
      period_start: iso(march),
      period_consumed: 0,
      granted: { drawn: 0, period_drawn: null, grants: [out] }
    })]
    const ofFebruary = counted({ start: february, end: march, consumed: 80, drawn: 0 })
    const { licenses, told } = counting({
      licenses: [license("lic_1", { granted, features })],
      past: {
        counts: new Map([ofFebruary]),
        carriedOut: new Map([[ofFebruary[0], [{ id: "out", amount: 20 }]]])
      }
    })
    const late = (amount: number) => told(use(amount, {}, { at: march - 1 }))
    assert.deepStrictEqual([late(31), late(25), late(6), late(5)], [
      "30 left, 31 asked for",
      "25, 5, 20 of out",
      "5 left, 6 asked for",
      "5, 5"
    ])
    assert.strictEqual(licenses.get("lic_1")!.features![0]!.consumed, 110)
  })

  it("find the values that those before them had", () => {
    const granted = [policyGrant({ quota: 1, meter: "unique", meter_dimension: "user" })]
    const { told } = counting({ licenses: [license("lic_1", { granted })] })
    const of = (user: string) => told(use(1, { dimensions: { user } }))
    assert.deepStrictEqual([of("ada"), of("ada"), of("bob")], ["1, 0", "1, 0", "0 left, 1 asked for"])
  })

  it("are measured as the feature measures, those after the first one too, whose counter has just begun", () => {
    const of = (meter: "last" | "max") => {
      const { told } = counting({ licenses: [license("lic_1", { granted: [policyGrant({ quota: 10, meter })] })] })
      return [4, 9, 7, 11].map((amount) => told(use(amount)))
    }
    assert.deepStrictEqual(of("max"), ["4, 0", "9, 0", "7, 0", "1 left, 2 asked for"])
    assert.deepStrictEqual(of("last"), ["4, 0", "9, 0", "7, 0", "3 left, 4 asked for"])
  })

  it("stop at a total that every JSON library reads exactly", () => {
    const most = Number.MAX_SAFE_INTEGER
    const licenses = [license("lic_1", { granted: [policyGrant({})], features: [counter({ consumed: most - 2 })] })]
    const { told } = counting({ licenses })
    assert.deepStrictEqual([told(use(3)), told(use(2)), told(use(1))], [
      "2 left, 3 asked for",
      "2, 0",
      "0 left, 1 asked for"
    ])
  })
})

describe("the license of a use", () => {
  const of = (licenses: ReadonlyArray<SnapshotRow>, named: NamedUse) => {
    const result = chosen(named, {
      licenses: new Map(licenses.map((row) => [row.license_id, row])),
      recorded: new Map()
    })
    if (Result.isSuccess(result)) return result.success.licenseId
    const { code, fields } = result.failure.error
    return fields?.[0]?.code ?? code
  }
  const ofCustomer = (licenses: ReadonlyArray<string>) =>
    use(1, {}, { licenses, use: { customer_id: "cus_1", feature_code: "render", event_id: "e" } })

  it("is the one that is named, or the only one of the customer that grants the feature", () => {
    const [one, two] = [license("lic_1"), license("lic_2")]
    const without = license("lic_2", { granted: [] })
    const cases: ReadonlyArray<readonly [ReadonlyArray<SnapshotRow>, NamedUse, string]> = [
      [[one], use(1), "lic_1"],
      [[], use(1), "NOT_FOUND"],
      [[license("lic_1", { granted: [] })], use(1), "FEATURE_NOT_ENTITLED"],
      [[license("lic_1", { granted: [policyGrant({ enabled: false })] })], use(1), "FEATURE_NOT_ENTITLED"],
      [[license("lic_1", { state: "suspended" })], use(1), "LICENSE_INACTIVE"],
      [[one, without], ofCustomer(["lic_1", "lic_2"]), "lic_1"],
      [[without, one], ofCustomer(["lic_2", "lic_1"]), "lic_1"],
      [[one, two], ofCustomer(["lic_1", "lic_2"]), "ambiguous"],
      [[without], ofCustomer(["lic_2"]), "FEATURE_NOT_ENTITLED"],
      [[], ofCustomer([]), "FEATURE_NOT_ENTITLED"]
    ]
    for (const [licenses, named, expected] of cases) assert.strictEqual(of(licenses, named), expected)
  })

  it("is that under which a use was counted before, whatever became of it", () => {
    const named = ofCustomer(["lic_1", "lic_2"])
    const before = { amount: 1, overage: 0, usedAt: now, periodStart: undefined }
    const licenses = new Map([["lic_1", license("lic_1")], ["lic_2", license("lic_2", { state: "suspended" })]])
    const found = chosen(named, { licenses, recorded: new Map([["lic_2\nfeat_1\ne", before]]) })
    assert.deepInclude(Result.getOrThrow(found), { licenseId: "lic_2", before })
  })

  it("refuses a use that is too old, or of a period that nobody knows, unless it was counted", () => {
    const rows = { licenses: new Map([["lic_1", license("lic_1")]]), recorded: new Map() }
    const taken = Result.getOrThrow(chosen(use(1), rows))
    const before = { amount: 1, overage: 0, usedAt: now, periodStart: undefined }
    const why = (more: object) => lateness({ ...taken, ...more })?.error.fields?.[0]?.code
    const unknown = { period: { is: "unknown" } }
    assert.deepStrictEqual([why({}), why({ isOld: true }), why(unknown)], [undefined, "too_late", "too_late"])
    assert.deepStrictEqual([why({ before, isOld: true }), why({ before, ...unknown })], [undefined, undefined])
    const dropped = (more: object) => lateness({ ...taken, ...more }, now + 1)?.error.fields?.[0]?.code
    assert.deepStrictEqual([dropped({}), dropped({ at: now + 1 }), dropped({ before })], [
      "too_late",
      undefined,
      undefined
    ])
  })
})
