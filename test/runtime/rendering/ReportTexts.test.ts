import { assert, describe, it } from "@effect/vitest"
import { extractText, getDocumentProxy } from "unpdf"
import { newestEdition } from "../../../src/domain/evidence/exports/Edition.ts"
import type { SnapshotHead } from "../../../src/domain/evidence/exports/ReportSnapshot.ts"
import type { ReportKind, ReportRow } from "../../../src/domain/evidence/reports/Report.ts"
import { reportColumns } from "../../../src/domain/evidence/reports/ReportColumns.ts"
import { cellText, periodText, readable } from "../../../src/runtime/rendering/report/reportTexts.ts"
import { reportWords, utc } from "../../../src/runtime/rendering/report/reportWords.ts"
import { printedColumns } from "../../../src/runtime/rendering/report/tableLayout.ts"
import { drawnOverTime, ReportTotals } from "../../../src/runtime/rendering/report/totals.ts"
import { forged } from "../../vectors/makeStatements.ts"
import { renderedDocument, sampleReport } from "./sampleReports.ts"

const words = reportWords(newestEdition)

const headOf = (report_kind: ReportKind, filters: Record<string, string>, row_count = 2): SnapshotHead => ({
  as_of_sequence: 7,
  filters,
  frozen_at: "2026-11-21T10:30:00.417Z",
  report_kind,
  report_schema: `countersign/report/${report_kind}/v1`,
  row_count,
  summary: {},
  columns: reportColumns(report_kind, filters)
})

const totalsOf = (head: SnapshotHead, rows: ReadonlyArray<Record<string, string | number>>) => {
  const totals = new ReportTotals(head, words)
  for (const row of rows) totals.add(row)
  const lines = totals.lines().map(({ label, sums }) => [
    label,
    Object.fromEntries([...sums].map(([key, sum]) => [key, Number(sum)]))
  ])
  return { lines, note: totals.note() }
}

describe("totals", () => {
  const rows = [{ group: "tokens", uses: 2, amount: 500 }, { group: "minutes", uses: 3, amount: 7 }]

  it("never add the amounts of different features", () => {
    const { lines, note } = totalsOf(headOf("usage-summary", { group_by: "feature_code" }), rows)
    assert.deepStrictEqual(lines, [["Total", { uses: 5 }]])
    assert.include(note, "totals are per feature")
  })

  it("add amounts where the report is of one feature", () => {
    const filters = { group_by: "customer_id", feature_code: "tokens" }
    const { lines, note } = totalsOf(headOf("usage-summary", filters), rows)
    assert.deepStrictEqual(lines, [["Total", { uses: 5, amount: 507 }]])
    assert.isUndefined(note)
  })

  it("add amounts where the report has usage of one feature alone, whatever it is grouped by", () => {
    const head = headOf("usage-summary", { group_by: "customer_id" })
    const { lines, note } = totalsOf({ ...head, summary: { uses: 5, amount: 507, feature_code: "tokens" } }, rows)
    assert.deepStrictEqual(lines, [["Total", { uses: 5, amount: 507 }]])
    assert.isUndefined(note)
  })

  it("do not add amounts of rows that may mix features", () => {
    const { lines, note } = totalsOf(headOf("usage-summary", { group_by: "customer_id" }), rows)
    assert.deepStrictEqual(lines, [["Total", { uses: 5 }]])
    assert.include(note, "no total is shown")
  })

  it("say nothing of units where there are no amounts, and of hours no more than is known", () => {
    assert.isUndefined(totalsOf(headOf("usage-summary", { group_by: "customer_id" }, 0), []).note)
    const { note } = totalsOf(headOf("usage-summary", { group_by: "customer_id", bucket: "1h" }), rows)
    assert.include(note, "may be of several features")
    const former = new ReportTotals(headOf("usage-summary", { group_by: "customer_id", bucket: "1h" }), reportWords(7))
    assert.include(former.note(), "Amounts mix", "the words of an edition stay")
  })

  it("are drawn over time as amounts of one feature, or else as uses", () => {
    const [first, second] = ["2026-11-01T00:00:00.000Z", "2026-11-02T00:00:00.000Z"]
    const series = [{ bucket: first, value: 507 }, { bucket: second, value: 0 }]
    const days = rows.map((row) => Object.assign({}, row, { bucket: first }))
    const mixed = { ...headOf("usage-summary", { group_by: "feature_code", bucket: "1d" }), series }
    const drawn = drawnOverTime(mixed, days, words)
    assert.deepStrictEqual(drawn?.series.map(({ value }) => value), [5, 0])
    assert.include(drawn?.title, "Usage events")
    // Of a part of the rows the uses are not known.
    assert.isUndefined(drawnOverTime({ ...mixed, row_count: 3 }, days, words))
    const single = { ...headOf("usage-summary", { feature_code: "tokens", bucket: "1d" }), series }
    assert.deepStrictEqual(drawnOverTime(single, [], words)?.series, series)
    assert.isUndefined(drawnOverTime(headOf("usage-summary", { feature_code: "tokens" }), [], words))
  })

  it("of the ledger are one for each feature, and count use alone", () => {
    const entry = (feature_code: string, amount: number, action = "license.usage_recorded") => ({
      feature_code,
      amount,
      action
    })
    const entries = [entry("b", 2), entry("a", 1), entry("b", 3), entry("b", -5, "license.usage_reset")]
    assert.deepStrictEqual(totalsOf(headOf("usage-ledger", {}), entries).lines, [
      ["Total usage of a", { amount: 1 }],
      ["Total usage of b", { amount: 5 }]
    ])
  })
})

