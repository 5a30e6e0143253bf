import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { localTimes } from "../../../../src/domain/evidence/exports/Edition.ts"
import { freezeTimeZone, TimeZoneName } from "../../../../src/domain/evidence/exports/ReportExport.ts"

const at = "2026-11-21T10:30:00.000Z"
const accepts = (name: string): boolean => Result.isSuccess(Schema.decodeResult(TimeZoneName)(name))

describe("a time zone", () => {
  it("is named by the IANA database", () => {
    for (const name of ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5"]) {
      assert.isTrue(accepts(name), name)
    }
    for (const name of ["", "Europe/Nowhere", "+02:00", "../etc/passwd", "Europe/Berlin\n", "=1+1"]) {
      assert.isFalse(accepts(name), name)
    }
  })

  it("is frozen with the offsets of 40 years", () => {
    const { name, offsets } = freezeTimeZone("Europe/Berlin", at)
    assert.strictEqual(name, "Europe/Berlin")
    assert.deepStrictEqual(offsets.slice(0, 3), [
      { minutes: 60, since: "2016-01-01T00:00:00.000Z" },
      { minutes: 120, since: "2016-03-27T01:00:00.000Z" },
      { minutes: 60, since: "2016-10-30T01:00:00.000Z" }
    ])
    assert.lengthOf(offsets, 81)
    assert.deepStrictEqual(freezeTimeZone("UTC", at).offsets, [{ minutes: 0, since: "2016-01-01T00:00:00.000Z" }])
    assert.deepStrictEqual(freezeTimeZone("Asia/Kolkata", at).offsets.map(({ minutes }) => minutes), [330])
  })

  it.each([
    ["Europe/Berlin", "2026-03-29T00:59:59.999Z", "2026-03-29T01:59:59.999Z"],
    ["Europe/Berlin", "2026-03-29T01:00:00.000Z", "2026-03-29T03:00:00.000Z"],
    ["America/St_Johns", "2026-01-01T00:00:00.000Z", "2025-12-31T20:30:00.000Z"],
    ["Pacific/Kiritimati", "2026-12-31T10:00:00.000Z", "2027-01-01T00:00:00.000Z"],
    // Before and after what was frozen.
    ["Europe/Berlin", "2001-01-01T00:00:00.000Z", "2001-01-01T01:00:00.000Z"],
    ["Europe/Berlin", "2090-01-01T00:00:00.000Z", "2090-01-01T01:00:00.000Z"],
    // There is no year for it, so it stays.
    ["Pacific/Kiritimati", "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"]
  ])("%s reads %s as %s", (name, instant, expected) => {
    assert.strictEqual(localTimes(freezeTimeZone(name, at))(instant), expected)
  })

  it("is read right in whatever order instants come", () => {
    const local = localTimes(freezeTimeZone("America/New_York", at))
    const hours = (month: number) => new Date(Date.UTC(2026, month, 15, 12)).toISOString()
    for (const month of [0, 6, 1, 7, 11, 5]) {
      assert.strictEqual(Number(local(hours(month)).slice(11, 13)), month >= 3 && month <= 9 ? 8 : 7)
    }
  })
})
