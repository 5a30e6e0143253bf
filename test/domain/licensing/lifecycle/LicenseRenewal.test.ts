import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import { lastInstant } from "../../../../src/domain/catalog/terms/Duration.ts"
import type { Rules } from "../../../../src/domain/catalog/terms/Rules.ts"
import { License } from "../../../../src/domain/licensing/licenses/License.ts"
import { extendedExpiry, licenseRenewal } from "../../../../src/domain/licensing/lifecycle/LicenseRenewal.ts"
import type { LicenseRenew } from "../../../../src/domain/licensing/lifecycle/LicenseRenewal.ts"

const int = (minimum: number, maximum: number) =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum, maximum })))

const instant = int(Date.UTC(1990, 0, 1), Date.UTC(2100, 0, 1))
const days = int(1, 4000)
const iso = (millis: number | undefined) => new Date(millis!).toISOString()

describe("extendedExpiry", () => {
  it("counts days of the UTC calendar over month ends, leap days and changes of the clock", () => {
    const from = (text: string, days: number) =>
      iso(extendedExpiry({ days, expiresAt: Date.parse(text), now: Date.parse("2026-01-01T00:00:00Z") }))
    assert.strictEqual(from("2027-01-31T12:00:00.000Z", 1), "2027-02-01T12:00:00.000Z")
    assert.strictEqual(from("2028-02-28T23:59:59.999Z", 1), "2028-02-29T23:59:59.999Z")
    assert.strictEqual(from("2028-02-28T23:59:59.999Z", 366), "2029-02-28T23:59:59.999Z")
    assert.strictEqual(from("2027-02-28T08:30:00.000Z", 365), "2028-02-28T08:30:00.000Z")
    // Clocks change in Europe on 28 March and 31 October 2027, in America on 14 March and 7 November.
    assert.strictEqual(from("2027-03-13T02:30:00.000Z", 30), "2027-04-12T02:30:00.000Z")
    assert.strictEqual(from("2027-10-30T02:30:00.000Z", 30), "2027-11-29T02:30:00.000Z")
  })

  it("counts from the expiry while it lies ahead, otherwise from now", () => {
    const now = Date.parse("2027-06-01T10:00:00Z")
    const extend = (expiresAt: number | undefined) => iso(extendedExpiry({ days: 10, expiresAt, now }))
    assert.strictEqual(extend(now + 1000), "2027-06-11T10:00:01.000Z")
    assert.strictEqual(extend(now - 1000), "2027-06-11T10:00:00.000Z")
    assert.strictEqual(extend(undefined), "2027-06-11T10:00:00.000Z")
  })

  it("does not go beyond the year 9999", () => {
    assert.strictEqual(extendedExpiry({ days: 1, expiresAt: lastInstant - 86_400_000, now: 0 }), lastInstant)
    assert.isUndefined(extendedExpiry({ days: 1, expiresAt: lastInstant - 86_399_999, now: 0 }))
    assert.isUndefined(extendedExpiry({ days: 2_147_483_647, expiresAt: undefined, now: 0 }))
  })

  it.prop("extending by a and then by b is extending by a + b while the license is in force", {
    now: instant,
    ahead: int(0, 10 * 366 * 86_400_000),
    a: days,
    b: days
  }, ({ a, ahead, b, now }) => {
    const once = extendedExpiry({ days: a + b, expiresAt: now + ahead, now })
    const first = extendedExpiry({ days: a, expiresAt: now + ahead, now })
    // The second renewal comes at any time before the first one's end.
    const later = now + Math.floor((first! - now) / 2)
    assert.strictEqual(extendedExpiry({ days: b, expiresAt: first, now: later }), once)
  })

  it.prop("the time of day never drifts, the date is that many days on, and at least that many days are left", {
    now: instant,
    offset: int(-366 * 86_400_000, 366 * 86_400_000),
    n: days
  }, ({ n, now, offset }) => {
    const end = extendedExpiry({ days: n, expiresAt: now + offset, now })!
    const base = Math.max(now + offset, now)
    assert.strictEqual(iso(end).slice(10), iso(base).slice(10))
    assert.strictEqual(
      Math.round((Date.parse(iso(end).slice(0, 10)) - Date.parse(iso(base).slice(0, 10))) / 86_400_000),
      n
    )
    assert.isAtLeast(end - now, n * 86_400_000)
  })
})

describe("licenseRenewal", () => {
  const example = Schema.resolveAnnotations(License)!["examples"] as ReadonlyArray<License>
  const rules = { max_activations: 1, grace_period_days: 0, max_transfers: 0, duration: "P1M" } as Rules

  /** The day on which a license ends after each of some renewals, the first on the day of an end. */
  const ends = (first: string, renewals: ReadonlyArray<LicenseRenew>) => {
    const { term_anchor: _anchor, ...fresh } = example[0]!
    const before: License = { ...fresh, starts_at: first, expires_at: first }
    const [, days] = renewals.reduce<readonly [License, ReadonlyArray<string>]>(([license, days], input) => {
      const now = new Date(Date.parse(license.expires_at!) - 86_400_000)
      const held = { license, license_type: "subscription", rules, now } as const
      const { expires_at, term_anchor } = Result.getOrThrow(licenseRenewal(held, input))
      const left = { ...license, expires_at: expires_at!, ...(term_anchor && { term_anchor }) }
      return [left, [...days, expires_at!.slice(0, 10)]]
    }, [before, []])
    return days
  }

  it("renewals by a term keep the day of their anchor, and do not drift to the 28th", () => {
    assert.deepStrictEqual(
      ends("2027-01-31T12:00:00.000Z", [{}, {}, {}, {}]),
      ["2027-02-28", "2027-03-31", "2027-04-30", "2027-05-31"]
    )
  })

  it("a renewal from now begins another series, before the old end is reached too", () => {
    assert.deepStrictEqual(
      ends("2027-01-31T12:00:00.000Z", [{ renew_from: "now" }, {}]),
      ["2027-02-28", "2027-03-30"]
    )
  })
})
