import { assert, describe, it } from "@effect/vitest"
import {
  snapshotEnd,
  snapshotReader,
  snapshotRowWriter,
  snapshotStart
} from "../../../../src/domain/evidence/exports/ReportSnapshot.ts"
import type { SnapshotHead } from "../../../../src/domain/evidence/exports/ReportSnapshot.ts"
import type { ReportRow } from "../../../../src/domain/evidence/reports/Report.ts"
import { reportColumns } from "../../../../src/domain/evidence/reports/ReportColumns.ts"
import { canonicalJson } from "../../../../src/domain/ground/wire/CanonicalJson.ts"

const filters = { from: "2026-10-01T00:00:00.000Z", feature_code: "],\"rows\":[{}" }
const columns = reportColumns("usage-ledger", filters)
const rows: ReadonlyArray<ReportRow> = [
  { id: "a", amount: 1, event_id: "quote \" brace } bracket ] backslash \\" },
  { id: "株式会社", amount: 9_007_199_254_740_991, feature_code: "{\"x\":[" },
  { amount: 0 },
  {},
  { id: "شركة", action: "\u0000\u001f\u2028 \ud83d\ude80", amount: -3 }
]
const head: SnapshotHead = {
  as_of_sequence: 7,
  checkpoint: { tree_size: 5, root_hash: "ab".repeat(32) },
  filters,
  frozen_at: "2026-11-21T10:30:00.000Z",
  report_kind: "usage-ledger",
  report_schema: "countersign/report/usage-ledger/v1",
  row_count: rows.length,
  summary: { entries: 5, nested: { rows: ["]", { rows: [] }] } },
  columns
}

const textOf = (given: SnapshotHead, rows: ReadonlyArray<ReportRow>): string =>
  snapshotStart(given) + rows.map(snapshotRowWriter(columns)).join(",") + snapshotEnd

const read = (text: string, size: number) => {
  const bytes = new TextEncoder().encode(text)
  const reader = snapshotReader()
  const found: Array<ReportRow> = []
  for (let at = 0; at < bytes.length; at += size) found.push(...reader.push(bytes.subarray(at, at + size)))
  reader.end()
  return { head: reader.head(), rows: found }
}

describe("a snapshot", () => {
  it("is canonical JSON, with the rows last", () => {
    const text = textOf(head, rows)
    assert.strictEqual(text, canonicalJson(JSON.parse(text)))
    assert.deepStrictEqual(JSON.parse(text).table.rows, rows as never)
    const empty = textOf({ ...head, row_count: 0 }, [])
    assert.strictEqual(empty, canonicalJson(JSON.parse(empty)))
  })

  it("is read back however it is cut", () => {
    const text = textOf(head, rows)
    for (const size of [1, 2, 3, 7, 64, 1000, 1_000_000]) {
      assert.deepStrictEqual(read(text, size), { head, rows } as never, `in pieces of ${size}`)
    }
    const none = { ...head, row_count: 0 }
    assert.deepStrictEqual(read(textOf(none, []), 5), { head: none, rows: [] } as never)
  })

  it("is refused when it is cut off, has other rows than it says, or is something else", () => {
    const text = textOf(head, rows)
    for (const wrong of [text.slice(0, -1), text.slice(0, -40), textOf(head, rows.slice(1)), "{}", "", `${text}x`]) {
      assert.throws(() => read(wrong, 64), /cut off|rows|head|JSON/, wrong.slice(-20))
    }
    assert.throws(() => read(text.replace("report-snapshot/v1", "report-snapshot/v2"), 64), /schema/)
  })
})
