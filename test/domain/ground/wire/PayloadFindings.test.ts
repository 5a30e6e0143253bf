import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Code, Metadata, Name, TimestampInput } from "../../../../src/domain/ground/wire/Fields.ts"
import { payloadFindings } from "../../../../src/domain/ground/wire/PayloadFindings.ts"
import { RuntimeRequest } from "../../../../src/domain/licensing/entitlements/RuntimeRequest.ts"

const judge = payloadFindings(
  Schema.Struct({
    name: Name,
    code: Code,
    at: Schema.optionalKey(TimestampInput),
    ranges: Schema.optionalKey(Schema.Array(Name).check(Schema.isMaxLength(64))),
    rows: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Name, size: Schema.optionalKey(Schema.Int) }))),
    metadata: Schema.optionalKey(Metadata)
  })
)
const found = (body: unknown) => judge.of(body).map(({ code, path }) => `${path} ${code}`)
const tooLong = (body: unknown) => judge.tooLong(body).map(({ code, path }) => `${path} ${code}`)
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, 1]))

describe("findings", () => {
  it("are of every member, with their places", () => {
    assert.deepStrictEqual(
      found({ name: "", at: "tomorrow", ranges: ["a", 1], rows: [{ name: "a" }, { size: 1.5 }, 3], colour: 1 }),
      [
        "colour unknown_field",
        "name invalid_value",
        "code required",
        "at invalid_value",
        "ranges.1 invalid_type",
        "rows.1.name required",
        "rows.1.size invalid_value",
        "rows.2 invalid_type"
      ]
    )
  })

  it("are none of what decodes", () => {
    assert.deepStrictEqual(found({ name: "a", code: "b", at: "2026-01-01T00:00:00Z", metadata: { a: [1] } }), [])
  })

  it("are of the whole when it is none, or when its members do not go together", () => {
    for (const body of [[], "text", null, undefined, 1]) assert.deepStrictEqual(found(body), [" invalid_type"])
    const device = payloadFindings(RuntimeRequest)
    assert.deepStrictEqual(device.of({ hostname: "a" }).map(({ path }) => path), ["fingerprint"])
    assert.deepStrictEqual(device.of({ is_container: true }).map(({ path }) => path), ["is_container"])
  })

  it("are at most 20, however many there could be, and short", () => {
    assert.lengthOf(found(many(8_000)), 20)
    assert.lengthOf(found({ name: "a", code: "b", ranges: Array.from({ length: 60 }, () => 1) }), 20)
    assert.lengthOf(found({ name: "a", code: "b", rows: Array.from({ length: 1_000 }, () => ({ size: "x" })) }), 20)
    const [long] = judge.of({ name: "a", code: "b", ["x".repeat(10_000)]: 1 })
    assert.isAtMost(long!.path.length, 128)
    const [surrogate] = judge.of({ name: "a", code: "b", [`${"x".repeat(126)}\u{1f600}`]: 1 })
    assert.isTrue(surrogate!.path.isWellFormed())
  })
})

describe("what is too long", () => {
  it("is found by its length, before any element is read", () => {
    const unread = (length: number) =>
      new Proxy(Array.from({ length }, () => "a"), {
        get: (target, name) => {
          if (name !== "length") throw new Error(`read ${String(name)}`)
          return target.length
        }
      })
    assert.deepStrictEqual(tooLong({ name: "a", code: "b", ranges: unread(65) }), ["ranges invalid_value"])
    assert.deepStrictEqual(tooLong({ name: "a", code: "b", ranges: unread(64) }), [])
  })

  it("is a free-form member with more values than 16 KiB can hold, however they are nested", () => {
    for (const metadata of [many(9_000), { a: Array.from({ length: 9_000 }, () => 1) }]) {
      assert.deepStrictEqual(tooLong({ name: "a", code: "b", metadata }), ["metadata invalid_value"])
    }
    let deep: unknown = 1
    for (let level = 0; level < 100_000; level++) deep = [deep]
    assert.deepStrictEqual(tooLong({ name: "a", code: "b", metadata: { deep } }), ["metadata invalid_value"])
    assert.deepStrictEqual(tooLong({ name: "a", code: "b", metadata: { a: [1, { b: 2 }] } }), [])
  })

  it("are unknown members, when there are more than a refusal names", () => {
    assert.lengthOf(tooLong({ name: "a", code: "b", ...many(30_000) }), 20)
    assert.deepStrictEqual(tooLong({ name: "a", code: "b", ...many(3) }), [])
  })
})
