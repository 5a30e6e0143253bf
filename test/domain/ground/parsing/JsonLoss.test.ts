import { assert, describe, it } from "@effect/vitest"
import { parseInternetJson } from "../../../../src/domain/ground/parsing/InternetJson.ts"
import { jsonLoss, lossesByRow } from "../../../../src/domain/ground/parsing/JsonText.ts"
import { chance } from "../../../fixtures/Seeded.ts"

const pathIn = (text: string) => jsonLoss(text)?.path.join(".")

describe("what JSON.parse would not keep", () => {
  it.each([
    ["a whole number beyond 2^53", `{"metadata":{"steam_id":76561198000000001}}`, "metadata.steam_id"],
    ["one more", `[1,9007199254740993]`, "1"],
    ["a negative one", `{"a":[{"b":-9007199254740993}]}`, "a.0.b"],
    ["a fraction of more digits", `{"a":0.12345678901234567890}`, "a"],
    ["what is infinite", `{"a":[1e400]}`, "a.0"],
    ["what is nothing", `{"a":1e-400}`, "a"],
    ["a name twice", `{"a":{"b":1,"c":2,"b":1}}`, "a.b"],
    ["a name twice, written in two ways", `{"a":1,"\\u0061":2}`, "a"],
    ["an empty name twice", `{"":1,"":2}`, ""]
  ])("is found: %s", (_, text, path) => {
    assert.strictEqual(pathIn(text), path)
    assert.throws(() => parseInternetJson(text))
  })

  it.each([
    `{"a":9007199254740992,"b":-9007199254740992,"c":1e21,"d":0.1,"e":1.50,"f":-0,"g":5e-324,"h":1.7976931348623157e308}`,
    `{"a":{"x":1},"b":{"x":1},"c":["x","x"]}`,
    `{"a":"76561198000000001","b":"\\",\\"a\\":1e400","c":"{\\"a\\":1"}`,
    `[]`,
    `12`,
    `"a"`,
    ` { "a" : [ { } , [ ] , null , true ] } `
  ])("is nothing of %s", (text) => assert.isUndefined(jsonLoss(text)))

  it.each([2, 16, 17, 18, 40])(
    "a name twice is found in an object of %d others, wherever the first one stands",
    (count) => {
      const names = Array.from({ length: count }, (_, index) => `"n${index}":0`)
      assert.isUndefined(pathIn(`{${names.join()}}`))
      for (const place of [0, Math.floor(count / 2), count - 1]) {
        assert.strictEqual(pathIn(`{${names.join()},"n${place}":1}`), `n${place}`)
      }
    }
  )

  /** Makes any JSON, much of it lossy. */
  const anyJson = (name: string) => {
    const { upTo } = chance(name)
    const any = (count: number) => Math.trunc(upTo(count))
    const numbers = ["1", "-0", "9007199254740993", "1e400", "0.1", "1e21", "123456789012345678901234567890"]
    const value = (depth: number): string => {
      switch (any(depth > 3 ? 3 : 5)) {
        case 0:
          return numbers[any(numbers.length)]!
        case 1:
          return JSON.stringify(["a", "{\"", "\\", "1e400", "\n"][any(5)])
        case 2:
          return ["true", "null", "false"][any(3)]!
        case 3:
          return `[${Array.from({ length: any(4) }, () => value(depth + 1)).join(",")}]`
        default:
          return `{${
            Array.from({ length: any(4) }, () => `${["\"a\"", "\"b\"", "\"\\u0061\""][any(3)]}: ${value(depth + 1)}`)
              .join(",")
          }}`
      }
    }
    return { any, value }
  }

  it("is found of each row as of the row alone, and outside of rows as before", () => {
    const { any, value } = anyJson("lossy rows")
    let lossy = 0
    for (let turn = 0; turn < 1_000; turn++) {
      const rows = Array.from({ length: any(5) }, () => value(0))
      const [before, after] = [value(2), value(2)]
      const text = `{"before":${before}, "rows" : [${rows.join(" , ")}],"after":${after}}`
      const { outside, rows: found } = lossesByRow(text, "rows")
      assert.deepStrictEqual(outside, jsonLoss(`{"before":${before},"rows":[],"after":${after}}`), text)
      // What refuses the whole is told alone: rows after it are not read.
      if (jsonLoss(before) !== undefined) continue
      for (const [index, row] of rows.entries()) assert.deepStrictEqual(found.get(index), jsonLoss(row), text)
      lossy += found.size
    }
    assert.isAbove(lossy, 100)
  })

  it.each([
    [`{"rows":[1e400],"rows":[]}`, "rows"],
    [`{"rows":{"a":1e400}}`, "rows.a"],
    [`{"rows":1e400}`, "rows"],
    [`{"a":{"rows":[1e400]}}`, "a.rows.0"],
    [`[1e400]`, "0"],
    [`{"rows":[{}],"\\u0072ows":[]}`, "rows"]
  ])("is in no row of %s", (text, path) => {
    assert.strictEqual(lossesByRow(text, "rows").outside?.path.join("."), path)
  })

  it("is what I-JSON refuses, of any JSON", () => {
    const { value } = anyJson("lossy JSON")
    let lossy = 0
    for (let turn = 0; turn < 2_000; turn++) {
      const text = value(0)
      let isRefused = false
      try {
        parseInternetJson(text)
      } catch {
        isRefused = true
      }
      assert.strictEqual(jsonLoss(text) !== undefined, isRefused, text)
      if (isRefused) lossy += 1
    }
    assert.isAbove(lossy, 100)
  })

  it("ends on what is no JSON, too", () => {
    for (const text of ["{", "\"", "{\"a", "]]", "{\"\\", "-", "{\"a\":1,\"a", "\\\\\""]) {
      try {
        jsonLoss(text)
      } catch (error) {
        assert.instanceOf(error, SyntaxError)
      }
    }
  })
})
