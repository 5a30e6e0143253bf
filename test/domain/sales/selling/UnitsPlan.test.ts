import { assert, describe, it } from "@effect/vitest"
import type { SoldUnits } from "../../../../src/domain/sales/selling/SoldUnits.ts"
import { endOf, namedLicense, unitSteps, unitTarget } from "../../../../src/domain/sales/selling/UnitsPlan.ts"
import type { GivenUnits, UnitTargets } from "../../../../src/domain/sales/selling/UnitsPlan.ts"

const paid_at = "2026-03-01T00:00:00.000000000Z"
const now = Date.UTC(2026, 2, 10)

const units = (more: Partial<SoldUnits> = {}, entry: Partial<SoldUnits["entry"]> = {}): SoldUnits => ({
  bill: "invoice/in_1",
  part: "price_1",
  item: { price: "price_1", quantity: 1 },
  entry: { by: "price", value: "price_1", feature_id: "feat_1", amount: 100, ...entry },
  amount: 100,
  paid_at,
  starts_at: undefined,
  ends_at: undefined,
  is_back: false,
  is_open: false,
  ...more
})

const given = (taken_by: string | null, number = 1): GivenUnits => ({
  bill: "invoice/in_1",
  part: "price_1",
  feature_id: "feat_1",
  number,
  taken_by
})

const stepsFor = (sold: SoldUnits, before: ReadonlyArray<GivenUnits> = [], waited: ReadonlyArray<string> = []) =>
  unitSteps({ sold: [sold] }, { given: before, purchaseId: "pur_1", waited: new Set(waited), now }).map(({ type }) =>
    type
  )

describe("the units of a payment", () => {
  it.each<[string, SoldUnits, ReadonlyArray<GivenUnits>, ReadonlyArray<string>]>([
    ["are given once", units(), [], ["give"]],
    ["are not given again", units(), [given(null)], []],
    ["are taken back with the money", units({ is_back: true }), [given(null)], ["take"]],
    ["are taken back once", units({ is_back: true }), [given("pur_1")], []],
    ["are given again by who took them", units(), [given("pur_1")], ["again"]],
    ["are not given again by another purchase, which may not know yet", units(), [given("pur_2")], []],
    ["are not given where the money is back already", units({ is_back: true }), [], []],
    ["are not given while it is disputed", units({ is_open: true }), [], []],
    ["stay where it is disputed later", units({ is_open: true }), [given(null)], []],
    ["are not given after their end", units({ ends_at: "2026-03-09T00:00:00.000000000Z" }), [], []],
    ["are not given after their time", units({}, { expires_after: "P1D" }), [], []],
    ["are given from the time of the entry on", units({}, { since: "2026-03-01T00:00:00.000Z" }), [], ["give"]],
    ["are not given before that", units({}, { since: "2026-03-02T00:00:00.000Z" }), [], []]
  ])("%s", (_, sold, before, steps) => {
    assert.deepStrictEqual(stepsFor(sold, before), steps)
  })

  it("are given before the time of the entry where the purchase had waited for it", () => {
    assert.deepStrictEqual(stepsFor(units({}, { since: "2026-03-02T00:00:00.000Z" }), [], ["price_1"]), ["give"])
  })

  it("end after their time, with their period, or never", () => {
    assert.strictEqual(endOf(units({}, { expires_after: "P1M" })), Date.UTC(2026, 3, 1))
    assert.strictEqual(endOf(units({ ends_at: "2026-04-05T00:00:00.000000000Z" })), Date.UTC(2026, 3, 5))
    assert.isUndefined(endOf(units()))
  })
})

describe("the license that units are for", () => {
  const none: UnitTargets = { named: undefined, own: [], beside: [], owned: [] }
  const targetOf = (targets: Partial<UnitTargets>) => {
    const target = unitTarget(units(), { ...none, ...targets })
    return typeof target === "string" ? target : target.code
  }

  it("is the one that is named, else of the purchase, of its checkout, or of the customer", () => {
    assert.strictEqual(targetOf({ named: ["a"], own: ["b"] }), "a")
    assert.strictEqual(targetOf({ own: ["b"], beside: ["c"], owned: ["b", "d"] }), "b")
    assert.strictEqual(targetOf({ beside: ["c"], owned: ["c", "d"] }), "c")
    assert.strictEqual(targetOf({ owned: ["d"] }), "d")
  })

  it("is none where that is not known, and the purchase says why", () => {
    assert.strictEqual(targetOf({}), "units_no_license")
    assert.strictEqual(targetOf({ owned: ["d", "e"] }), "units_several_licenses")
    assert.strictEqual(targetOf({ own: ["d", "e"], owned: ["f"] }), "units_several_licenses")
    assert.strictEqual(targetOf({ named: [], owned: ["d"] }), "units_unknown_license")
  })

  it("is named in the metadata by its ID", () => {
    assert.strictEqual(namedLicense({ license_id: " lic_1 " }), "lic_1")
    assert.isUndefined(namedLicense({ license_id: " " }))
    assert.isUndefined(namedLicense(undefined))
  })
})
