import { assert, describe, it } from "@effect/vitest"
import { selectionChange } from "../../../src/domain/jobs/SelectionChange.ts"

const ids = (count: number) => Array.from({ length: count }, (_, index) => `lic_${index}`)

describe("the licenses of a filter that a second person was asked about", () => {
  it("are the same in whichever order", () => {
    assert.isUndefined(selectionChange(["a", "b", "c"], ["c", "a", "b"]))
    assert.isUndefined(selectionChange([], []))
  })

  it.each([
    [["a", "b"], ["a"], "no longer b.", "-1 +0"],
    [["a"], ["a", "b"], "also b.", "-0 +1"],
    [["a", "b"], ["c", "d"], "no longer a, b, but also c, d.", "-2 +2"],
    [[], ids(7), "also lic_0, lic_1, lic_2, lic_3, lic_4 and 2 more.", "-0 +7"],
    [ids(5), [], "no longer lic_0, lic_1, lic_2, lic_3, lic_4.", "-5 +0"]
  ])("are others: %j, now %j", (before, now, words, detail) => {
    const change = selectionChange(before, now)
    assert.include(change?.message, `than when this was asked for: ${words}`)
    assert.strictEqual(change?.detail, detail)
  })
})
