import { assert, describe, it } from "@effect/vitest"
import { fileName } from "../../../../src/domain/evidence/exports/FileName.ts"

const report = {
  created_at: "2026-11-21T10:30:00.000Z",
  filters: {},
  format: "pdf",
  id: "rptx_06eqpx1trxz3h94vqjm3a6kz7c",
  report_kind: "statement"
} as const

const month = { from: "2026-10-01T00:00:00Z", to: "2026-11-01T00:00:00Z" }

describe("the name of a file", () => {
  it.each([
    ["statement-2026-11-21-m3a6kz7c.pdf", {}, undefined],
    ["statement-2026-10-m3a6kz7c.pdf", month, undefined],
    ["statement-2026-09-30-to-2026-10-31-m3a6kz7c.pdf", month, "America/New_York"],
    [
      "statement-2026-10-m3a6kz7c.pdf",
      { from: "2026-09-30T22:00:00.000Z", to: "2026-10-31T23:00:00.000Z" },
      "Europe/Berlin"
    ],
    ["statement-2026-10-01-m3a6kz7c.pdf", { from: month.from, to: "2026-10-02T00:00:00Z" }, undefined],
    ["statement-2026-10-01-to-2026-11-30-m3a6kz7c.pdf", { from: month.from, to: "2026-12-01T00:00:00Z" }, undefined],
    ["statement-2026-11-21-m3a6kz7c.pdf", { from: month.from }, undefined],
    ["statement-2026-11-21-m3a6kz7c.pdf", { from: month.to, to: month.from }, undefined],
    [
      "statement-customer-zz41abcd-2026-10-m3a6kz7c.pdf",
      { ...month, customer_id: "cus_06eqpx1trxz3h94vqjzz41abcd" },
      undefined
    ],
    ["statement-license-4vqjlic1-2026-10-m3a6kz7c.pdf", {
      ...month,
      customer_id: "cus_1",
      license_id: "lic_06eqpx1trxz3h94vqjlic1"
    }, undefined],
    ["statement-license-dy-2026-11-21-m3a6kz7c.pdf", { license_id: "../d\u202e\"y" }, undefined]
  ])("%s", (name, filters, time_zone) => {
    const zone = time_zone === undefined ? {} : { time_zone }
    assert.strictEqual(fileName({ ...report, filters, ...zone }), name)
  })
})
