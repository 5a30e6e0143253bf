import { assert, describe, it } from "@effect/vitest"
import { csvHead, csvRow } from "../../../src/domain/exports/Csv.ts"
import type { ReportColumn } from "../../../src/domain/reports/Report.ts"
import { parseCsv } from "../../fixtures/parseCsv.ts"

const columns: ReadonlyArray<ReportColumn> = [
  { key: "name", title: "Name", type: "text" },
  { key: "amount", title: "Amount", type: "integer" }
]

const name = (text: string): string => parseCsv(csvRow(columns, { name: text, amount: 1 }))[0]![0]!

describe("csv", () => {
  it("begins with a byte order mark and the keys of the columns, and ends each line with CRLF", () => {
    assert.strictEqual(csvHead(columns), "\uFEFFname,amount\r\n")
    assert.strictEqual(csvRow(columns, { name: "A", amount: -5 }), "A,-5\r\n")
    assert.strictEqual(csvRow(columns, { name: "A" }), "A,\r\n")
    assert.strictEqual(csvRow(columns, {}), ",\r\n")
  })

  it.each([
    "株式会社サンプル",
    "شركة المثال",
    "Müller & Söhne",
    "🚀",
    "a,b",
    "say \"no\"",
    "two\nlines",
    " room ",
    "it's",
    "a=b"
  ])(
    "keeps %j as it is",
    (text) => {
      assert.strictEqual(name(text), text)
    }
  )

  it.each([
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "  =1",
    "|cmd",
    "%0A",
    "＝1",
    "=HYPERLINK(\"http://evil\",\"x\")"
  ])(
    "puts an apostrophe before %j",
    (text) => {
      assert.strictEqual(name(text), `'${text}`)
    }
  )
})
