import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { measuredUse, unitsLeft, valueKey } from "../../../../src/domain/licensing/metering/MeasuredUse.ts"
import { timeOfUse, useOf } from "../../../../src/domain/licensing/metering/ReportedRow.ts"

type Measuring = Parameters<typeof measuredUse>[0]
type Use = Parameters<typeof measuredUse>[1]

const feature = (meter: Measuring["meter"], more: Partial<Measuring> = {}): Measuring => ({
  id: "feat_1",
  consumed: 5,
  meter,
  meter_dimension: meter === "unique" ? "user" : null,
  periodStart: 1000,
  ...more
})

const seen = new Set([valueKey({ license_id: "lic_1", feature_id: "feat_1", value: "ada" }, 1000)])

/** What a use counts: its units, the amount that was named, and its value; or why it cannot. */
const measured = (of: Measuring, use: Partial<Use> = {}) => {
  const { measured, refused, units, value } = measuredUse(
    of,
    { license_id: "lic_1", amount: 7, dimensions: undefined, ...use },
    seen
  )
  const [field] = refused?.error.fields ?? []
  return field === undefined ? [units, measured, value] : `${field.path} ${field.code}, ${units}`
}

describe("a use", () => {
  it("counts its amount where amounts are added up, which then says all", () => {
    assert.deepStrictEqual(measured(feature(null)), [7, undefined, undefined])
  })

  it("counts by how much it changes the largest or the latest amount, also where it is nothing", () => {
    assert.deepStrictEqual(measured(feature("max")), [2, 7, undefined])
    assert.deepStrictEqual(measured(feature("max"), { amount: 0 }), [0, 0, undefined])
    assert.deepStrictEqual(measured(feature("last"), { amount: 0 }), [-5, 0, undefined])
    assert.deepStrictEqual(measured(feature("last"), { isOutdated: true }), [0, 7, undefined])
    assert.deepStrictEqual(measured(feature("last"), { isOutdated: false }), [2, 7, undefined])
  })

  it("of nothing is none where amounts are added up or values are counted", () => {
    assert.strictEqual(measured(feature(null), { amount: 0 }), "amount invalid_value, 0")
    assert.strictEqual(
      measured(feature("unique"), { amount: 0, dimensions: { user: "bob" } }),
      "amount invalid_value, 0"
    )
    assert.deepStrictEqual(measured(feature(null), { amount: 1 }), [1, undefined, undefined])
  })

  it("counts a value that its period did not have before", () => {
    const of = (value: string, more: Partial<Measuring> = {}) =>
      measured(feature("unique", more), { dimensions: { user: value, host: "h" } })
    assert.deepStrictEqual(of("bob"), [1, 7, "bob"])
    assert.deepStrictEqual(of("ada"), [0, 7, undefined])
    assert.deepStrictEqual(of("ada", { periodStart: 2000 }), [1, 7, "ada"])
    assert.deepStrictEqual(of("ada", { periodStart: undefined }), [1, 7, "ada"])
    assert.deepStrictEqual(of("ada", { id: "feat_2" }), [1, 7, "ada"])
  })

  it("needs a value where values are counted, of its own dimension", () => {
    assert.strictEqual(measured(feature("unique")), "dimensions.user required, 0")
    assert.strictEqual(measured(feature("unique"), { dimensions: { host: "h" } }), "dimensions.user required, 0")
    // No member of every object is a dimension.
    const odd = feature("unique", { meter_dimension: "constructor" })
    assert.strictEqual(measured(odd, { dimensions: {} }), "dimensions.constructor required, 0")
  })

  it("is no new value once the period has had as many as are told apart, and one that it had still", () => {
    const of = (value: string, consumed: number) =>
      measured(feature("unique", { consumed }), { dimensions: { user: value } })
    assert.deepStrictEqual(of("bob", 99_999), [1, 7, "bob"])
    assert.strictEqual(of("bob", 100_000), "dimensions.user too_many, 0")
    assert.deepStrictEqual(of("ada", 100_000), [0, 7, undefined])
  })

  it("may take what the quota serves, and without one no more than numbers carry exactly", () => {
    const of = (quota: number | null, total: number) =>
      unitsLeft({ quota, consumed: 4, total, granted: undefined, overage: null } as never)
    assert.deepStrictEqual([of(10, 4), of(null, 4)], [6, Number.MAX_SAFE_INTEGER - 4])
    assert.strictEqual(of(10, Number.MAX_SAFE_INTEGER - 2), 2)
  })
})

describe("a row of a report", () => {
  const codes = (row: unknown) => {
    const found = useOf(row)
    return Result.isSuccess(found) ? "" : found.failure.error.fields!.map(({ code, path }) => `${path} ${code}`).join()
  }
  const row = { license_id: "lic_1", feature_code: "render", event_id: "e" }

  it("is a use of one license or customer, and of nothing that nobody asked for", () => {
    assert.strictEqual(codes(row), "")
    assert.strictEqual(codes({ ...row, customer_id: "cus_1" }), "license_id invalid_value")
    assert.strictEqual(codes({ feature_code: "render", event_id: "e" }), "license_id invalid_value")
    assert.notStrictEqual(codes({ ...row, colour: "red" }), "")
  })

  it("is a JSON object", () => {
    assert.deepStrictEqual([null, [], [row], "x", 7, undefined].map(codes), Array(6).fill(" invalid_type"))
  })

  it("is of a time that is no further ahead than clocks differ, and old after a week", () => {
    const now = Date.parse("2027-03-17T00:00:00Z")
    const of = (used_at?: number) => {
      const found = timeOfUse(used_at === undefined ? undefined : new Date(used_at).toISOString(), now)
      return Result.isSuccess(found)
        ? [found.success.at - now, found.success.isOld]
        : found.failure.error.fields!.map(({ code }) => code)
    }
    const [minute, day] = [60_000, 86_400_000]
    assert.deepStrictEqual(of(), [0, false])
    assert.deepStrictEqual(of(now - 1), [-1, false])
    assert.deepStrictEqual(of(now + 5 * minute), [0, false])
    assert.deepStrictEqual(of(now + 5 * minute + 1), ["in_future"])
    assert.deepStrictEqual(of(now - 7 * day), [-7 * day, false])
    assert.deepStrictEqual(of(now - 7 * day - 1), [-7 * day - 1, true])
  })
})
