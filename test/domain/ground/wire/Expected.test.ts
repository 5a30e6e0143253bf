import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { expected, kindOf, literalsOf, namesOf, requiredOf } from "../../../../src/domain/ground/wire/Expected.ts"
import {
  anyBigCount,
  Code,
  count,
  echoed,
  EmailOrClear,
  Name,
  text,
  TimestampInput
} from "../../../../src/domain/ground/wire/Fields.ts"

const words = ({ ast }: Schema.Top, input?: unknown) => expected(ast, input)

describe("what a schema allows, in words", () => {
  it.each<readonly [string, Schema.Top]>([
    ["a string", Schema.String],
    ["a string of 1 to 255 characters", Name],
    ["a string of at most 64 characters", text(0, 64)],
    ["a string of at least 3 characters", Schema.String.check(Schema.isMinLength(3))],
    [
      "up to 128 letters, digits, or characters of '._:-', starting with a letter or digit",
      Code
    ],
    ["printable ASCII without < > & \" \\ `, 8 to 128 characters", echoed(8, 128)],
    [
      "an email address of up to 320 visible characters, or the empty string to clear it",
      EmailOrClear
    ],
    ["an RFC 3339 date-time with an offset, such as 2027-01-31T12:00:00Z", Schema.toEncoded(TimestampInput)],
    ["a number", Schema.Finite],
    ["a whole number from 1 to 2147483647", count(1)],
    ["a whole number from -9007199254740991 to 9007199254740991", anyBigCount],
    ["a number of at least 0", Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))],
    ["a number of at most 9", Schema.Finite.check(Schema.isLessThanOrEqualTo(9))],
    // The narrower one of two bounds holds.
    [
      "a whole number from 3 to 5",
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 }), Schema.isGreaterThanOrEqualTo(3))
    ],
    ["true or false", Schema.Boolean],
    ["null", Schema.Null],
    ["an array", Schema.Array(Schema.String)],
    ["an array of 1 to 9 elements", Schema.Array(Schema.String).check(Schema.isBetweenLength(1, 9))],
    [
      "an array of at most 9 different elements",
      Schema.Array(Schema.String).check(Schema.isMaxLength(9), Schema.isUnique())
    ],
    ["one of asc, desc", Schema.Literals(["asc", "desc"])],
    ["asc", Schema.Literal("asc")],
    ["one of asc, null", Schema.Literals(["asc"]).pipe((asc) => Schema.Union([asc, Schema.Literal("null")]))],
    ["a string of 1 to 255 characters, or null", Schema.NullOr(Name)],
    ["a JSON object", Schema.Struct({ name: Name })]
  ])("%s", (said, schema) => {
    assert.strictEqual(words(schema), said)
  })

  it("is the nearest of many values", () => {
    const many = Schema.Literals(Array.from({ length: 30 }, (_, index) => `value.${index}`))
    assert.strictEqual(
      words(many, "value.2o"),
      "one of 30 values, such as value.2, value.20, value.21, value.22, value.23"
    )
  })
})

describe("the parts of a schema", () => {
  const object = Schema.Struct({ name: Name, order: Schema.optionalKey(Schema.Literals(["asc", "desc"])) })

  it("are members, those that are required, and values", () => {
    assert.deepStrictEqual(namesOf(object.ast), ["name", "order"])
    assert.deepStrictEqual(requiredOf(object.ast), ["name"])
    assert.deepStrictEqual(literalsOf(object.fields.order.ast), ["asc", "desc"])
  })

  it("are none where there are none", () => {
    assert.deepStrictEqual(namesOf(Name.ast), [])
    assert.deepStrictEqual(requiredOf(Name.ast), [])
    assert.isUndefined(literalsOf(object.ast))
    assert.isUndefined(literalsOf(Schema.NullOr(Schema.Literal("asc")).ast))
  })
})

describe("what a value is", () => {
  it("tells its kind, and nothing of what is in it", () => {
    const kinds = [["sesame"], { sesame: 1 }, "sesame", 7, true, null, undefined].map(kindOf)
    assert.deepStrictEqual(kinds, ["an array", "an object", "a string", "a number", "a boolean", "null", "nothing"])
  })
})
