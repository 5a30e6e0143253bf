import { assert, describe, it } from "@effect/vitest"
import { jsonErrorPosition } from "../../../../src/domain/ground/parsing/JsonText.ts"
import type { Chance } from "../../../fixtures/Seeded.ts"
import { chance } from "../../../fixtures/Seeded.ts"

const placeOf = (text: string) => {
  const { column, line } = jsonErrorPosition(text)
  return `${line}:${column}`
}

/** Where an offset is, by counting. */
const counted = (text: string, offset: number) => {
  let [line, column] = [1, 1]
  for (const unit of text.slice(0, offset).split("")) {
    if (unit === "\n") [line, column] = [line + 1, 1]
    else column++
  }
  return `${line}:${column}`
}

const value = ({ upTo }: Chance, depth: number): unknown => {
  const pick = Math.floor(upTo(depth > 3 ? 5 : 7))
  const several = <A>(make: (index: number) => A) =>
    Array.from({ length: Math.floor(upTo(4)) }, (_, index) => make(index))
  switch (pick) {
    case 0:
      return null
    case 1:
      return upTo(2) < 1
    case 2:
      return [0, -1.5, 1e21, 2e-7, 42][Math.floor(upTo(5))]
    case 3:
      return ["", "a\"b\\c", "ünïcode 🎉 \u2028", "{[:,]}\n\t\u0001"][Math.floor(upTo(4))]
    case 4:
      return "text"
    case 5:
      return several(() => value({ upTo }, depth + 1))
    default:
      return Object.fromEntries(several((index) => [`k${index}"`, value({ upTo }, depth + 1)]))
  }
}

describe("the place where a text stops being JSON", () => {
  it.each([
    ["", "1:1"],
    [" \n ", "2:2"],
    ["{\"a\": sesame}", "1:7"],
    ["{\"a\": 1,}", "1:9"],
    ["{\"a\" 1}", "1:6"],
    ["{a: 1}", "1:2"],
    ["{'a': 1}", "1:2"],
    ["[1 2]", "1:4"],
    ["[1,]", "1:4"],
    ["[1}", "1:3"],
    ["{]", "1:2"],
    ["01", "1:2"],
    ["1.", "1:2"],
    ["\"a\nb\"", "1:1"],
    ["\"\\x\"", "1:1"],
    ["{} {}", "1:4"],
    ["nul", "1:1"],
    ["{\r\n  \"a\": NaN\r\n}", "2:8"],
    ["\ufeff{}", "1:1"]
  ])("%j: %s", (text, place) => {
    assert.throws(() => JSON.parse(text))
    assert.strictEqual(placeOf(text), place)
  })

  it("is where something was put in, whatever stands around it", () => {
    const random = chance("json")
    for (let round = 0; round < 300; round++) {
      const text = JSON.stringify(value(random, 0), null, Math.floor(random.upTo(3)))
      // A character that JSON has nowhere, before a token: after white space or a token of one character.
      const outside = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, (string) => "s".repeat(string.length))
      const gaps = [0, ...[...outside.matchAll(/[\s{}[\],:]/g)].map(({ index }) => index + 1)]
      const at = gaps[Math.floor(random.upTo(gaps.length))]!
      const broken = `${text.slice(0, at)}@${text.slice(at)}`
      assert.strictEqual(placeOf(broken), counted(broken, at), broken)
    }
  })

  it("is the end of what was cut off inside of an object", () => {
    const text = "{\"a\": [1, {\"b\": true}]}"
    for (const end of [1, 5, 6, 7, 8, 9, 10, 11, 15, 16, 20, 21, 22]) {
      const cut = text.slice(0, end)
      assert.strictEqual(placeOf(cut), counted(cut, end), cut)
    }
  })

  it("is found in the longest body that is taken", () => {
    const long = `{"a": "${"x".repeat(256 * 1024)}", @}`
    assert.strictEqual(placeOf(long), counted(long, long.indexOf("@")))
    const deep = `${"[".repeat(100_000)}@`
    assert.strictEqual(placeOf(deep), counted(deep, 100_000))
  })
})
