import { assert, describe, it } from "@effect/vitest"
import { inUse, usedCounted } from "../../../../src/console/ground/lists/Matching.ts"
import { catalogCounts } from "../../../../src/domain/catalog/Product.ts"

describe("the licenses of a product that are in use", () => {
  it("are counted as far as the service counts them", () =>
    assert.deepStrictEqual(usedCounted, { licenses: catalogCounts.licenses, among: catalogCounts.inUseAmong }))

  it.each([
    [{ count: 0, has_more: false }, "0"],
    [{ count: 902, has_more: false }, "902"],
    [{ count: 1000, has_more: true }, "1,000+"],
    // Older licenses were not looked at: any number of them may be in use.
    [{ count: 0, has_more: true }, "0 of the newest 5,000"],
    [{ count: 37, has_more: true }, "37 of the newest 5,000"]
  ])("%o are %s", (used, words) => assert.strictEqual(inUse(used), words))
})
