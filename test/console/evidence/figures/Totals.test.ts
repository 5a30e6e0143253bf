import { assert, describe, it } from "@effect/vitest"
import { rowsText, totalsOf } from "../../../../src/console/evidence/figures/Totals.ts"
import type { UsageRow } from "../../../../src/console/evidence/figures/Totals.ts"

const row = (group: string, uses: number, amount: number, overage?: number): UsageRow => ({
  group,
  uses,
  amount,
  ...(overage === undefined ? {} : { overage })
})
const byGroup = ({ group }: UsageRow) => group

describe("totals of rows of usage", () => {
  it("add up everything where all rows have one unit", () => {
    assert.deepStrictEqual(totalsOf([row("a", 1, 10, 2), row("a", 2, 20)], byGroup), [
      { name: "Total", uses: 3, amount: 30, overage: 2 }
    ])
  })

  it("add up amounts for each unit, by name, and uses for all", () => {
    assert.deepStrictEqual(
      totalsOf([row("b", 1, 10), row("a", 2, 20, 5), row("b", 4, 40, 1), row("a", 8, 80)], byGroup),
      [
        { name: "Total of a", uses: 10, amount: 100, overage: 5 },
        { name: "Total of b", uses: 5, amount: 50, overage: 1 },
        { name: "Total", uses: 15 }
      ]
    )
  })

  it("add up uses alone where a row may mix units", () => {
    assert.deepStrictEqual(totalsOf([row("a", 1, 10), row("", 2, 20)], ({ group }) => group || undefined), [
      { name: "Total", uses: 3 }
    ])
  })

  it("add up uses alone where each unit has one row", () => {
    assert.deepStrictEqual(totalsOf([row("a", 1, 10), row("b", 2, 20)], byGroup), [{ name: "Total", uses: 3 }])
  })

  it.each([[20, 21], [21, 1]])("list %i units in %i lines", (units, lines) => {
    const rows = Array.from({ length: units * 2 }, (_, index) => row(`unit ${index % units}`, 1, 1))
    assert.lengthOf(totalsOf(rows, byGroup), lines)
  })

  it("are of no use where there are no rows", () =>
    assert.deepStrictEqual(totalsOf([], byGroup), [{ name: "Total", uses: 0 }]))
})

describe("the number of rows", () => {
  it.each([
    [{ rows: [1], total_rows: 1, truncated: false }, "1 row"],
    [{ rows: [1, 2], total_rows: 2, truncated: false }, "2 rows"],
    [{ rows: [1, 2], total_rows: 1200, truncated: true }, "2 of 1,200 rows. An export has all of them."]
  ])("of %j is said as %s", (report, text) => assert.strictEqual(rowsText(report), text))
})
