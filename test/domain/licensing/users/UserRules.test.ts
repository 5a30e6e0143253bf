import { assert, describe, it } from "@effect/vitest"
import { deviceLimit, ofOtherUser, signInRequired } from "../../../../src/domain/licensing/users/UserRules.ts"
import { unknownUser, userStanding } from "../../../../src/domain/licensing/users/UserStanding.ts"
import type { StoredStanding, UserStanding } from "../../../../src/domain/licensing/users/UserStanding.ts"

const signedIn = (more: Partial<UserStanding> = {}): UserStanding => ({
  id: "usr_a",
  problem: undefined,
  hasDevice: false,
  otherDevices: 0,
  ...more
})

const claims = { licenseId: "lic_a", userId: "usr_a", expiresAt: 1000 }
const stored = (more: Partial<StoredStanding> = {}): StoredStanding => ({
  status: "active",
  hasDevice: true,
  otherDevices: 2,
  ...more
})
const at = (now: number, license_id = "lic_a") => ({ license_id, now })

describe("the standing of a user whom a call names", () => {
  it("is that of a sign-in until its last instant", () => {
    const standing = { id: "usr_a", problem: undefined, hasDevice: true, otherDevices: 2 }
    assert.deepStrictEqual(userStanding(claims, stored(), at(999_999)), standing)
    assert.strictEqual(userStanding(claims, stored(), at(1_000_000)).problem, "expired")
  })

  it("is worth nothing on another license, of a user that there is not, and without a seat", () => {
    assert.strictEqual(userStanding(claims, stored(), at(0, "lic_b")).problem, "invalid")
    assert.strictEqual(userStanding(claims, undefined, at(0)).problem, "invalid")
    for (const status of ["invited", "removed"] as const) {
      assert.deepInclude(userStanding(claims, stored({ status }), at(0)), { id: undefined, problem: "removed" })
    }
    // A removal is told before the end of the sign-in, which a new one would not mend.
    assert.strictEqual(userStanding(claims, stored({ status: "removed" }), at(2_000_000)).problem, "removed")
  })

  it("tells a call that brings nothing from one that brings what says nothing", () => {
    assert.strictEqual(unknownUser(undefined).problem, "missing")
    assert.strictEqual(unknownUser("").problem, "missing")
    assert.deepStrictEqual(unknownUser("csu_x"), {
      id: undefined,
      problem: "invalid",
      hasDevice: false,
      otherDevices: 0
    })
  })
})

describe("the rules about users", () => {
  it("ask for a sign-in exactly where somebody is missing", () => {
    assert.isUndefined(signInRequired(undefined))
    assert.isUndefined(signInRequired(signedIn()))
    assert.strictEqual(signInRequired(unknownUser(undefined))?._tag, "USER_SIGN_IN_REQUIRED")
    assert.strictEqual(signInRequired(unknownUser("x"))?.error.detail, "invalid")
  })

  it("refuse a device that another user activated last, and its lease", () => {
    assert.isUndefined(ofOtherUser("validate", undefined))
    assert.isUndefined(ofOtherUser("validate", signedIn({ hasDevice: true })))
    assert.isUndefined(ofOtherUser("validate", unknownUser(undefined)), "who is not signed in is told that")
    assert.strictEqual(ofOtherUser("validate", signedIn())?._tag, "DEVICE_NOT_ACTIVATED")
    assert.strictEqual(ofOtherUser("heartbeat", signedIn())?._tag, "LEASE_NOT_FOUND")
    assert.strictEqual(ofOtherUser("heartbeat", signedIn())?.error.detail, "other_user")
  })

  it("allow so many devices of a user, and the one in use once more", () => {
    assert.isUndefined(deviceLimit(signedIn({ otherDevices: 9 }), undefined, false))
    assert.isUndefined(deviceLimit(undefined, 1, false))
    assert.isUndefined(deviceLimit(signedIn({ otherDevices: 1 }), 2, false))
    const refused = deviceLimit(signedIn({ otherDevices: 2 }), 2, false)
    assert.strictEqual(refused?.error.detail, "2 of 2 in use")
    assert.isUndefined(deviceLimit(signedIn({ otherDevices: 2, hasDevice: true }), 2, true))
    assert.isDefined(deviceLimit(signedIn({ otherDevices: 2, hasDevice: true }), 2, false), "one that was given back")
    assert.isDefined(deviceLimit(signedIn({ otherDevices: 2 }), 2, true), "one of a colleague")
  })
})
