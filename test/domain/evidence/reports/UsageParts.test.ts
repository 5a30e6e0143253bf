import { assert, describe, it } from "@effect/vitest"
import type { Bucket } from "../../../../src/domain/evidence/reports/Report.ts"
import { bucketStarts } from "../../../../src/domain/evidence/reports/UsageParts.ts"

describe("bucketStarts", () => {
  const starts = (bucket: Bucket, from: string, to: string) =>
    bucketStarts({ from, to }, bucket).map((start) => new Date(start).toISOString().slice(0, 13))

  it("are those of every period that the window touches", () => {
    const window = ["2026-11-20T12:00:00Z", "2027-01-01T00:00:00Z"] as const
    assert.deepStrictEqual(starts("1mo", ...window), ["2026-11-01T00", "2026-12-01T00"])
    assert.deepStrictEqual(starts("1y", ...window), ["2026-01-01T00"])
    assert.deepStrictEqual(starts("1w", "2026-11-22T23:00:00Z", "2026-11-30T00:00:00Z"), [
      "2026-11-16T00",
      "2026-11-23T00"
    ])
    assert.deepStrictEqual(starts("1h", "2026-11-20T12:30:00Z", "2026-11-20T14:00:00Z"), [
      "2026-11-20T12",
      "2026-11-20T13"
    ])
    assert.lengthOf(starts("1d", ...window), 42)
  })
})