describe("a period", () => {
  const frozen = "2026-11-21T10:30:00.417Z"
  it("that is not over is said to be to date", () => {
    const window = { from: "2026-11-01T00:00:00.000Z", to: "2026-12-01T00:00:00.000Z" }
    assert.strictEqual(periodText(window, frozen), "1 November 2026 to date (21 November 2026, 10:30 UTC)")
    assert.strictEqual(periodText({}, frozen), "All time, through 21 November 2026, 10:30 UTC")
  })

  it("of whole days names its last day", () => {
    const window = { from: "2026-10-01T00:00:00.000Z", to: "2026-11-01T00:00:00.000Z" }
    assert.strictEqual(periodText(window, frozen), "1 October 2026 to 31 October 2026 (UTC)")
    const part = { from: "2026-10-01T00:00:00.000Z", to: "2026-10-31T12:00:00.000Z" }
    assert.strictEqual(periodText(part, frozen), "1 October 2026 to 31 October 2026, 12:00 (UTC)")
  })
})

describe("columns on paper", () => {
  it("have names before identifiers, which come last, and none without a value", () => {
    const head = headOf("usage-summary", { group_by: "customer_id" }, 1)
    const columns = printedColumns(head, [{ group: "cus_1", label: "Acme", uses: 1, amount: 2 }])
    assert.deepStrictEqual(columns.map(({ title }) => title), ["Customer", "Usage events", "Amount", "Customer ID"])
    assert.deepStrictEqual(columns.map(({ isIdentifier }) => isIdentifier), [false, false, false, true])
  })

  it("have amounts with the decimal places of their feature, in rows and in totals", () => {
    const head = headOf("statement", {}, 2)
    const rows = [
      { feature_code: "hours", decimals: 2, uses: 150, amount: 123_450, closing: -5 },
      { feature_code: "renders", uses: 1, amount: 7, closing: 1000 }
    ]
    const columns = printedColumns(head, rows)
    assert.notInclude(columns.map(({ key }) => key), "decimals")
    const texts = (row: ReportRow) =>
      Object.fromEntries(columns.map((column) => [column.key, cellText(column, row, utc)]))
    assert.deepInclude(texts(rows[0]!), { uses: "150", amount: "1,234.50", closing: "-0.05" })
    assert.deepInclude(texts(rows[1]!), { uses: "1", amount: "7", closing: "1,000" })
    const totals = new ReportTotals(head, words)
    for (const row of rows) totals.add(row)
    assert.deepStrictEqual(totals.lines().slice(0, 2).map(({ decimals }) => decimals), [2, undefined])
  })

  it("have times to the second", () => {
    assert.strictEqual(readable("2026-11-21T10:30:00.417Z"), "2026-11-21 10:30:00")
  })
})

describe("the address at which a statement is checked", () => {
  it("is whole, and broken only where it is longer than a line", async () => {
    const { head, rows } = sampleReport("statement", { rows: 2 })
    const { evidence } = forged.genuine
    for (
      const host of [
        "licenses.example.com",
        `${"licenses-of-a-vendor.".repeat(4)}example.com`,
        `long.example.com/${"path/".repeat(36)}x`
      ]
    ) {
      const note = evidence.note.replaceAll("licenses.example.com/events", `${host}/events`)
      const bytes = await renderedDocument({
        ...head,
        evidence: { ...evidence, note } as SnapshotHead["evidence"] & {}
      }, rows)
      const { text: [page = ""] } = await extractText(await getDocumentProxy(bytes), { mergePages: false })
      const address = `https://${host}/verify`
      if (host.length < 100) assert.include(page, `Verify at ${address}\n`)
      else assert.include(page.replaceAll("\n", ""), `Verify at ${address}`)
    }
  })
})
