import { assert, describe, it } from "@effect/vitest"
import type { LicenseFeature, UsageSummaryReport } from "../../../../src/client/api/index.ts"
import { usageByDay, usedOf } from "../../../../src/console/licensing/support/LicenseUsage.ts"

describe("the usage of a license by day", () => {
  const byDay = (from: string, to: string, series: ReadonlyArray<readonly [string, number]> = []) =>
    usageByDay({
      filters: { from, to },
      series: series.map(([bucket, value]) => ({ bucket, value }))
    } as unknown as UsageSummaryReport)

  it("has every UTC day of the window, the first and the last too, with zeros between", () => {
    assert.deepStrictEqual(
      byDay("2026-10-01T00:00:00Z", "2026-10-03T08:00:00Z", [
        ["2026-10-01T00:00:00Z", 3],
        ["2026-10-03T00:00:00Z", 4],
        ["2026-10-04T00:00:00Z", 9]
      ]),
      {
        instants: ["2026-10-01T00:00:00.000Z", "2026-10-02T00:00:00.000Z", "2026-10-03T00:00:00.000Z"],
        values: [3, 0, 4]
      }
    )
  })

  it.each([
    ["2026-10-01T09:00:00Z", "2026-10-02T00:00:00Z", 1],
    ["2026-10-01T09:00:00Z", "2026-10-02T00:00:01Z", 2],
    ["2026-10-01T00:00:00Z", "2026-10-01T00:00:00Z", 1]
  ])("from %s to %s has %i days", (from, to, days) => assert.lengthOf(byDay(from, to).instants, days))
})

describe("what is used of a feature", () => {
  it.each([
    [{ period: "month", period_consumptions: 3, total_consumptions: 9 }, 3],
    [{ period: "month", total_consumptions: 9 }, 0],
    [{ period_consumptions: 3, total_consumptions: 9 }, 9]
  ])("of %j is %i", (feature, used) => assert.strictEqual(usedOf(feature as unknown as LicenseFeature), used))
})
