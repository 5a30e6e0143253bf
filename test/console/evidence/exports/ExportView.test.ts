import { assert, describe, it } from "@effect/vitest"
import type { ReportExport } from "../../../../src/client/api/index.ts"
import { exportView } from "../../../../src/console/evidence/exports/ExportView.ts"

const report = (given: Partial<ReportExport>) =>
  ({
    report_kind: "usage-summary",
    status: "ready",
    filters: {},
    created_at: "2026-11-05T00:00:00Z",
    time_zone: "Europe/Berlin",
    progress: { rows: 0 },
    ...given
  }) as ReportExport

describe("an export in its list", () => {
  it("is of the month of its filters in its zone, or of the usual time of its report", () => {
    const october = { from: "2026-09-30T22:00:00Z", to: "2026-10-31T23:00:00Z" }
    assert.strictEqual(exportView(report({ filters: october })).span, "October 2026")
    assert.strictEqual(exportView(report({})).span, "the previous 30 days")
    assert.strictEqual(exportView(report({ report_kind: "usage-ledger" })).span, "all time")
  })

  it("is narrowed by its other filters, in words", () => {
    const filters = {
      from: "2026-09-30T22:00:00Z",
      group_by: "feature_code",
      bucket: "1mo",
      license_id: "lic_1",
      customer_id: ""
    }
    assert.deepStrictEqual(exportView(report({ filters })).filters, ["by feature", "per month", "lic_1"])
    assert.deepStrictEqual(exportView(report({ filters: { group_by: "order_id", bucket: "9d" } })).filters, [
      "by order",
      "per 9d"
    ])
    const byDimension = { group_by: "dimension.model_name" }
    assert.deepStrictEqual(exportView(report({ filters: byDimension })).filters, ["by model_name"])
  })

  it.each([[999, "999 bytes"], [1000, "1.0 kB"], [999_949, "999.9 kB"], [1_000_000, "1.0 MB"]])(
    "of %i bytes has %s",
    (artifact_size, text) => assert.deepStrictEqual(exportView(report({ artifact_size })).facts, [text])
  )

  it.each([
    [{ progress: { rows: 1, total: 1 } }, ["1 row"]],
    [{ progress: { rows: 1200, total: 1200 }, expires_at: "2027-01-05T12:00:00Z" }, [
      "1,200 rows",
      "kept until 5 Jan 2027"
    ]],
    [{ status: "running", progress: { rows: 1, total: 3 } }, []],
    [{ status: "expired", expires_at: "2027-01-05T12:00:00Z" }, ["deleted after retention"]],
    [{ status: "expired", expired_reason: "customer_erased" }, ["deleted: a customer in it was erased"]]
  ] as ReadonlyArray<[Partial<ReportExport>, ReadonlyArray<string>]>)("with %j has %j", (given, facts) => {
    assert.deepStrictEqual(exportView(report(given)).facts, facts)
  })

  it.each(
    [
      ["ready", { rows: 1, total: 3 }, undefined],
      ["failed", { rows: 1, total: 3 }, undefined],
      ["queued", { rows: 0 }, { text: "Counting the rows…" }],
      ["running", { rows: 1, total: 3000 }, { text: "1 of 3,000 rows", value: 1, max: 3000 }],
      ["running", { rows: 0, total: 0 }, { text: "0 of 0 rows", value: 0, max: 1 }]
    ] as const
  )("that is %s with %j has progress %j", (status, progress, shown) => {
    assert.deepStrictEqual(exportView(report({ status, progress })).progress, shown)
  })
})
