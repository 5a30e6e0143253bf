import { assert, describe, it } from "@effect/vitest"
import { timeOfMillis, timeOfSeconds, timeOfText, wireTime } from "../../../../src/domain/sales/providers/SourceTime.ts"

describe("an instant of a provider", () => {
  it("keeps nanoseconds, so that texts sort as instants do", () => {
    const sorted = [
      "2026-11-26T11:59:59Z",
      "2026-11-26T12:00:00.123456Z",
      "2026-11-26T12:00:00.123456001Z",
      "2026-11-26T13:00:00.1234564+01:00",
      "2026-11-26T12:00:01Z"
    ].map(timeOfText)
    assert.deepStrictEqual(sorted, [
      "2026-11-26T11:59:59.000000000Z",
      "2026-11-26T12:00:00.123456000Z",
      "2026-11-26T12:00:00.123456001Z",
      "2026-11-26T12:00:00.123456400Z",
      "2026-11-26T12:00:01.000000000Z"
    ])
    assert.deepStrictEqual(sorted.toSorted(), sorted)
  })

  it("is none in the year 1, which providers write for none, and of what is no instant", () => {
    for (const text of ["0001-01-01T00:00:00Z", "2026-02-30T00:00:00Z", "now", 5, null, undefined]) {
      assert.isUndefined(timeOfText(text))
    }
    for (const number of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, "5", null]) {
      assert.isUndefined(timeOfSeconds(number))
      assert.isUndefined(timeOfMillis(number))
    }
  })

  it("may come in seconds or milliseconds, and leaves with milliseconds", () => {
    assert.strictEqual(timeOfSeconds(1_795_000_000), timeOfMillis(1_795_000_000_000))
    assert.strictEqual(wireTime(timeOfMillis(1_795_000_000_123)!), "2026-11-18T11:06:40.123Z")
  })
})
