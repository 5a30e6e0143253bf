import { assert, describe, it } from "@effect/vitest"
import {
  restsReached,
  stillAnnounced,
  stillAnnouncedRest,
  thresholdsReached
} from "../../../../src/domain/catalog/terms/QuotaThresholds.ts"

describe("the percentages of a quota", () => {
  const of = (consumed: number, announced = 0, quota: number | null = 10) =>
    thresholdsReached([50, 80, 100], { quota, consumed, announced })

  it("are reached with the unit that makes them full, each once", () => {
    assert.deepStrictEqual([4, 5, 7, 8, 10, 12].map((consumed) => of(consumed)), [
      [],
      [50],
      [50],
      [50, 80],
      [50, 80, 100],
      [50, 80, 100]
    ])
    assert.deepStrictEqual([of(8, 50), of(8, 80), of(7, 80)], [[80], [], []])
    // A part of a unit is a whole one.
    assert.deepStrictEqual([of(2, 0, 5), of(3, 0, 5)], [[], [50]])
    assert.deepStrictEqual([of(124, 0, 249), of(125, 0, 249)], [[], [50]])
  })

  it("are none without a quota, and of a quota of nothing", () => {
    assert.deepStrictEqual([of(5, 0, null), of(5, 0, 0)], [[], []])
    assert.deepStrictEqual(thresholdsReached(null, { quota: 10, consumed: 10, announced: 0 }), [])
  })

  it("were announced as long as so much is used, and are announced anew where it is not", () => {
    const still = (consumed: number, announced: number, quota: number | null = 10) =>
      stillAnnounced([50, 80, 100], { quota, consumed, announced })
    assert.deepStrictEqual([still(8, 80), still(7, 80), still(4, 80), still(10, 50)], [80, 50, 0, 50])
    assert.deepStrictEqual([still(4, 80, null), still(4, 80, 0)], [80, 80])
    assert.strictEqual(stillAnnounced(null, { quota: 10, consumed: 0, announced: 80 }), 80)
  })
})

describe("the numbers of units left", () => {
  const of = (remaining: number | undefined, announced = Infinity, quota: number | null = 10) =>
    restsReached([2, 5], { quota, remaining, announced })

  it("are reached once so few are left, the highest first, each once", () => {
    assert.deepStrictEqual([6, 5, 3, 2, 0].map((remaining) => of(remaining)), [[], [5], [5], [5, 2], [5, 2]])
    assert.deepStrictEqual([of(2, 5), of(2, 2), of(5, 2)], [[2], [], []])
  })

  it("are none without a quota, and of a quota of nothing", () => {
    assert.deepStrictEqual([of(undefined), of(0, Infinity, 0)], [[], []])
    assert.deepStrictEqual(restsReached(null, { quota: 10, remaining: 0, announced: Infinity }), [])
  })

  it("were announced as long as so few are left", () => {
    const still = (remaining: number | undefined, announced: number, quota: number | null = 10) =>
      stillAnnouncedRest([2, 5], { quota, remaining, announced })
    assert.deepStrictEqual([still(2, 2), still(4, 2), still(6, 2), still(1, 5)], [2, 5, Infinity, 5])
    assert.deepStrictEqual([still(undefined, 2), still(6, 2, 0)], [2, 2])
    assert.strictEqual(stillAnnouncedRest(null, { quota: 10, remaining: 9, announced: 2 }), 2)
  })
})
