import { assert, describe, it } from "@effect/vitest"
import {
  crossingsOf,
  expiryNotice,
  usualExpiringDays,
  usualReminderDays
} from "../../../../src/domain/licensing/lifecycle/LicenseExpiry.ts"
import type { Announced } from "../../../../src/domain/licensing/lifecycle/LicenseExpiry.ts"

const day = 86_400_000
const expires_at = Date.UTC(2027, 0, 31)

const usual = { announced_days: null, expiring_days: null, reminder_days: usualExpiringDays }

const at = (offset: number, announced: Announced, grace_period_days = 2) =>
  crossingsOf({ ...usual, announced, expires_at, grace_period_days, now: expires_at + offset })

describe("the notice of an expiry", () => {
  it("is about the last crossing alone, and about none that was over before the license was recorded", () => {
    const notice = (offset: number, created_at: number) => {
      const expiry = {
        ...usual,
        announced: "nothing" as const,
        expires_at,
        grace_period_days: 2,
        now: expires_at + offset,
        created_at: expires_at + created_at
      }
      return expiryNotice(expiry, crossingsOf(expiry))
    }
    const soon = { kind: "license_expiring", announced: "expiring", days: 7, expires_at }
    assert.deepStrictEqual<unknown>(notice(-day, -9 * day), soon)
    assert.isUndefined(notice(-day, -7 * day))
    assert.isUndefined(notice(-8 * day, -9 * day))
    const inGrace = {
      kind: "license_expired",
      announced: "grace_period",
      expires_at,
      serves_until: expires_at + 2 * day
    }
    assert.deepStrictEqual<unknown>(notice(day, -1), inGrace)
    assert.isUndefined(notice(day, 0))
    const over = { kind: "license_expired", announced: "expired", expires_at }
    assert.deepStrictEqual<unknown>(notice(3 * day, 2 * day - 1), over)
    assert.isUndefined(notice(3 * day, 2 * day))
  })
})

describe("crossingsOf", () => {
  it("announces each crossing at its instant and not before", () => {
    assert.deepStrictEqual(at(-7 * day - 1, "nothing"), { kinds: [], announced: "nothing" })
    assert.deepStrictEqual(at(-7 * day, "nothing"), {
      kinds: ["license.expiring"],
      announced: "expiring",
      announced_days: 7
    })
    assert.deepStrictEqual(at(-1, "expiring"), { kinds: [], announced: "expiring" })
    assert.deepStrictEqual(at(0, "expiring"), { kinds: ["license.grace_started"], announced: "grace_period" })
    assert.deepStrictEqual(at(2 * day - 1, "grace_period"), { kinds: [], announced: "grace_period" })
    assert.deepStrictEqual(at(2 * day, "grace_period"), { kinds: ["license.expired"], announced: "expired" })
    assert.deepStrictEqual(at(400 * day, "expired"), { kinds: [], announced: "expired" })
  })

  it.each(
    [
      // days of the policy, with the mail, days before the end, announced before, kinds, announced now
      [null, true, 30, undefined, 0, 30],
      [null, true, 7, 30, 1, 7],
      [null, true, 1, 7, 0, 1],
      [null, true, 0.5, 30, 1, 1],
      [null, true, 0.5, undefined, 1, 1],
      [null, true, 29, 30, 0, undefined],
      [null, false, 30, undefined, 0, undefined],
      [null, false, 6, null, 0, undefined],
      [[14, 60], false, 60, undefined, 1, 60],
      [[14, 60], true, 7, 60, 1, 14],
      [[14, 60], true, 7, null, 0, undefined],
      [[3], false, 7, undefined, 0, undefined],
      [[3], false, 2, null, 1, 3]
    ] as const
  )(
    "of the days %j, with the mail %s, %d days before the end and announced at %s, has %d events and is at %s",
    (expiring_days, isMailed, before, last, events, now) => {
      const { announced_days, kinds } = crossingsOf({
        announced: last === undefined ? "nothing" : "expiring",
        announced_days: last ?? null,
        expiring_days,
        reminder_days: expiring_days ?? (isMailed ? usualReminderDays : usualExpiringDays),
        expires_at,
        grace_period_days: 0,
        now: expires_at - before * day
      })
      assert.deepStrictEqual([kinds.length, announced_days], [events, now])
    }
  )

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
