// What is stored of a license after uses of a feature, and the counter that is written of it.
import { assert, describe, it } from "@effect/vitest"
import { snapshotOf } from "../../../../src/domain/licensing/entitlements/Snapshot.ts"
import type { SnapshotRow, StoredGrant, StoredMore } from "../../../../src/domain/licensing/entitlements/Snapshot.ts"
import {
  counterOf,
  inPeriodNow,
  periodOfUse,
  rowAfter,
  withEnded,
  withPoolsDrawn
} from "../../../../src/domain/licensing/metering/ReportedCount.ts"
import { policyGrant, snapshotRow } from "../../../fixtures/SnapshotRows.ts"
import { storedCounter } from "../../../fixtures/StoredFeatures.ts"

const at = (text: string) => Date.parse(`2026-${text}T00:00:00.000Z`)
const iso = (millis: number) => new Date(millis).toISOString()
const [february, march, april, now] = ["02-01", "03-01", "04-01", "03-29"].map(at) as [number, number, number, number]

const stored = (more: Partial<StoredMore> = {}, members: Partial<StoredGrant> = {}) => storedCounter(20, more, members)

const other = stored({ period_start: iso(march), period_consumed: 1 }, { id: "feat_2", code: "scan", consumed: 1 })

const monthly = policyGrant({ quota: 10, period: "month" })
const endless = policyGrant({ quota: 10 })

const license = (features: ReadonlyArray<StoredGrant>, granted = [monthly], more: Partial<SnapshotRow> = {}) =>
  snapshotRow({ now: new Date(now), created_at: new Date(at("01-01")), granted, features, ...more })

const featureOf = (row: SnapshotRow) => snapshotOf(row).features.find(({ id }) => id === "feat_1")!

describe("the counter that is written", () => {
  const written = (more: Partial<StoredMore>, period: "month" | null = "month") =>
    counterOf(license([other, stored(more)]), { id: "feat_1", period })

  it("has the count of the period, and of all where it has none", () => {
    assert.deepInclude(written({ period_start: iso(march), period_consumed: 4 }), {
      total: 20,
      consumed: 4,
      periodStart: march,
      granted: undefined,
      isApart: false
    })
    assert.deepInclude(written({}, null), { total: 20, consumed: 20, periodStart: undefined })
    assert.isTrue(written({ counted_apart: true }).isApart)
  })

  it("has what grants served: in the period, or in all", () => {
    const granted = { drawn: 9, period_drawn: 4, grants: null }
    const start = { period_start: iso(march), period_consumed: 4 }
    assert.deepStrictEqual(written({ ...start, granted }).granted, { totalDrawn: 9, drawn: 4 })
    assert.deepStrictEqual(written({ ...start, granted: { ...granted, period_drawn: null } }).granted, {
      totalDrawn: 9,
      drawn: 0
    })
    assert.deepStrictEqual(written({ ...start, granted }, null).granted, { totalDrawn: 9, drawn: 9 })
  })

  it("has what was announced of its own period, and nothing of another", () => {
    const said = (
      announced_start: string | null,
      announced: number | null = 50,
      announced_remaining: number | null = 5
    ) => {
      const counter = written({ period_start: iso(march), announced, announced_remaining, announced_start })
      return [counter.announced, counter.announcedRemaining]
    }
    assert.deepStrictEqual([said(iso(march)), said(iso(february)), said(iso(march), null, null)], [
      [50, 5],
      [0, Infinity],
      [0, Infinity]
    ])
    const ofAll = written({ announced: 50, announced_remaining: 5 }, null)
    assert.deepStrictEqual([ofAll.announced, ofAll.announcedRemaining], [50, 5])
  })
})

