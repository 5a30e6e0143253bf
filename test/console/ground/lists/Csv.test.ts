import { assert, describe, it } from "@effect/vitest"

import { csvOf } from "../../../../src/console/ground/lists/Csv.ts"
import { parseCsv } from "../../../fixtures/parseCsv.ts"

const columns = [["name", (text: string) => text], ["length", (text: string) => String(text.length)]] as const

describe("a list as CSV", () => {
  it("is read back as it was, whatever stands in it", () => {
    const texts = ["Ada", "a,b", "\"quoted\"", "two\r\nlines", "", "東京 🙂", " space "]
    assert.deepStrictEqual(parseCsv(csvOf(columns, texts)), [
      ["name", "length"],
      ...texts.map((text) => [text, String(text.length)])
    ])
  })

  it("has no cell that a spreadsheet would run", () => {
    for (const text of ["=1+1", "+1", "-1", "@SUM(A1)", "\tx"]) {
      const [, row] = parseCsv(csvOf(columns, [text]))
      assert.strictEqual(row?.[0], `'${text}`)
    }
  })
})
