import { assert, describe, it } from "@effect/vitest"
import { bucketCount, bucketOf, quantile } from "../../../src/domain/delivery/InFlightSlots.ts"

describe("LatencyHistogram", () => {
  it("answers quantiles at most a quarter too high and never too low", () => {
    const values = Array.from({ length: 1000 }, (_, index) => 3 + index * 7)
    const buckets = Array.from({ length: bucketCount }, () => 0)
    for (const value of values) buckets[bucketOf(value)] = buckets[bucketOf(value)]! + 1
    for (const q of [0.5, 0.95, 0.99]) {
      const exact = values[Math.ceil(q * values.length) - 1]!
      const found = quantile(buckets, q)!
      assert.isAtLeast(found, Math.floor(exact))
      assert.isAtMost(found, Math.ceil(exact * 1.25))
    }
  })

  it("has a bucket for everything and no quantile of nothing", () => {
    for (const value of [0, 0.1, 1, 86_400_000, 1e12]) assert.isBelow(bucketOf(value), bucketCount)
    assert.isUndefined(quantile(Array.from({ length: bucketCount }, () => 0), 0.5))
  })
})