describe("the license after a use", () => {
  const begun = { period_start: iso(march), period_consumed: 4 }
  const row = license([other, stored(begun)])
  const used = { ...featureOf(row), consumed: 6, total: 22, announced: 50, announcedRemaining: 4 }
  const after = (changes: object = {}, counted: object = {}, of = row) =>
    rowAfter(of, "prod_1", { after: { ...used, ...changes }, at: now, isPast: false, taken: [], ...counted }).features!

  it("has its count, and that of no other feature", () => {
    const [first, second] = after()
    assert.strictEqual(first, other)
    assert.strictEqual(second!.consumed, 22)
    assert.deepInclude(second!.more, {
      ...begun,
      period_consumed: 6,
      announced: 50,
      announced_remaining: 4,
      announced_start: iso(march),
      counted_apart: null
    })
  })

  it("has nothing announced where nothing was", () => {
    const [, second] = after({ announced: 0, announcedRemaining: Infinity })
    assert.deepInclude(second!.more, { announced: null, announced_remaining: null })
  })

  it("of a period that is over leaves that of the running one as it is", () => {
    const [, second] = after({ periodStart: february }, { at: march - 1, isPast: true })
    assert.strictEqual(second!.consumed, 22)
    assert.deepInclude(second!.more, { ...begun, announced: null, announced_start: null })
    assert.isUndefined(second!.more!.counted_apart)
  })

  it("without a period was counted apart from it", () => {
    const [, second] = after({ periodStart: undefined })
    assert.deepInclude(second!.more, { ...begun, counted_apart: true, announced_start: null })
  })

  it("of another plan, in the time of a counter that does not count it, makes that be made of the records", () => {
    const [, second] = after({ periodStart: february }, { at: march, isPast: true })
    assert.deepInclude(second!.more, { ...begun, counted_apart: true })
    const [none] = after({}, { isPast: true }, license([stored()]))
    assert.isUndefined(none!.more!.counted_apart)
  })

  it("counts the running period by its counter again, once that is of it", () => {
    const recounted = { start: iso(march), consumed: 3, drawn: 0 }
    const of = license([stored({ ...begun, recounted })])
    const left = (changes: object, counted: object = {}) => after(changes, counted, of)[0]!.more!.recounted
    assert.isNull(left({}))
    assert.deepStrictEqual(left({}, { isPast: true }), recounted)
    assert.deepStrictEqual(left({ periodStart: february }), recounted)
    const again = { ...recounted, consumed: 9 }
    assert.deepStrictEqual(left({}, { isPast: true, recounted: again }), again)
  })

  it("begins a counter of the feature where it has none, in the product that was used", () => {
    const [first, second] = rowAfter(license([other]), "prod_2", { after: used, at: now, isPast: false, taken: [] })
      .features!
    assert.strictEqual(first, other)
    assert.deepInclude(second, { id: "feat_1", code: "render", product: "prod_2", consumed: 22 })
    assert.strictEqual(
      rowAfter(license([]), "prod_1", { after: used, at: now, isPast: false, taken: [] }).features![0]!.product,
      null
    )
  })

  it("has units of grants taken off those that were used", () => {
    const grant = (id: string, left: number) => ({
      id,
      left,
      priority: 100,
      starts_at: iso(february),
      expires_at: null
    })
    const granted = { drawn: 1, period_drawn: 1, grants: [grant("a", 5), grant("b", 5)] }
    const of = license([stored({ ...begun, granted })])
    const balance = featureOf(of).granted!
    const counted = (isPast: boolean) =>
      after(
        { granted: { ...balance, drawn: 3, totalDrawn: 3 } },
        { isPast, taken: [{ grant_id: "a", amount: 2 }] },
        of
      )[0]!
        .more!.granted!
    assert.deepStrictEqual(counted(false).grants!.map(({ id, left }) => [id, left]), [["a", 3], ["b", 5]])
    assert.deepInclude(counted(false), { drawn: 3, period_drawn: 3 })
    assert.deepInclude(counted(true), { drawn: 3, period_drawn: 1 })
    // A feature whose grants nobody has read has none to take off.
    const bare = license([stored({ ...begun, granted: { ...granted, grants: null } })])
    assert.deepStrictEqual(after({ granted: balance }, {}, bare)[0]!.more!.granted!.grants, [])
  })
})

