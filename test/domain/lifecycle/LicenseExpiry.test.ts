import { assert, describe, it } from "@effect/vitest"
import { crossingsOf, expiringAhead } from "../../../src/domain/lifecycle/LicenseExpiry.ts"
import type { Announced } from "../../../src/domain/lifecycle/LicenseExpiry.ts"

const day = 86_400_000
const expires_at = Date.UTC(2027, 0, 31)

const at = (offset: number, announced: Announced, grace_period_days = 2) =>
  crossingsOf({ announced, expires_at, grace_period_days, now: expires_at + offset })

describe("crossingsOf", () => {
  it("announces each crossing at its instant and not before", () => {
    assert.deepStrictEqual(at(-expiringAhead - 1, "nothing"), { kinds: [], announced: "nothing" })
    assert.deepStrictEqual(at(-expiringAhead, "nothing"), { kinds: ["license.expiring"], announced: "expiring" })
    assert.deepStrictEqual(at(-1, "expiring"), { kinds: [], announced: "expiring" })
    assert.deepStrictEqual(at(0, "expiring"), { kinds: ["license.grace_started"], announced: "grace_period" })
    assert.deepStrictEqual(at(2 * day - 1, "grace_period"), { kinds: [], announced: "grace_period" })
    assert.deepStrictEqual(at(2 * day, "grace_period"), { kinds: ["license.expired"], announced: "expired" })
    assert.deepStrictEqual(at(400 * day, "expired"), { kinds: [], announced: "expired" })
  })

  it("has no grace period where the policy gives none", () => {
    assert.deepStrictEqual(at(0, "expiring", 0), { kinds: ["license.expired"], announced: "expired" })
    assert.deepStrictEqual(at(0, "nothing", 0), { kinds: ["license.expired"], announced: "expired" })
  })

  it("makes up for crossings that were missed, in order, but never warns too late", () => {
    const both = { kinds: ["license.grace_started", "license.expired"], announced: "expired" }
    assert.deepStrictEqual<unknown>(at(3 * day, "nothing"), both)
    assert.deepStrictEqual<unknown>(at(3 * day, "expiring"), both)
    assert.deepStrictEqual(at(1, "nothing"), { kinds: ["license.grace_started"], announced: "grace_period" })
  })

  it("expires a license again that a longer grace period had taken back", () => {
    assert.deepStrictEqual(at(3 * day, "expired", 10), { kinds: [], announced: "grace_period" })
    assert.deepStrictEqual(at(10 * day, "grace_period", 10), { kinds: ["license.expired"], announced: "expired" })
  })
})
