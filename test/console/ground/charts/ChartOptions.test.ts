import { assert, describe, it } from "@effect/vitest"
import { halfStepOf, topOf } from "../../../../src/console/ground/charts/ChartOptions.ts"

const series = (...values: ReadonlyArray<number | null>) => ({ name: "one", values })

describe("the axes of a chart", () => {
  it.each([
    [[series(1, 100, null), series(50)], undefined, 108],
    [[series(1)], 200, 216],
    [[series(300)], 200, 324],
    [[series(0, null)], undefined, 1],
    [[], undefined, 1]
  ])("of %j with the limit %s ends at %d", (lines, limit, top) => {
    assert.closeTo(topOf({ series: lines, limit }), top, 1e-9)
  })

  it("leave half a step beside the first and the last bar, half a day where there is one bar", () => {
    const hours = ["2026-10-01T00:00:00Z", "2026-10-01T01:00:00Z", "2026-10-01T02:00:00Z"]
    assert.strictEqual(halfStepOf(hours), 1800)
    assert.strictEqual(halfStepOf(hours.slice(0, 2)), 1800)
    assert.strictEqual(halfStepOf(hours.slice(0, 1)), 43_200)
    assert.strictEqual(halfStepOf([]), 43_200)
  })
})
