import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { addSpan, afterDuration, DurationText, nextTerm } from "../../../../src/domain/catalog/terms/Duration.ts"

const isDuration = Schema.is(DurationText)

describe("nextTerm", () => {
  const iso = (millis: number) => new Date(millis).toISOString().slice(0, 10)
  const series = (from: string, duration: string, terms: number): ReadonlyArray<string> => {
    const start = Date.parse(`${from}T10:30:00.123Z`)
    let last = { anchor: start, end: afterDuration(start, duration)! }
    const ends = [iso(last.end)]
    for (let term = 1; term < terms; term++) {
      last = nextTerm(last, duration)!
      ends.push(iso(last.end))
    }
    return ends
  }

  it("comes back to the day of the anchor after a short month", () => {
    assert.deepStrictEqual(series("2026-01-31", "P1M", 5), [
      "2026-02-28",
      "2026-03-31",
      "2026-04-30",
      "2026-05-31",
      "2026-06-30"
    ])
    assert.deepStrictEqual(series("2024-02-29", "P1Y", 4), ["2025-02-28", "2026-02-28", "2027-02-28", "2028-02-29"])
    assert.deepStrictEqual(series("2026-08-30", "P6M", 3), ["2027-02-28", "2027-08-30", "2028-02-29"])
  })

  it.each(["P1M", "P3M", "P1Y", "P1Y1M", "P14D", "P1M15D", "PT36H", "P2M1DT5M"])(
    "is the anchor and all terms at once: %s",
    (duration) => {
      const anchor = Date.parse("2023-12-31T23:59:59.999Z")
      const span = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?)?$/.exec(duration)!
      const [years, months, days, hours, minutes] = span.slice(1).map((part) => Number(part ?? 0))
      let last = { anchor, end: afterDuration(anchor, duration)! }
      for (let term = 2; term <= 60; term++) {
        last = nextTerm(last, duration)!
        const whole = addSpan(anchor, {
          months: (years! * 12 + months!) * term,
          days: days! * term,
          hours: hours! * term,
          minutes: minutes! * term
        })
        assert.strictEqual(last.end, whole, `${duration} ${term}`)
        assert.strictEqual(last.anchor, anchor)
      }
    }
  )

  it("goes on from an end that is not of the series, and through another duration of months", () => {
    const anchor = Date.parse("2026-01-31T00:00:00Z")
    const other = Date.parse("2026-03-28T00:00:00Z")
    assert.deepStrictEqual(nextTerm({ anchor, end: other }, "P1M"), { anchor: other, end: Date.parse("2026-04-28") })
    const february = Date.parse("2026-02-28T00:00:00Z")
    assert.strictEqual(nextTerm({ anchor, end: february }, "P3M")!.end, Date.parse("2026-05-31"))
    assert.isUndefined(nextTerm({ anchor, end: Date.parse("9999-12-31T00:00:00Z") }, "P1M"))
  })
})

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
