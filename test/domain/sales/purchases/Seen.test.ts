// What was seen when lives left the simple story, by row and by provider: each cell is shown somewhere, or says why it cannot happen there.
import { assert, describe, it } from "@effect/vitest"
import { rowsOf } from "../../../fixtures/paid/PaidRows.ts"
import { provided, tellers } from "../../../fixtures/paid/Provided.ts"
import { seenCells } from "../../../fixtures/paid/SeenCells.ts"
import { vendorStories } from "../../../fixtures/purchases/VendorStories.ts"

describe("what was seen", () => {
  it("is fifteen rows, each of which says of every provider where it is shown", () => {
    assert.deepStrictEqual(
      Object.keys(seenCells).map((row) => Number.parseInt(row)),
      Array.from({ length: 15 }, (_, n) => n + 1)
    )
    for (const [row, cells] of Object.entries(seenCells)) {
      assert.sameMembers(Object.keys(cells), [...tellers])
      for (const teller of tellers) {
        const cell = cells[teller]
        if ("never" in cell) continue
        const { lines = [], lives = [], served } = cell
        assert.isAbove(lines.length + lives.length + Number(served ?? 0), 0, `${row}, at ${teller}`)
        assert.includeMembers(rowsOf(teller).map(({ name }) => name), [...lives], `${row}, at ${teller}`)
        assert.containsAllKeys(vendorStories[teller], ["Bought", ...lines], `${row}, at ${teller}`)
      }
    }
  })

  it("cannot happen where a subscription has one item alone, and nowhere else", () => {
    const never = Object.entries(seenCells).flatMap(([row, cells]) =>
      tellers.filter((teller) => "never" in cells[teller]).map((teller) => `${Number.parseInt(row)} ${teller}`)
    )
    assert.deepStrictEqual(never, tellers.filter((one) => !provided[one].severalItems).map((one) => `2 ${one}`))
  })
})
