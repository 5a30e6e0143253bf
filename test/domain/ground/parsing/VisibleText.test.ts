import { assert, describe, it } from "@effect/vitest"
import { visibleJson, visibleLine, visibleLines } from "../../../../src/domain/ground/parsing/VisibleText.ts"

/** What a terminal obeys or a reader does not see, each by its code. */
const hostile = [
  0x00,
  0x07,
  0x08,
  0x09,
  0x0a,
  0x0d,
  0x1b,
  0x7f,
  0x80,
  0x85,
  0x9b,
  0x9d,
  0xad,
  0x61c,
  0x200b,
  0x200e,
  0x200f,
  0x2028,
  0x2029,
  0x202a,
  0x202e,
  0x2060,
  0x2066,
  0x2069,
  0xfeff,
  0xfff9,
  0xe0041
]

describe("visibleLine", () => {
  it.each(hostile)("shows character %i as a mark", (code) => {
    const text = visibleLine(`a${String.fromCodePoint(code)}b`)
    assert.strictEqual(text, `a[U+${code.toString(16).toUpperCase().padStart(4, "0")}]b`)
  })

  it.each(["Ada Lovelace", "Müller & Söhne", "می‌خواهم", "👩‍👧 ❤️", "नमस्ते", "葛󠄀", "1️⃣"])("leaves %s as it is", (text) => {
    assert.strictEqual(visibleLine(text), text)
  })

  it.each([0x200c, 0x200d, 0xfe0f])("shows character %i where no writing needs it", (code) => {
    const character = String.fromCodePoint(code)
    assert.strictEqual(visibleLine(`a${character}b`), `a[U+${code.toString(16).toUpperCase()}]b`)
  })

  it("shows half a surrogate", () => {
    assert.strictEqual(visibleLine("a\ud800b"), "a[U+D800]b")
  })
})

describe("visibleLines", () => {
  it("keeps the ends of lines alone", () => {
    assert.strictEqual(visibleLines("a\nb\u001b[2J\r"), "a\nb[U+001B][2J[U+000D]")
  })
})

describe("visibleJson", () => {
  it("has the same value, and no character that a terminal obeys", () => {
    const value = { text: hostile.map((code) => String.fromCodePoint(code)).join("x"), more: ["\ud800", "é"] }
    for (const spaces of [0, 2]) {
      const json = visibleJson(JSON.stringify(value, null, spaces))
      assert.deepStrictEqual(JSON.parse(json), value)
      // oxlint-disable-next-line no-control-regex
      assert.notMatch(json, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202e\u2066]/)
    }
  })
})
