import { assert, describe, it } from "@effect/vitest"
import type { ReportColumn } from "../../../../src/domain/evidence/reports/Report.ts"
import { jsonRow } from "../../../../src/domain/ground/rows/JsonRows.ts"
import { cellBytes, cellText, wordsOf, writeWords } from "../../../../src/domain/ground/rows/RowBytes.ts"
import { bytesOf, cellsOf } from "../../../fixtures/rowCells.ts"
import { chance } from "../../../fixtures/Seeded.ts"

const column = (key: string): ReportColumn => ({ key, title: key, type: "text" })

/** Texts of each length up to two words and more, with each kind of character at each place. */
const texts = Array.from(
  { length: 10 },
  (_, length) =>
    ["a", "\"", "\\", "\u0000", "\u001f", " ", "\u007f", "é", "\u2028", "😀"].flatMap((character) =>
      Array.from({ length: length + 1 }, (_, at) => "x".repeat(at) + character + "y".repeat(length - at))
    )
).flat()

describe("a row in JSON", () => {
  const { upTo } = chance("rows")
  const members = [
    { key: "name", index: 0, form: "string" },
    { key: "a \"key\"", index: 1, form: "string" },
    { key: "amount", index: 2, form: "bare" },
    { key: "flag", index: 3, form: (text: string) => text === "yes" ? "true" : "false" }
  ] as const
  const columns = ["first", "second", "third", "fourth"].map(column)
  const write = jsonRow(members)

  it("is what JSON.stringify writes, whatever its texts are and which it lacks", () => {
    for (const text of texts) {
      const other = texts[Math.floor(upTo(texts.length))]!
      const row = {
        ...(upTo(4) < 1 ? {} : { first: text }),
        ...(upTo(4) < 1 ? {} : { second: other }),
        ...(upTo(4) < 1 ? {} : { third: String(Math.floor(upTo(1e9)) - 5e8) }),
        ...(upTo(4) < 1 ? {} : { fourth: upTo(2) < 1 ? "yes" : "never" })
      }
      const expected = {
        name: row.first,
        "a \"key\"": row.second,
        amount: row.third === undefined ? undefined : Number(row.third),
        flag: row.fourth === undefined ? undefined : row.fourth === "yes"
      }
      assert.strictEqual(bytesOf(write, cellsOf(columns, row)), JSON.stringify(expected))
    }
  })

  it("of nothing is an empty object", () => {
    assert.strictEqual(bytesOf(write, cellsOf(columns, {})), "{}")
  })

  it("keeps values of two bytes as they are, which can be written in one way only", () => {
    const members = [{ key: "more", index: 0, form: () => assert.fail("nothing was to be written anew") }] as const
    assert.strictEqual(bytesOf(jsonRow(members), cellsOf([column("more")], { more: "{}" })), "{\"more\":{}}")
  })
})

describe("the cells of a row", () => {
  it("are their texts and as long as those are in UTF-8; one that is none has no length", () => {
    const row = cellsOf([column("a"), column("b"), column("c")], { a: "é", c: "xyz" })
    assert.strictEqual(cellText(row, 0), "é")
    assert.strictEqual(cellText(row, 2), "xyz")
    assert.strictEqual(cellBytes(row), 5)
  })
})

describe("bytes as words", () => {
  it.each([0, 1, 3, 4, 5, 8])("are the %i bytes again, and zeros up to a whole word", (length) => {
    const bytes = Uint8Array.from({ length }, (_, index) => 200 + index)
    const target = new Uint8Array(12)
    writeWords(wordsOf(bytes), new DataView(target.buffer), 0)
    assert.deepStrictEqual([...target.subarray(0, length)], [...bytes])
    assert.isTrue(target.subarray(length).every((byte) => byte === 0))
  })
})
