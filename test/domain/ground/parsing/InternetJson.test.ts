import { assert, describe, it } from "@effect/vitest"
import { InternetJsonError, parseInternetJson } from "../../../../src/domain/ground/parsing/InternetJson.ts"
import { makeRandom } from "../../../fixtures/UsageModel.ts"

const random = makeRandom(Number(process.env["SEED"] ?? 7493))
const names = ["a", "b", "data", "é", "\u2028", "😀", "\"", "\\", "__proto__", "", "{", "]:,"]

/** A random value. */
const value = (depth: number): unknown => {
  if (depth === 0 || random.chance(0.3)) {
    return random.pick([null, true, 0, -0, 1.5, -12, 1e21, 5e-324, 2 ** 53, 0.1, "", "x", random.pick(names)])
  }
  const length = random.below(4)
  if (random.chance(0.4)) return Array.from({ length }, () => value(depth - 1))
  return Object.fromEntries(Array.from({ length }, () => [random.pick(names), value(depth - 1)]))
}

/** A string as one of the many texts that it can be written as. */
const spelt = (text: string): string =>
  `"${
    [...text].map((letter) =>
      random.chance(0.3)
        ? Array.from(
          { length: letter.length },
          (_, index) => `\\u${letter.charCodeAt(index).toString(16).padStart(4, "0")}`
        ).join("")
        : JSON.stringify(letter).slice(1, -1)
    ).join("")
  }"`

const space = () => random.pick(["", "", " ", "\n", "\t "])

/** JSON of a value with random spaces and spelling; `twice` says once whether a name of an object is repeated. */
const written = (given: unknown, twice: () => boolean): string => {
  if (Array.isArray(given)) return `[${space()}${given.map((item) => written(item, twice)).join(`${space()},`)}]`
  if (typeof given === "string") return spelt(given)
  if (typeof given !== "object" || given === null) return JSON.stringify(given)
  const members = Object.entries(given).map(([name, item]) =>
    `${space()}${spelt(name)}${space()}:${space()}${written(item, twice)}${space()}`
  )
  if (members.length > 0 && twice()) {
    members.splice(random.below(members.length + 1), 0, `${spelt(random.pick(Object.keys(given)))}:null`)
  }
  return `{${members.join(",")}}`
}

describe("parseInternetJson", () => {
  it("reads what JSON.parse reads, whatever it looks like", () => {
    for (let index = 0; index < 3000; index++) {
      const text = written(value(4), () => false)
      assert.deepStrictEqual(parseInternetJson(text), JSON.parse(text), text)
    }
  })

  it("refuses a name that appears twice, wherever it is and however it is spelt", () => {
    let refused = 0
    for (let index = 0; index < 3000; index++) {
      let done = false
      const text = written(value(4), () => !done && random.chance(0.5) && (done = true))
      if (done) assert.throws(() => parseInternetJson(text), InternetJsonError, "twice", text)
      else assert.deepStrictEqual(parseInternetJson(text), JSON.parse(text), text)
      refused += done ? 1 : 0
    }
    assert.isAbove(refused, 500)
  })

  it("takes the same name in different objects, and as a value", () => {
    for (const text of [`{"a":{"a":[{"a":"a"},{"a":"a"}]},"b":"a"}`, `[{"a":1},{"a":1}]`, `{"a":"a","b":["a","a"]}`]) {
      assert.deepStrictEqual(parseInternetJson(text), JSON.parse(text))
    }
  })

  it("refuses what is no JSON, as JSON.parse does", () => {
    for (const text of ["", "{", "{}{}", "{\"a\":1,}", "[1,]", "{'a':1}", "nul", "01", "1.", "\"\t\"", "\ufeff{}"]) {
      assert.throws(() => parseInternetJson(text), InternetJsonError)
    }
  })

  it("refuses lone surrogates, in names and in values, written out or escaped", () => {
    for (const text of [`"\\ud800"`, `["x\\udc00\\ud800"]`, `{"\\uD83D":1}`, `"\ud800"`]) {
      assert.throws(() => parseInternetJson(text), InternetJsonError, "surrogate")
    }
    assert.strictEqual(parseInternetJson(`"\\ud83d\\ude00"`), "😀")
  })

  it("refuses a number that other readers read exactly and a double does not", () => {
    for (const text of ["9007199254740993", "1e400", "0.1000000000000000055", "-9007199254740993", "1e-400"]) {
      assert.throws(() => parseInternetJson(`{"amount":${text}}`), InternetJsonError, "double")
    }
    for (const text of ["9007199254740992", "12345678901234567000", "1.0", "1E2", "100e-2", "-0", "5e-324", "0.1"]) {
      assert.deepStrictEqual(parseInternetJson(`[${text}]`), [Number(text)])
    }
  })

  it("reads numbers of millions of digits in linear time", () => {
    const many = 3_000_000
    const zeros = "0".repeat(many)
    for (const text of [`1${zeros}1`, `1.${zeros}1`, `1e-${"9".repeat(many)}`, `0.${zeros}1`]) {
      assert.throws(() => parseInternetJson(`[${text}]`), InternetJsonError, "double")
    }
    assert.deepStrictEqual(parseInternetJson(`[0e${"9".repeat(many)}, 1e${zeros}1, 1.${zeros}]`), [0, 10, 1])
  })
})
