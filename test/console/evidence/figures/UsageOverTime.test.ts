import { assert, describe, it } from "@effect/vitest"
import type { UsageSummaryReport } from "../../../../src/client/api/index.ts"
import { usageOverTime } from "../../../../src/console/evidence/figures/SummaryView.ts"

const days = ["2026-10-01T00:00:00Z", "2026-10-02T00:00:00Z", "2026-10-03T00:00:00Z"] as const

const row = (group: string, bucket: string, uses: number, amount: number, overage?: number) => ({
  group,
  bucket,
  uses,
  amount,
  ...(overage === undefined ? {} : { overage })
})

const report = (rows: ReadonlyArray<unknown>, { bucket = "1d", truncated = false } = {}) =>
  ({
    rows,
    truncated,
    series: days.map((bucket) => ({ bucket })),
    filters: { bucket }
  }) as unknown as UsageSummaryReport

const now = Date.parse("2026-10-03T00:00:00Z")

describe("usage over time", () => {
  it("has a row for each feature, the most often used first, with a value for each step", () => {
    const { features, instants } = usageOverTime(
      report([row("a", days[0], 1, 10, 1), row("b", days[1], 5, 7), row("a", days[2], 2, 20, 2)]),
      now
    )
    assert.deepStrictEqual(instants, ["2026-10-01T00:00:00", "2026-10-02T00:00:00", "2026-10-03T00:00:00"])
    assert.deepStrictEqual(features, [
      { code: "b", uses: 5, amount: 7, overage: 0, values: [0, 7, 0] },
      { code: "a", uses: 3, amount: 30, overage: 3, values: [10, 0, 20] }
    ])
  })

  it("draws no step that has not begun", () => {
    assert.lengthOf(usageOverTime(report([]), now - 1).instants, 2)
  })

  it("draws six features, and says so where there are more", () => {
    const rows = Array.from({ length: 7 }, (_, index) => row(`f${index}`, days[0], 1, 1))
    const plain = "Each feature has its own unit and each chart its own scale. Days are in UTC."
    assert.strictEqual(usageOverTime(report(rows.slice(1)), now).note, plain)
    const { drawn, note } = usageOverTime(report(rows, { truncated: true }), now)
    assert.lengthOf(drawn, 6)
    assert.strictEqual(note, `The 6 most used features. ${plain} Some rows are not shown.`)
  })

  it.each([["1d", "per day"], ["1w", "per week"]])("by steps of %s is %s", (bucket, step) => {
    assert.strictEqual(usageOverTime(report([], { bucket })).step, step)
  })
})
