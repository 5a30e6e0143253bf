import { assert, describe, it } from "@effect/vitest"
import {
  decimalsMember,
  givingRefused,
  meteredBy,
  meterMembers,
  refundRefused,
  unitsOf
} from "../../../../src/domain/catalog/terms/Measure.ts"
import { isUsedUp, selfServiceOf } from "../../../../src/domain/catalog/terms/SelfService.ts"

describe("the measure of a feature", () => {
  it("counts by how much each use changes what is measured", () => {
    const use = { amount: 7, isNewest: true, isSeen: false }
    const of = (meter: "max" | "last" | "unique" | null, consumed: number, more: Partial<typeof use> = {}) =>
      unitsOf({ consumed, meter }, { ...use, ...more })
    assert.deepStrictEqual([of(null, 5), of(null, 9)], [7, 7])
    assert.deepStrictEqual([of("max", 5), of("max", 7), of("max", 9)], [2, 0, 0])
    assert.deepStrictEqual([of("last", 5), of("last", 9), of("last", 5, { isNewest: false })], [2, -2, 0])
    assert.deepStrictEqual([of("unique", 5), of("unique", 5, { isSeen: true })], [1, 0])
  })

  it("gives back uses of a sum alone, and takes units beside the quota where they are used up", () => {
    const meters = [null, "max", "last", "unique"] as const
    assert.deepStrictEqual(meters.map((meter) => refundRefused(meter) === undefined), [true, false, false, false])
    assert.deepStrictEqual(meters.map((meter) => givingRefused(meter) === undefined), [true, true, false, true])
  })

  it("is shown where it is no sum of whole units", () => {
    assert.deepStrictEqual([decimalsMember(undefined), decimalsMember(null), decimalsMember(0), decimalsMember(2)], [
      {},
      {},
      {},
      { decimals: 2 }
    ])
    assert.deepStrictEqual(meterMembers({}), {})
    assert.deepStrictEqual(meterMembers({ meter: null }), {})
    assert.deepStrictEqual(meterMembers({ meter: "sum", meter_dimension: "user" }), {})
    assert.deepStrictEqual(meterMembers({ meter: "max", meter_dimension: null }), { meter: "max" })
    assert.deepStrictEqual(meterMembers({ meter: "unique", meter_dimension: "user" }), {
      meter: "unique",
      meter_dimension: "user"
    })
    assert.deepStrictEqual(meteredBy({}), { decimals: null, meter: null, meter_dimension: null })
  })
})

describe("what owners of licenses may do themselves", () => {
  const now = Date.parse("2027-03-17T00:00:00Z")
  const [march, april] = ["2027-03-01", "2027-04-01"].map((text) => Date.parse(`${text}T00:00:00Z`)) as [number, number]
  const of = (rules: object, count: object = {}) =>
    selfServiceOf(rules as never, { start: march, resets: 2, ...count } as never, now)

  it("is to be allowed, and moving a license is to be allowed beside it", () => {
    const may = (rules: object) => {
      const { isAllowed, mayTransfer } = of(rules)
      return [isAllowed, mayTransfer]
    }
    assert.deepStrictEqual(may({}), [false, false])
    assert.deepStrictEqual(may({ self_service: true }), [true, false])
    assert.deepStrictEqual(may({ self_service_transfer: true }), [false, false])
    assert.deepStrictEqual(may({ self_service: true, self_service_transfer: true }), [true, true])
    assert.deepStrictEqual(may({ self_service: true, self_service_transfer: false }), [true, false])
  })

  it("is counted in its period, which is a month unless the rules say another one", () => {
    assert.deepInclude(of({ max_self_service_resets: 3 }), {
      limit: 3,
      used: 2,
      periodStart: march,
      periodEnd: april
    })
    assert.deepInclude(of({}, { start: march - 1 }), { limit: undefined, used: 0, periodStart: march })
    assert.deepInclude(of({ self_service_period: "day" }), { used: 0, periodStart: now, periodEnd: now + 86_400_000 })
  })

  it("is used up with the last of what may be given back", () => {
    assert.deepStrictEqual([1, 2, 3, undefined].map((limit) => isUsedUp({ limit, used: 2 })), [
      true,
      true,
      false,
      false
    ])
  })
})
