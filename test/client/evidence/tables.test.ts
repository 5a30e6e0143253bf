// A table beside the snapshot that it was made of: computed anew, and each difference said in words.
import { assert, describe, it } from "@effect/vitest"
import type { GivenFile } from "../../../src/client/evidence/Trust.ts"
import { verifyFiles } from "../../../src/client/evidence/verifyFiles.ts"
import { plainSha256 } from "../../../src/client/hashing/plainSha256.ts"
import { csvWriter } from "../../../src/domain/evidence/exports/Csv.ts"
import { snapshotSchema } from "../../../src/domain/evidence/exports/ExportSeal.ts"
import { freezeTimeZone } from "../../../src/domain/evidence/exports/ReportExport.ts"
import type { ReportColumn, ReportRow } from "../../../src/domain/evidence/reports/Report.ts"

const columns: ReadonlyArray<ReportColumn> = [
  { key: "customer", title: "Customer", type: "text" },
  { key: "at", title: "At", type: "timestamp" },
  { key: "amount", title: "Amount", type: "integer" },
  { key: "note", title: "Note", type: "text" }
]

const names = ["Łódź, \"north\"", "=1+1", "東京;+1", " padded ", "two\r\nlines", "plain", "plain", "a;=b"]

const rows = names.map((customer, index): ReportRow => {
  const [at, amount] = [`2026-11-${10 + index}T10:30:00.000Z`, 1_000 + index]
  return index % 2 === 0 ? { customer, at, amount, note: "kept" } : { customer, at, amount }
})

const headOf = (zone: boolean) => ({
  columns,
  filters: {},
  ...(zone ? { presentation: { time_zone: freezeTimeZone("Europe/Berlin", "2026-11-21T00:00:00.000Z") } } : {})
})

const utf8 = new TextEncoder()

const snapshotOf = (of = rows, zone = true, own = columns): GivenFile => ({
  name: "march.snapshot.json",
  bytes: utf8.encode(JSON.stringify({ ...headOf(zone), schema: snapshotSchema, table: { columns: own, rows: of } }))
})

const csvOf = (of = rows, zone = true, edition: 1 | 3 = 3): string => {
  const csv = csvWriter(headOf(zone), edition)
  return csv.head + of.map(csv.row).join("")
}

const judged = async (csv: string | Uint8Array, ...snapshots: ReadonlyArray<GivenFile>) => {
  const bytes = typeof csv === "string" ? utf8.encode(csv) : csv
  const reports = await verifyFiles([{ name: "march.csv", bytes }, ...snapshots], {
    publicKeys: [],
    revokedKeys: [],
    witnesses: [],
    quorum: 0,
    licenseKey: undefined,
    fingerprint: undefined,
    now: 0,
    sha256: plainSha256
  })
  const report = reports.find(({ name }) => name === "march.csv")!
  return { verdict: report.verdict, text: report.findings.map(({ text }) => text).join("\n") }
}

const finds = async (says: string | ReadonlyArray<string>, csv: string, snapshot = snapshotOf()) => {
  const { text, verdict } = await judged(csv, snapshot)
  assert.strictEqual(verdict, "wrong", text)
  for (const one of [says].flat()) assert.include(text, one)
  return text
}

const says = async (expected: string, csv: string | Uint8Array, ...snapshots: ReadonlyArray<GivenFile>) => {
  const { text, verdict } = await judged(csv, ...snapshots)
  assert.strictEqual(verdict, "open", text)
  assert.include(text, expected)
}

