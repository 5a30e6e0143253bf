import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Fields from "../../../../src/domain/ground/wire/Fields.ts"

const accepts = <S extends Schema.Codec<unknown, unknown>>(schema: S, value: unknown): boolean =>
  Schema.decodeUnknownExit(schema)(value)._tag === "Success"

/** A schema, what it must take and what it must refuse. */
interface Case {
  readonly name: string
  readonly schema: Schema.Codec<unknown, unknown>
  readonly right: ReadonlyArray<unknown>
  readonly wrong: ReadonlyArray<unknown>
}

const cases = (
  name: string,
  schema: Case["schema"],
  right: ReadonlyArray<unknown>,
  wrong: ReadonlyArray<unknown>
): Case => ({ name, schema, right, wrong })

/** Texts in which nothing is seen: spaces, controls, formats, and letters that are drawn as nothing. */
const unseen = [
  ..." |\t\n|\u00a0|\u00ad|\u200b|\u200d|\u202e|\u2028|\u2060|\u3000|\ufeff".split("|"),
  ..."\u034f|\u115f|\u1160|\u17b4|\u2800|\u3164|\uffa0|\ufe0f|\u{e0001}|\u{e0100}".split("|"),
  " \u200b\u3164 \u2800"
]

/** Texts of other scripts, and such as a reader by code units would take apart. */
const written = [
  ..."\u{1f511}|\u{1f469}\u200d\u{1f4bb}|\u2764\ufe0f|\u{1f1ea}\u{1f1fa}|e\u0301|\u0308".split("|"),
  ..."北京|한국|กำ|हिन्दी|مرحبا|می\u200cخواهم|.| a |\u202ea".split("|")
]

/** `depth` objects in each other. */
const nested = (depth: number): object => depth === 0 ? {} : { n: nested(depth - 1) }

const table: ReadonlyArray<Case> = [
  cases("longText", Fields.longText(3, 6), ["abc", "\u{1f511}".repeat(3), "x".repeat(6)], [
    "ab",
    "\u{1f511}".repeat(2),
    "\u{1f511}".repeat(4),
    "x".repeat(7),
    "abc\0",
    1
  ]),
  cases("Name", Fields.Name, ["a", "Grüße \u{1f511}", ...written, "x".repeat(255)], [
    "",
    ...unseen,
    "x".repeat(256),
    "\0",
    "\ud800",
    "a\0",
    "a\ud800",
    1,
    null
  ]),
  cases("NameOrClear", Fields.NameOrClear, ["", ...written], [...unseen, "x".repeat(256), "a\0"]),
  cases("label", Fields.label(2), ["a", "ab"], ["", "abc", ...unseen]),
  cases(
    "Code",
    Fields.Code,
    ["a", "A1", "acme.studio_2:beta-1", "x".repeat(128)],
    ["", "-a", ".a", "a b", "a/b", "ä", "x".repeat(129), "a\n"]
  ),

  cases(
    "Email",
    Fields.Email,
    ["a@b", "ada.lovelace+x@example.com", "josé@müller.example", "用户@例子.example"],
    [
      ..."|a|@b|a@|a b@c|a@b@c|a@\0|a@\ud800".split("|"),
      `${"x".repeat(65)}@example.com`,
      ...unseen.flatMap((blank) => [`${blank}@b`, `a@${blank}`, `a${blank}@b`, `a@${blank}b`])
    ]
  ),

  cases("EmailOrClear", Fields.EmailOrClear, ["", "a@b"], [" ", "a", "a@\0", null]),
  cases(
    "TimestampInput",
    Fields.TimestampInput,
    [
      "2026-11-21T10:30:00Z",
      "2026-11-21t10:30:00z",
      "2026-11-21T10:30:00.123456789+02:00",
      "2026-11-21T10:30:00+23:59",
      "2024-02-29T00:00:00Z",
      "0001-01-01T00:00:00Z",
      "9999-12-31T23:59:59.999Z"
    ],
    [
      "",
      "2026-11-21",
      "2026-11-21T10:30:00",
      "2026-11-21 10:30:00Z",
      "2026-11-21T10:30Z",
      "2026-02-29T00:00:00Z",
      "2026-04-31T00:00:00Z",
      "2026-13-01T00:00:00Z",
      "2026-11-21T10:30:60Z",
      "2026-11-21T25:00:00Z",
      "2026-11-21T10:30:00+24:00",
      "0000-01-01T00:00:00Z",
      "0001-01-01T00:00:00+00:01",
      "9999-12-31T23:59:59-00:01",
      "12026-11-21T10:30:00Z",
      1_700_000_000
    ]
  ),

  cases(
    "Metadata",
    Fields.Metadata,
    [
      {},
      { a: null, b: [1, "two", { three: true }] },
      { text: "a backslash \\u0000 is no zero byte" },
      { text: "x".repeat(16_000) },
      nested(10)
    ],
    [
      [],
      "text",
      null,
      { a: undefined },
      { a: Number.POSITIVE_INFINITY },
      { a: "\0" },
      { "\0": 1 },
      { a: "\udc00" },
      { text: "x".repeat(16_400) }
    ]
  ),

  cases("count", Fields.count(1), [1, 2_147_483_647], [0, -1, 1.5, 2_147_483_648, "1", Number.NaN]),
  cases("bigCount", Fields.bigCount(0), [0, Number.MAX_SAFE_INTEGER], [-1, Number.MAX_SAFE_INTEGER + 1, 0.5])
]

describe.each(table)("$name", ({ right, schema, wrong }) => {
  it("takes what is right", () => {
    for (const value of right) assert.isTrue(accepts(schema, value), JSON.stringify(value))
  })

  it("refuses what is wrong", () => {
    for (const value of wrong) assert.isFalse(accepts(schema, value), JSON.stringify(value))
  })
})

describe("Metadata", () => {
  it("refuses what is nested so deep that writing it exhausts the stack", () => {
    const deep: unknown = JSON.parse(`{"n":${"[".repeat(20_000)}${"]".repeat(20_000)}}`)
    assert.isFalse(accepts(Fields.Metadata, deep))
  })
})

describe("TimestampInput", () => {
  it("is read as the instant in UTC", () => {
    assert.strictEqual(
      Schema.decodeSync(Fields.TimestampInput)("2026-11-21T23:30:00.1234+23:59"),
      "2026-11-20T23:31:00.123Z"
    )
  })
})

describe("echoed", () => {
  it("takes exactly the ASCII that no JSON library escapes", () => {
    const schema = Fields.echoed(1, 1)
    const taken = Array.from({ length: 0x180 }, (_, code) => String.fromCharCode(code)).filter((text) =>
      accepts(schema, text)
    )
    const expected = Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index))
      .filter((text) => !`<>&"\\\``.includes(text))
    assert.deepStrictEqual(taken, expected)
  })

  it("is bounded", () => {
    assert.isFalse(accepts(Fields.echoed(8, 128), "1234567"))
    assert.isTrue(accepts(Fields.echoed(8, 128), "x".repeat(128)))
    assert.isFalse(accepts(Fields.echoed(8, 128), "x".repeat(129)))
  })
})
