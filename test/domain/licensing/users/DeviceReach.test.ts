import { assert, describe, it } from "@effect/vitest"
import { isInReach, reachRefusal } from "../../../../src/domain/licensing/users/UserRules.ts"
import type { UserProblem, UserStanding } from "../../../../src/domain/licensing/users/UserStanding.ts"

const standing = (id: string | undefined, problem?: UserProblem): UserStanding => ({
  id,
  problem,
  hasDevice: false,
  otherDevices: 0
})

describe("the devices that whoever asks reaches", () => {
  it("are all of them for the owner, and where the terms have no users", () => {
    assert.isTrue(isInReach(undefined, "usr_a"))
    assert.isTrue(isInReach(undefined, undefined))
  })

  it("are a user's own and those that are nobody's, and no colleague's", () => {
    assert.isTrue(isInReach({ id: "usr_a" }, "usr_a"))
    assert.isTrue(isInReach({ id: "usr_a" }, undefined))
    assert.isFalse(isInReach({ id: "usr_a" }, "usr_b"))
  })

  it("are those of nobody alone for whoever names no user", () => {
    assert.isTrue(isInReach({ id: undefined }, undefined))
    assert.isFalse(isInReach({ id: undefined }, "usr_a"))
  })

  it("are refused to whoever names a user that is none, and not to one who names nobody", () => {
    assert.isUndefined(reachRefusal(undefined))
    assert.isUndefined(reachRefusal(standing("usr_a")))
    assert.isUndefined(reachRefusal(standing(undefined, "missing")))
    for (const problem of ["invalid", "expired", "removed"] as const) {
      assert.strictEqual(reachRefusal(standing(undefined, problem))?.error.detail, problem)
    }
  })
})
