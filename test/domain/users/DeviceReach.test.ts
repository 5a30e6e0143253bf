import { assert, describe, it } from "@effect/vitest"
import { isInReach, reachRefusal } from "../../../src/domain/users/DeviceReach.ts"
import type { UserProblem, UserStanding } from "../../../src/domain/users/UserStanding.ts"

const standing = (problem: UserProblem | undefined): UserStanding => ({
  ...{ id: problem === undefined ? "user_1" : undefined, problem, hasDevice: false, otherDevices: 0 }
})

describe("the reach of a user", () => {
  it("is the own devices and those of nobody, and all where nobody limits it", () => {
    const cases: ReadonlyArray<readonly [Parameters<typeof isInReach>, boolean]> = [
      [[undefined, undefined], true],
      [[undefined, "user_2"], true],
      [[{ id: "user_1" }, undefined], true],
      [[{ id: "user_1" }, "user_1"], true],
      [[{ id: "user_1" }, "user_2"], false],
      [[{ id: undefined }, undefined], true],
      [[{ id: undefined }, "user_1"], false]
    ]
    for (const [asked, expected] of cases) assert.strictEqual(isInReach(...asked), expected, JSON.stringify(asked))
  })

  it("is refused to whoever names a user that is none, and not to who names nobody", () => {
    assert.isUndefined(reachRefusal(undefined))
    assert.isUndefined(reachRefusal(standing(undefined)))
    assert.isUndefined(reachRefusal(standing("missing")))
    for (const problem of ["invalid", "expired", "removed"] as const) {
      assert.strictEqual(reachRefusal(standing(problem))?.error.detail, problem)
    }
  })
})
