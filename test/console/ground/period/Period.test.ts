import { assert, describe, it } from "@effect/vitest"
import { limitsOf, monthsOf, periodOf, spanOf } from "../../../../src/console/ground/period/Period.ts"

const now = Date.parse("2026-11-15T12:00:00Z")
const days = (first: string, last: string, zone = "UTC") => periodOf({ month: "days", first, last }, zone, now)

describe("the period of a report", () => {
  it("has the whole of its last day in it", () => {
    assert.deepStrictEqual(days("2026-10-03", "2026-10-05"), {
      name: "3 Oct 2026 to 5 Oct 2026",
      from: "2026-10-03T00:00:00.000Z",
      to: "2026-10-06T00:00:00.000Z",
      isRunning: false
    })
  })

  it("is one day where the first is the last", () => {
    const { from, name, to } = days("2026-10-31", "2026-10-31")
    assert.deepStrictEqual([name, from, to], ["31 Oct 2026", "2026-10-31T00:00:00.000Z", "2026-11-01T00:00:00.000Z"])
  })

  it.each([
    ["2026-03-29", "2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z", "of 23 hours"],
    ["2026-10-25", "2026-10-24T22:00:00.000Z", "2026-10-25T23:00:00.000Z", "of 25 hours"]
  ])("has the day %s of Berlin, %s to %s, %s", (date, from, to) => {
    const period = days(date, date, "Europe/Berlin")
    assert.deepStrictEqual([period.from, period.to], [from, to])
  })

  it("runs until its last day is over", () => {
    assert.isTrue(days("2026-11-01", "2026-11-15").isRunning)
    assert.strictEqual(days("2026-11-01", "2026-11-15").name, "1 Nov 2026 to 15 Nov 2026 to date")
    assert.isFalse(days("2026-11-01", "2026-11-14").isRunning)
    assert.isFalse(
      periodOf({ month: "days", first: "2026-11-01", last: "2026-11-14" }, "UTC", Date.parse("2026-11-15T00:00:00Z"))
        .isRunning
    )
  })

  it("is the last full month where none is chosen, across the end of a year too", () => {
    const { from, name, to } = periodOf({}, "UTC", Date.parse("2026-01-01T00:00:00Z"))
    assert.deepStrictEqual([name, from, to], ["December 2025", "2025-12-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z"])
    assert.strictEqual(periodOf({ month: "2026-11" }, "UTC", now).name, "November 2026 to date")
    assert.deepStrictEqual(monthsOf("UTC", now).slice(0, 3).map(([month]) => month), ["2026-10", "2026-11", "2026-09"])
    assert.lengthOf(new Set(monthsOf("UTC", now).map(([month]) => month)), 25)
  })

  it.each([["", ""], ["2026-10-03", ""], ["2026-13-01", "2026-13-02"]])("needs both days: %s to %s", (first, last) => {
    assert.strictEqual(days(first, last).wrong, "Select a start and an end date.")
  })

  it("does not end before it begins", () => {
    assert.strictEqual(days("2026-10-05", "2026-10-04").wrong, "The end date is before the start date.")
  })

  it("says its limits", () => {
    assert.strictEqual(
      limitsOf(days("2026-10-03", "2026-10-05"), "UTC"),
      "3 Oct 2026, 00:00 to 6 Oct 2026, 00:00, UTC"
    )
  })
})

describe("the time that a file is about", () => {
  const span = (from?: string, to?: string, zone = "UTC") => spanOf({ from, to }, "2026-12-01T00:00:00.000Z", zone)

  it.each([
    ["2026-10-01T00:00:00.000Z", "2026-11-01T00:00:00.000Z", "October 2026"],
    ["2026-10-01T00:00:00.000Z", "2026-10-31T00:00:00.000Z", "1 Oct 2026 to 30 Oct 2026"],
    ["2026-10-02T00:00:00.000Z", "2026-11-01T00:00:00.000Z", "2 Oct 2026 to 31 Oct 2026"],
    ["2026-10-02T00:00:00.000Z", "2026-10-03T00:00:00.000Z", "2 Oct 2026"],
    ["2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z", "December 2026 to date"],
    ["2026-10-02T00:00:00.000Z", "2026-10-03T12:00:00.000Z", "2 Oct 2026 to 3 Oct 2026, 12:00"]
  ])("from %s to %s is %s", (from, to, name) => {
    assert.strictEqual(span(from, to), name)
  })

  it("has no end, or no beginning", () => {
    assert.strictEqual(span("2026-10-01T00:00:00.000Z"), "1 Oct 2026 to date")
    assert.strictEqual(span(undefined, "2026-11-01T00:00:00.000Z"), "until 31 Oct 2026")
    assert.isUndefined(span())
  })
})
