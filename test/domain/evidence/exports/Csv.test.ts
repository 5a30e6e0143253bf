import { assert, describe, it } from "@effect/vitest"
import { csvWriter } from "../../../../src/domain/evidence/exports/Csv.ts"
import { freezeTimeZone } from "../../../../src/domain/evidence/exports/ReportExport.ts"
import type { ReportColumn } from "../../../../src/domain/evidence/reports/Report.ts"
import { parseCsv } from "../../../fixtures/parseCsv.ts"

const columns: ReadonlyArray<ReportColumn> = [
  { key: "name", title: "Name", type: "text" },
  { key: "amount", title: "Amount", type: "integer" }
]

const name = (text: string): string =>
  parseCsv(csvWriter({ columns, filters: {} }).row({ name: text, amount: 1 }))[0]![0]!

describe("csv", () => {
  it("begins with a byte order mark and the keys of the columns, and ends each line with CRLF", () => {
    assert.strictEqual(csvWriter({ columns, filters: {} }).head, "\uFEFFname,amount\r\n")
    assert.strictEqual(csvWriter({ columns, filters: {} }).row({ name: "A", amount: -5 }), "A,-5\r\n")
    assert.strictEqual(csvWriter({ columns, filters: {} }).row({ name: "A" }), "A,\r\n")
    assert.strictEqual(csvWriter({ columns, filters: {} }).row({}), ",\r\n")
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
    "\tx",
    "\rx",
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

describe("a formula behind a separator", () => {
  const text = (cell: string, edition?: 1) =>
    parseCsv(csvWriter({ columns, filters: {} }, edition).row({ name: cell }))[0]![0]!
  const starts = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "|cmd",
    "%0A",
    "＝1",
    "＋1",
    "－1",
    "＠A1",
    " =1",
    "\"=1\"",
    "\u00a0=1"
  ]

  it.each([",", ";", "\t", "|", "\r", "\n", "\r\n"])(
    "is guarded behind %j, whatever the spreadsheet takes for one",
    (separator) => {
      for (const start of starts) assert.strictEqual(text(`x${separator}${start}`), `x${separator}'${start}`, start)
    }
  )

  it("is guarded twice behind one that a text begins with", () => {
    assert.strictEqual(text("\t=1"), "'\t'=1")
    assert.strictEqual(text("\r=1"), "'\r'=1")
  })

  it("leaves separators before anything else, and is what it was in the edition before", () => {
    for (const cell of ["a;b", "a|b", "x; y", "1;2", "a;'=1", "Müller; Söhne"]) assert.strictEqual(text(cell), cell)
    assert.strictEqual(text("x;=1+1;y", 1), "x;=1+1;y")
  })

  it("is in no cell of the file, by whichever separator it is read", () => {
    const { head, row } = csvWriter({ columns, filters: {} })
    const file = head +
      starts.flatMap((start) => [";", "\t", "|", ",", "\n"].map((by) => row({ name: `x${by}${start}${by}y` }))).join("")
    for (const by of [/[,\r\n]/, /[;\r\n]/, /[\t\r\n]/, /[|\r\n]/]) {
      // Quotes are read as nothing: a cell that they begin ends at the next, and the rest is appended.
      const cells = file.slice(1).split(by).map((cell) => cell.replaceAll("\"", "").replace(/^[ \u00a0]+/, ""))
      assert.deepStrictEqual(cells.filter((cell) => /^[=+@%＝＋－＠]|^-(?!5$)/.test(cell)), [])
    }
  })
})

describe("CSV for a reader's time zone", () => {
  const columns = [
    { key: "bucket", title: "Starting at", type: "timestamp" },
    { key: "uses", title: "Uses", type: "integer" },
    { key: "last_at", title: "Last use", type: "timestamp" }
  ] as const
  const presentation = { time_zone: freezeTimeZone("Europe/Berlin", "2026-11-21T10:30:00.000Z") }
  const row = { bucket: "2026-07-01T00:00:00.000Z", uses: 2, last_at: "2026-12-31T23:30:00.417Z" }

  it("has the local date and time of day beside each exact instant", () => {
    const csv = csvWriter({ columns, filters: { bucket: "1h" }, presentation })
    assert.strictEqual(
      csv.head,
      "\uFEFFbucket,bucket (Europe/Berlin),uses,last_at,last_at (Europe/Berlin)\r\n"
    )
    assert.strictEqual(
      csv.row(row),
      "2026-07-01T00:00:00.000Z,2026-07-01 02:00:00,2,2026-12-31T23:30:00.417Z,2027-01-01 00:30:00\r\n"
    )
    assert.strictEqual(csv.row({ uses: 2 }), ",,2,,\r\n")
  })

  it("has the days of the report as the dates that they are in UTC", () => {
    const csv = csvWriter({ columns, filters: { bucket: "1d" }, presentation })
    assert.include(csv.head, "bucket,bucket (UTC),uses")
    assert.include(csv.row(row), "2026-07-01T00:00:00.000Z,2026-07-01,2,")
  })
})
