import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { countIn, periodAt } from "../../../../src/domain/catalog/terms/Period.ts"
import type { Period } from "../../../../src/domain/catalog/terms/Period.ts"

const instant = (text: string): number => Date.parse(text)
const int = (minimum: number, maximum: number) =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum, maximum })))
const text = (millis: number | undefined): string => millis === undefined ? "-" : new Date(millis).toISOString()

const periodOf = (period: Period, now: string, licenseStart = "2026-01-31T10:00:00Z") => {
  const span = periodAt(period, {
    now: instant(now),
    licenseStart: instant(licenseStart),
    subscription: { start: instant("2026-02-10T08:00:00Z"), end: instant("2026-03-10T08:00:00Z") }
  })
  return `${text(span?.start)} ${text(span?.end)}`
}

describe("periodAt", () => {
  it.each(
    [
      ["day", "2026-03-29T00:30:00Z", "2026-03-29T00:00:00.000Z 2026-03-30T00:00:00.000Z"],
      ["day", "2026-12-31T23:59:59.999Z", "2026-12-31T00:00:00.000Z 2027-01-01T00:00:00.000Z"],
      // A week begins on Monday.
      ["week", "2026-11-22T23:59:59.999Z", "2026-11-16T00:00:00.000Z 2026-11-23T00:00:00.000Z"],
      ["week", "2026-11-23T00:00:00Z", "2026-11-23T00:00:00.000Z 2026-11-30T00:00:00.000Z"],
      ["month", "2028-02-29T12:00:00Z", "2028-02-01T00:00:00.000Z 2028-03-01T00:00:00.000Z"],
      ["month", "2026-12-31T23:59:59.999Z", "2026-12-01T00:00:00.000Z 2027-01-01T00:00:00.000Z"],
      ["year", "2026-07-01T00:00:00Z", "2026-01-01T00:00:00.000Z 2027-01-01T00:00:00.000Z"],
      // From 31 January: the last day of short months, and the 31st again after them.
      ["license_month", "2026-01-31T10:00:00Z", "2026-01-31T10:00:00.000Z 2026-02-28T10:00:00.000Z"],
      ["license_month", "2026-02-28T09:59:59.999Z", "2026-01-31T10:00:00.000Z 2026-02-28T10:00:00.000Z"],
      ["license_month", "2026-02-28T10:00:00Z", "2026-02-28T10:00:00.000Z 2026-03-31T10:00:00.000Z"],
      ["license_month", "2026-03-30T10:00:00Z", "2026-02-28T10:00:00.000Z 2026-03-31T10:00:00.000Z"],
      ["license_month", "2028-02-29T10:00:00Z", "2028-02-29T10:00:00.000Z 2028-03-31T10:00:00.000Z"],
      ["subscription", "2026-02-20T00:00:00Z", "2026-02-10T08:00:00.000Z 2026-03-10T08:00:00.000Z"],
      // Nobody told of the next period yet.
      ["subscription", "2026-04-01T00:00:00Z", "2026-02-10T08:00:00.000Z 2026-03-10T08:00:00.000Z"]
    ] as const
  )("%s at %s", (period, now, expected) => {
    assert.strictEqual(periodOf(period, now), expected)
  })

  it("has no period of a subscription without one", () => {
    assert.isUndefined(periodAt("subscription", { now: 0, licenseStart: 0, subscription: undefined }))
  })

  it.prop(
    "covers time without gap and overlap: each period ends where the next begins",
    [
      Arbitrary.schema(Schema.Literals(["day", "week", "month", "year", "license_month"])),
      int(instant("2000-01-01T00:00:00Z"), instant("2100-01-01T00:00:00Z")),
      int(0, 3_000 * 86_400_000)
    ],
    ([period, licenseStart, later]) => {
      const now = licenseStart + later
      const at = (instant: number) => periodAt(period, { now: instant, licenseStart, subscription: undefined })!
      const span = at(now)
      assert.isAtMost(span.start, now)
      assert.isAbove(span.end, now)
      assert.strictEqual(at(span.end).start, span.end)
      assert.strictEqual(at(span.end - 1).start, span.start)
    }
  )
})

describe("countIn", () => {
  const november = { start: instant("2026-11-01T00:00:00Z"), end: instant("2026-12-01T00:00:00Z") }

  it("counts what belongs to the period, and nothing of an earlier one", () => {
    assert.deepStrictEqual(countIn(november, { start: november.start, consumed: 7 }), {
      start: november.start,
      consumed: 7
    })
    assert.deepStrictEqual(countIn(november, { start: instant("2026-10-01T00:00:00Z"), consumed: 7 }), {
      start: november.start,
      consumed: 0
    })
    assert.deepStrictEqual(countIn(november, { start: undefined, consumed: 0 }), { start: november.start, consumed: 0 })
  })

  it("does not go back to an earlier period when a clock does", () => {
    const december = { start: november.end, consumed: 3 }
    assert.deepStrictEqual(countIn(november, december), december)
  })
})
