import { assert, describe, it } from "@effect/vitest"
import { isAmong, matchesEtag, parseConditionTags } from "../../../../src/domain/ground/wire/EntityTag.ts"

describe("askedTags", () => {
  it.each([
    ["*", "*"],
    [" * ", "*"],
    ["\"a\"", ["\"a\""]],
    ["\"\"", ["\"\""]],
    ["W/\"a\"", ["W/\"a\""]],
    ["\"a\", \"b\",W/\"c\"", ["\"a\"", "\"b\"", "W/\"c\""]],
    // Between quotes a comma belongs to the tag.
    ["\"a,b\"", ["\"a,b\""]],
    ["\"a b\"", undefined],
    // A list may have empty elements (RFC 9110 section 5.6.1.2).
    [", \"a\" ,, \"b\" ,", ["\"a\"", "\"b\""]],
    ["", undefined],
    [",", undefined],
    ["a", undefined],
    ["\"a", undefined],
    ["\"a\"b", undefined],
    ["\"a\" \"b\"", undefined],
    ["w/\"a\"", undefined],
    ["*, \"a\"", undefined],
    ["\"a\u0000\"", undefined]
  ])("%s", (header, expected) => {
    assert.deepStrictEqual<unknown>(parseConditionTags(header), expected)
  })

  it("reads a header of the greatest length in a moment", () => {
    const header = Array.from({ length: 400 }, () => `"${"a".repeat(32)}"`).join(",")
    assert.strictEqual(parseConditionTags(header)?.length, 400)
    assert.isUndefined(parseConditionTags(`${",".repeat(16_000)}a`))
  })
})

describe("isAmong", () => {
  it("compares strongly: a weak tag is none of a change (RFC 9110 section 8.8.3.2)", () => {
    assert.isTrue(isAmong(["\"b\"", "\"a\""], "\"a\""))
    assert.isTrue(isAmong("*", "\"a\""))
    assert.isFalse(isAmong(["W/\"a\""], "\"a\""))
  })
})

describe("matchesEtag", () => {
  it.each([
    ["\"a\"", true],
    ["W/\"a\"", true],
    ["\"b\", \"a\"", true],
    ["*", true],
    ["\"b\"", false],
    ["\"x,\"a\"", false],
    ["a", false],
    [undefined, false]
  ])("%s", (header, expected) => {
    assert.strictEqual(matchesEtag(header, "\"a\""), expected)
  })
})
