import { assert, describe, it } from "@effect/vitest"
import { membersOf, parseMembers } from "../../../../src/domain/ground/parsing/JsonMembers.ts"

describe("members of JSON", () => {
  it("membersOf of anything but an object is empty", () => {
    for (const value of [null, undefined, [1], "a", 1, true]) assert.deepStrictEqual(membersOf(value), {})
    assert.deepStrictEqual(membersOf({ a: 1 }), { a: 1 })
  })

  it("parseMembers refuses a text that is not an object", () => {
    for (const text of ["null", "[1]", "\"a\"", "1", "true"]) assert.throws(() => parseMembers(text), TypeError)
    assert.deepStrictEqual(parseMembers("{\"a\":1}"), { a: 1 })
  })
})
