import { assert, describe, it } from "@effect/vitest"
import { areas, levelOf, lineOf, mayGive, withLevel, wordsOf } from "../../../../src/console/keys/rights/Areas.ts"
import { Scope } from "../../../../src/domain/keys/security/ManagementKey.ts"

const area = (name: string) => areas.find((each) => each.name === name)!

describe("the areas", () => {
  it("know each scope but admin, so that no right is lost where it is chosen by area", () => {
    const known = areas.flatMap(({ scopes }) => Object.values(scopes).flat())
    assert.sameMembers([...new Set(known)], Scope.literals.filter((scope) => scope !== "admin"))
  })

  it.each(
    [
      ["Licenses", ["license:write"], "write"],
      ["Licenses", ["license:read"], "read"],
      ["Licenses", ["product:write"], "none"],
      ["Licenses", ["admin"], "write"],
      ["Reports", ["report:read"], "read"],
      ["Reports", ["report:export"], "none"],
      ["Reports", ["report:read", "report:export"], "write"]
    ] as const
  )("%s with %s are %s", (name, scopes, level) => {
    assert.strictEqual(levelOf(scopes, area(name)), level)
  })

  it("change no scope of another area when one is set", () => {
    assert.deepStrictEqual(withLevel(["ops:read", "license:read"], area("Licenses"), "write"), [
      "ops:read",
      "license:write"
    ])
    assert.deepStrictEqual(withLevel(["ops:read", "license:write"], area("Licenses"), "none"), ["ops:read"])
  })

  it("are given only by who has them", () => {
    assert.isTrue(mayGive(["license:write"], area("Licenses"), "read"))
    assert.isFalse(mayGive(["license:read"], area("Licenses"), "write"))
    assert.isTrue(mayGive([], area("Licenses"), "none"))
  })

  it("say what somebody can and cannot do", () => {
    const { can, cannot } = wordsOf(["license:read", "report:read"])
    assert.deepStrictEqual(can, ["see licenses", "see reports"])
    assert.include(cannot, "issue and change licenses")
    assert.include(cannot, "see products and purchases")
    assert.deepStrictEqual(wordsOf(["admin"]).cannot, [])
    assert.deepStrictEqual([lineOf(["admin"]), lineOf([])], ["everything", "nothing"])
  })
})
