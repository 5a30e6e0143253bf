import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { afterDuration, DurationText } from "../../../src/domain/terms/Duration.ts"

const isDuration = Schema.is(DurationText)

describe("DurationText", () => {
  it.each(["P14D", "P1M", "P1Y", "P2W", "P1Y2M3W4D", "PT12H", "P1DT30M", "P0Y1M"])("takes %s", (text) => {
    assert.isTrue(isDuration(text))
  })

  it.each(["", "P", "PT", "P1DT", "14D", "P1.5Y", "P-1D", "P1D ", "p1d", "P0D", "PT0H", "P1S", "PT10S", "P99999Y"])(
    "refuses %j",
    (text) => {
      assert.isFalse(isDuration(text))
    }
  )
})

describe("afterDuration", () => {
  it.each([
    ["2026-01-31T10:00:00Z", "P1M", "2026-02-28T10:00:00.000Z"],
    ["2028-01-31T10:00:00Z", "P1M", "2028-02-29T10:00:00.000Z"],
    ["2028-02-29T10:00:00Z", "P1Y", "2029-02-28T10:00:00.000Z"],
    ["2028-02-29T10:00:00Z", "P4Y", "2032-02-29T10:00:00.000Z"],
    ["2026-11-23T00:00:00Z", "P14D", "2026-12-07T00:00:00.000Z"],
    ["2026-11-23T00:00:00Z", "P2W", "2026-12-07T00:00:00.000Z"],
    // Through the change of clocks in Europe and America: days of UTC have 24 hours.
    ["2026-03-28T23:30:00Z", "P1D", "2026-03-29T23:30:00.000Z"],
    ["2026-10-31T12:00:00Z", "P1Y1M1DT1H1M", "2027-12-01T13:01:00.000Z"]
  ])("%s and %s", (start, duration, end) => {
    assert.strictEqual(new Date(afterDuration(Date.parse(start), duration)!).toISOString(), end)
  })

  it("ends with the year 9999", () => {
    assert.isDefined(afterDuration(Date.UTC(9999, 11, 30), "P1D"))
    assert.isUndefined(afterDuration(Date.UTC(9999, 11, 31), "P1D"))
    assert.isUndefined(afterDuration(Date.UTC(2026, 0, 1), "P9999Y"))
  })
})
