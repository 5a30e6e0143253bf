import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { License, managedOf } from "../../../../src/domain/licensing/licenses/License.ts"
import {
  hasNotStarted,
  servesUntil,
  stateOf,
  statusOf
} from "../../../../src/domain/licensing/licenses/LicenseStatus.ts"

const day = 86_400_000
const expiry = Date.parse("2026-03-29T00:30:00Z")
const license = { state: "active" as const, starts_at: undefined, expires_at: expiry, grace_period_days: 7 }

describe("statusOf", () => {
  it.each([
    { title: "long before the expiry", now: expiry - 400 * day, is: "active" },
    { title: "a millisecond before it", now: expiry - 1, is: "active" },
    { title: "at its very instant", now: expiry, is: "grace_period" },
    { title: "a millisecond before the grace ends", now: expiry + 7 * day - 1, is: "grace_period" },
    { title: "at the end of the grace", now: expiry + 7 * day, is: "expired" },
    { title: "years later", now: expiry + 4000 * day, is: "expired" }
  ])("$title: $is", ({ is, now }) => {
    assert.strictEqual(statusOf({ ...license, now }), is)
  })

  it("has no grace period where the policy gives none", () => {
    assert.strictEqual(statusOf({ ...license, grace_period_days: 0, now: expiry - 1 }), "active")
    assert.strictEqual(statusOf({ ...license, grace_period_days: 0, now: expiry }), "expired")
  })

  it("never ends without an expiry", () => {
    assert.strictEqual(statusOf({ ...license, expires_at: undefined, now: Number.MAX_SAFE_INTEGER }), "active")
  })

  it("ranks what people decided above the clock", () => {
    for (const state of ["suspended", "revoked"] as const) {
      for (const now of [expiry - 1, expiry, expiry + 30 * day]) {
        assert.strictEqual(statusOf({ ...license, state, now }), state)
      }
    }
  })
})

describe("servesUntil", () => {
  it("is the expiry and the grace, in days of 24 hours", () => {
    assert.strictEqual(servesUntil(license), Date.parse("2026-04-05T00:30:00Z"))
    assert.strictEqual(servesUntil({ ...license, grace_period_days: 0 }), expiry)
    assert.isUndefined(servesUntil({ ...license, expires_at: undefined }))
  })
})

describe("hasNotStarted", () => {
  it("until the instant of the start", () => {
    assert.isTrue(hasNotStarted({ starts_at: expiry, now: expiry - 1 }))
    assert.isFalse(hasNotStarted({ starts_at: expiry, now: expiry }))
    assert.isFalse(hasNotStarted({ starts_at: undefined, now: 0 }))
  })
})

describe("the state that people gave a license", () => {
  const [example] = Schema.resolveAnnotations(License)!["examples"] as [License]

  it.each(
    [
      ["active", "active"],
      ["grace_period", "active"],
      ["expired", "active"],
      ["suspended", "suspended"],
      ["revoked", "revoked"]
    ] as const
  )("of the status %s is %s", (status, state) => {
    assert.strictEqual(stateOf({ status }), state)
    assert.strictEqual(managedOf({ ...example, status }).state, state)
  })
})
