import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { csvWriter } from "../../../../src/domain/evidence/exports/Csv.ts"
import { freezeTimeZone } from "../../../../src/domain/evidence/exports/ReportExport.ts"
import { snapshotRowBytes, snapshotRowWriter } from "../../../../src/domain/evidence/exports/ReportSnapshot.ts"
import { bytesOf, cellsOf } from "../../../fixtures/rowCells.ts"

describe("a row that is given by its cells", () => {
  const columns = [
    { key: "time", title: "Time", type: "timestamp" },
    { key: "name", title: "Name", type: "text" },
    { key: "amount", title: "Amount", type: "integer" },
    { key: "code", title: "Code", type: "text" }
  ] as const
  const presentation = { time_zone: freezeTimeZone("Europe/Berlin", "2026-11-21T10:30:00.000Z") }
  const text = Schema.Union([
    // As in the database, which takes no lone surrogate.
    Schema.String.check(Schema.makeFilter((value) => value.isWellFormed())),
    Schema.Literals([
      "lic_01",
      "",
      " ",
      "a b",
      "a ",
      "=1",
      "-1",
      "a\\b",
      "a,b",
      "a;b",
      "x;=1+1;y",
      "a|b",
      "\"",
      "}",
      "\u2028",
      "\ufeff",
      "ü"
    ]),
    // What takes the most bytes in a file, for each that it has as a text.
    Schema.Literals([
      "\u0001".repeat(40),
      "\"".repeat(40),
      "\n".repeat(40),
      "=\"".repeat(20),
      ";=".repeat(20),
      "||".repeat(20),
      ";\"=".repeat(20)
    ])
  ])
  const row = Arbitrary.schema(Schema.Struct({
    time: Schema.optionalKey(Schema.Literals(["2026-07-01T00:00:00.000Z", "2026-12-31T23:30:00.417Z"])),
    name: Schema.optionalKey(text),
    amount: Schema.optionalKey(Schema.Int),
    code: Schema.optionalKey(text)
  }))

  it.prop("is written as its line of a CSV, in the room that was said", { row }, ({ row }) => {
    for (const options of [{ filters: {} }, { filters: {}, presentation }]) {
      const csv = csvWriter({ columns, ...options })
      assert.strictEqual(bytesOf(csv.rowBytes, cellsOf(columns, row)), csv.row(row))
    }
  }, { arbitrary: { runs: 1_000 } })

  it.prop("is written as canonical JSON, with a comma before all but the first", { row }, ({ row }) => {
    const writer = snapshotRowBytes(columns)
    const json = snapshotRowWriter(columns)(row)
    assert.strictEqual(bytesOf(writer, cellsOf(columns, row)), json)
    assert.strictEqual(bytesOf(writer, cellsOf(columns, row)), `,${json}`)
  }, { arbitrary: { runs: 1_000 } })
})
