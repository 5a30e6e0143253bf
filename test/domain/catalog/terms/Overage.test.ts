import { assert, describe, it } from "@effect/vitest"
import { crosses, servedUpTo } from "../../../../src/domain/catalog/terms/Overage.ts"

describe("servedUpTo", () => {
  it.each([
    [10, undefined, 10],
    [10, "deny", 10],
    [10, "allow", Infinity],
    [10, "10%", 11],
    [10, "9%", 10],
    [25, "10%", 27],
    [0, "50%", 0],
    [3, "100%", 6],
    [1, "9999%", 100],
    // Larger than a product of both that is exact.
    [9_000_000_000_000_000, "50%", Number.MAX_SAFE_INTEGER],
    [8_000_000_000_000_001, "1%", 8_080_000_000_000_001]
  ])("%d with %s", (limit, overage, most) => {
    assert.strictEqual(servedUpTo(limit, overage), most)
  })
})

describe("crosses", () => {
  it("is one step among all", () => {
    const steps = Array.from({ length: 20 }, (_, before) => crosses({ before, after: before + 1, limit: 10 }))
    assert.deepStrictEqual(steps.flatMap((crossed, before) => crossed ? [before] : []), [10])
    assert.isTrue(crosses({ before: 3, after: 30, limit: 10 }))
    assert.isFalse(crosses({ before: 3, after: 10, limit: 10 }))
  })
})
