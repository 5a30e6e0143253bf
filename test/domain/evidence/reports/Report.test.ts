import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { ReportFilters, ReportKind } from "../../../../src/domain/evidence/reports/Report.ts"
import {
  defaultFrom,
  filterFindings,
  reportFilters,
  reportKinds,
  reportSchemaOf,
  windowFindings
} from "../../../../src/domain/evidence/reports/Report.ts"
import { reportColumns } from "../../../../src/domain/evidence/reports/ReportColumns.ts"

const codes = (kind: ReportKind, filters: object) =>
  filterFindings(kind, filters as ReportFilters).map(({ code, path }) => `${path} ${code}`)

describe("Report", () => {
  it("names the schema of each kind", () => {
    assert.strictEqual(reportSchemaOf("usage-summary"), "countersign/report/usage-summary/v1")
    assert.strictEqual(new Set(reportKinds.map(reportSchemaOf)).size, reportKinds.length)
  })

  it("finds windows that are empty, turned round or too long, to the millisecond", () => {
    const [from, leap] = ["2024-01-01T00:00:00.000Z", "2025-01-01T00:00:00.000Z"]
    const after = "2025-01-01T00:00:00.001Z"
    assert.deepStrictEqual(windowFindings("usage-summary", { from, to: leap }), [])
    assert.deepStrictEqual(codes("usage-summary", { from, to: after }), ["from window_too_long"])
    assert.deepStrictEqual(codes("usage-ledger", { from, to: after }), [])
    assert.deepStrictEqual(codes("license-audit", { from, to: after }), [])
    assert.deepStrictEqual(codes("usage-summary", { from, to: from }), ["to before_from"])
    assert.deepStrictEqual(codes("usage-ledger", { from: leap, to: from }), ["to before_from"])
    const month = { from, to: "2024-02-01T00:00:00.000Z" }
    assert.deepStrictEqual(codes("usage-summary", { ...month, bucket: "1h" }), [])
    assert.deepStrictEqual(codes("usage-summary", { ...month, to: "2024-02-01T00:00:00.001Z", bucket: "1h" }), [
      "from window_too_long"
    ])
    // Half a window can only be judged by who knows the time.
    assert.deepStrictEqual(codes("usage-summary", { from: "1999-01-01T00:00:00.000Z" }), [])
  })

  it("settles one thing at a time", () => {
    assert.deepStrictEqual(codes("subscription-settlement", { order_id: "a" }), [])
    assert.deepStrictEqual(codes("purchases", {}), [])
    assert.deepStrictEqual(codes("licenses", { order: "owner_asc" }), [])
    assert.deepStrictEqual(codes("adoption", { app_version: "1.x" }), [])
    assert.deepStrictEqual(codes("subscription-settlement", { subscription_id: "a" }), [])
    assert.deepStrictEqual(codes("subscription-settlement", {}), ["subscription_id exactly_one"])
    assert.deepStrictEqual(codes("statement", { license_id: "a" }), [])
    assert.deepStrictEqual(codes("statement", {}), ["customer_id exactly_one"])
    assert.deepStrictEqual(codes("statement", { license_id: "a", customer_id: "b" }), ["customer_id exactly_one"])
    assert.deepStrictEqual(codes("subscription-settlement", { subscription_id: "a", order_id: "b" }), [
      "subscription_id exactly_one"
    ])
  })

  it("begins 30 days before the end, and never before the calendar", () => {
    assert.strictEqual(defaultFrom("2026-03-02T01:00:00.000Z"), "2026-01-31T01:00:00.000Z")
    assert.strictEqual(defaultFrom("0001-01-02T00:00:00.000Z"), "0001-01-01T00:00:00.000Z")
  })

  it("has columns of different names, whatever is asked for", () => {
    for (const kind of reportKinds) {
      for (const filters of [{}, { bucket: "1d" }, { group_by: "license_id" }, { group_by: "feature_code" }]) {
        const keys = reportColumns(kind, filters as ReportFilters).map(({ key }) => key)
        assert.isNotEmpty(keys)
        assert.strictEqual(new Set(keys).size, keys.length)
      }
    }
    const keys = reportColumns("usage-summary", { bucket: "1h", group_by: "customer_id" }).map(({ key }) => key)
    assert.deepStrictEqual(keys, ["bucket", "group", "label", "uses", "amount", "first_at", "last_at"])
  })

  it("reads the instants of filters as UTC", () => {
    const decode = Schema.decodeUnknownSync(reportFilters["usage-ledger"])
    assert.deepStrictEqual(decode({ from: "2026-01-01T00:00:00+02:00" }), { from: "2025-12-31T22:00:00.000Z" })
    assert.throws(() => decode({ from: "2026-01-01" }))
  })
})