describe("a table beside its snapshot", () => {
  it("is the same to the byte, with local times or without, in the edition of its time", async () => {
    for (const zone of [true, false]) await says("every byte of 8 rows", csvOf(rows, zone), snapshotOf(rows, zone))
    const first = csvOf(rows, true, 1)
    assert.notStrictEqual(first, csvOf())
    await says("every byte of 8 rows", first, snapshotOf())
    await says("every byte of 0 rows", csvOf([]), snapshotOf([]))
  })

  it("names each cell that was changed, by its row and column", async () => {
    const text = await finds(
      "In row 7, amount is \"1\", and was frozen as \"1005\".",
      csvOf(rows.with(5, { ...rows[5]!, amount: 1 }))
    )
    assert.notInclude(text, "In row 8")
    await finds(
      ["In row 2, note is empty, and was frozen as \"kept\".", "In row 9, customer is"],
      csvOf(rows.with(0, { ...rows[0]!, note: "" }).with(7, { ...rows[7]!, customer: "b" }))
    )
    // A quote, a separator and an end of a line are parts of a text, and not of the form of the file.
    await finds("In row 6, customer is", csvOf().replace("two\r\nlines", "two\nlines"))
  })

  it("names rows that were removed, added or moved", async () => {
    const [other] = [{ ...rows[0]!, customer: "new", at: "2026-12-01T00:00:00.000Z", amount: 7, note: "x" }]
    for (const index of rows.keys()) {
      const text = await finds(`A row was removed before row ${index + 2}: `, csvOf(rows.toSpliced(index, 1)))
      assert.strictEqual(text.split("\n").length, 2)
      await finds(`Row ${index + 2} was added: new, `, csvOf(rows.toSpliced(index, 0, other)))
    }
    await finds("Row 3 was added", csvOf(rows.toSpliced(1, 0, rows[0]!)))
    await finds("in another order", csvOf(rows.toReversed()))
    await finds(["A row was removed before row 2", "Row 9 was added: new"], csvOf([...rows.slice(1), other]))
  })

  it("is told from the table of another snapshot", async () => {
    const others = rows.map((row, index) => ({
      ...row,
      customer: `of april ${index}`,
      at: "2026-04-01T00:00:00.000Z",
      amount: index,
      note: "n"
    }))
    await finds("is of another table than this file", csvOf(), snapshotOf(others))
    await finds("is of another table than this file", csvOf(), snapshotOf([], true, [columns[0]!]))
    const named = (name: string, of: GivenFile) => ({ ...of, name })
    await says("of another table", csvOf(), named("april.snapshot.json", snapshotOf(others)))
    await says(
      "every byte of 8 rows as b.json has them",
      csvOf(),
      named("a.json", snapshotOf(others)),
      named("b.json", snapshotOf())
    )
    assert.notInclude(
      (await judged(csvOf(), named("a.json", snapshotOf(others)), named("c.json", snapshotOf(others)))).text,
      ".json"
    )
  })

  it("says what a spreadsheet program did that saved it again", async () => {
    const text = csvOf()
    const saved = (how: string, again: string | Uint8Array) =>
      says(`another program saved it again, ${how}. No cell changed by that.`, again, snapshotOf())
    await saved("without the byte order mark", text.slice(1))
    await saved("with other ends of lines", text.replaceAll(/(?<!two)\r\n/g, "\n"))
    await saved("with other quotes", text.replaceAll(/(?<=^|\n|,)(plain)(?=,)/g, "\"$1\""))
    await saved("in another encoding", Buffer.from(text, "utf16le"))
    const cells = text.slice(1).replaceAll(
      /"(?:[^"]|"")*"|,|[^",\r\n;]*;[^",\r\n]*/g,
      (part) => part === "," ? ";" : part.startsWith("\"") ? part : `"${part}"`
    )
    await saved("without the byte order mark and with semicolons between the cells", cells)
    // Code page 1252 has no letters of Łódź: the cell is another one then.
    const western = Buffer.from(text.slice(1).replaceAll(/[^\0-\u00ff]/g, "?"), "latin1")
    await finds("In row 2, customer is \"?ód?, \"north\"\"", western.toString("latin1"))
  })

  it("says of a whole column that a program wrote it in its own way", async () => {
    const many = Array.from(
      { length: 100 },
      (_, index) => ({ ...rows[5]!, amount: 5_000_000_000_000 + index, note: `n ${index}` })
    )
    const again = csvOf(many).replaceAll(/50000000000\d\d/g, "5E+12")
    const text = await finds(
      "The column amount differs in 100 of 100 rows, as in row 2: it is \"5E+12\"",
      again,
      snapshotOf(many)
    )
    assert.strictEqual(text.split("\n").length, 2)
    const few = many.map((row, index) => index < 30 ? { ...row, amount: 1 } : row)
    assert.include(await finds("In row 21, amount", csvOf(few), snapshotOf(many)), "There are 10 more differences.")
  })
})