describe("the period of a use", () => {
  const period = (row: SnapshotRow, time: number) => periodOfUse(row, featureOf(row), time)
  const [ofFebruary, ofMarch] = [{ start: february, end: march }, { start: march, end: april }]

  it("is the running one, an earlier one, or none where its counter has none", () => {
    const counted = license([stored({ period_start: iso(march), period_consumed: 4 })])
    assert.deepStrictEqual(period(counted, march), { is: "running", span: ofMarch })
    assert.deepStrictEqual(period(counted, march - 1), { is: "past", span: ofFebruary })
    assert.deepStrictEqual(period(license([stored()], [endless]), february), { is: "running", span: undefined })
  })

  it("is unknown where a subscription had others", () => {
    const subscription_period = { start: iso(march), end: iso(april) }
    const granted = [policyGrant({ quota: 10, period: "subscription" })]
    const row = license([stored({ period_start: iso(march), period_consumed: 4 })], granted, { subscription_period })
    assert.deepStrictEqual(period(row, march), { is: "running", span: undefined })
    assert.deepStrictEqual(period(row, march - 1), { is: "unknown" })
  })

  it("is counted by the records where it is over, and the counter is of another one", () => {
    const late = (more: Partial<StoredMore>) => {
      const row = license([stored(more)])
      return periodOfUse(row, { ...featureOf(row), periodStart: february }, february)
    }
    assert.deepStrictEqual(late({ period_start: iso(february) }), { is: "running", span: ofFebruary })
    assert.deepStrictEqual(late({}), { is: "running", span: ofFebruary, isUncounted: true })
    assert.deepStrictEqual(late({ period_start: iso(february), counted_apart: true }), {
      is: "running",
      span: ofFebruary,
      isUncounted: true
    })
  })
})

describe("a use by terms of another period", () => {
  const row = license([stored({ period_start: iso(march), period_consumed: 4 })])
  const running = featureOf(row)
  const found = { ...running, consumed: 99, periodStart: undefined, periodEnd: undefined, period: null }
  const told = (time: number, of = row, current: typeof running | undefined = running) =>
    inPeriodNow(of, found, { now: current, at: time, units: 2, taken: [{ grant_id: "a", amount: 1 }] })

  it("counts in the running period from its first instant on", () => {
    const { after, isPast } = told(march)
    assert.isFalse(isPast)
    assert.deepInclude(after, { consumed: 6, periodStart: march, periodEnd: april, period: "month" })
    assert.deepStrictEqual(told(march - 1), { after: found, isPast: true })
    assert.deepStrictEqual(told(march, row, { ...running, periodStart: undefined }), { after: found, isPast: true })
    assert.deepStrictEqual(inPeriodNow(row, found, { now: undefined, at: march, units: 2, taken: [] }), {
      after: found,
      isPast: true
    })
  })

  it("leaves a counter that is not of the running period, and counts that by the records", () => {
    const old = license([stored({ period_start: iso(february), period_consumed: 4 })])
    const recounted = { start: iso(march), consumed: 6, drawn: 1 }
    assert.deepStrictEqual(told(march, old), { after: found, isPast: true, recounted })
    assert.deepStrictEqual(told(march, license([])), { after: found, isPast: true, recounted })
  })
})

describe("what has ended since", () => {
  const grant = (id: string) => ({ id, left: 5, priority: 100, starts_at: iso(february), expires_at: iso(march) })
  const pool = (id: string) => ({ ...grant(id), feature: "feat_1", cap: null, mine: 1 })

  it("stands in the license once, for uses of before", () => {
    const granted = { drawn: 0, period_drawn: null, grants: [grant("a")] }
    const row = license([other, stored({ granted })])
    const own = (...ids: ReadonlyArray<string>) =>
      ids.map((id) => ({ customer_id: null, units: { ...pool(id), mine: 0 } }))
    const then = withEnded(row, own("a", "b"))
    assert.deepStrictEqual(then.features![1]!.more!.granted!.grants!.map(({ id }) => id), ["a", "b"])
    assert.deepStrictEqual([then.features![0], then.pools], [row.features![0], row.pools])
    const without = license([stored()])
    assert.deepStrictEqual(withEnded(without, own("b")), without)
    const ended = ["p1", "p2"].map((id) => ({ customer_id: "cus_1", units: pool(id) }))
    const shared = (pools: SnapshotRow["pools"]) =>
      withEnded(license([], [monthly], { pools }), ended).pools!.map(({ id }) => id)
    assert.deepStrictEqual([shared(null), shared([pool("p1")])], [["p1", "p2"], ["p1", "p2"]])
  })

  it("is drawn from by all licenses of the customer, and counted to the one that did", () => {
    const row = license([], [monthly], { pools: [pool("p1"), pool("p2")] })
    const drawn = (licenseId: string) =>
      withPoolsDrawn(row, licenseId, [{ grant_id: "p1", amount: 2 }]).pools!.map(({ left, mine }) => [left, mine])
    assert.deepStrictEqual([drawn("lic_1"), drawn("lic_2")], [[[3, 3], [5, 1]], [[3, 1], [5, 1]]])
    const without = license([])
    assert.strictEqual(withPoolsDrawn(without, "lic_1", [{ grant_id: "p1", amount: 2 }]), without)
  })
})
