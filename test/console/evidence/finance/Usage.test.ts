// The reports of usage, rendered in memory from answers of the contract: what is asked for, and which figures stand where.
import { assert, describe, it } from "@effect/vitest"
import type { UsageLedgerEntry, UsageSummaryReport } from "../../../../src/client/api/index.ts"
import type { Answers, Asked } from "../../../fixtures/ConsoleAnswers.ts"
import { anyone } from "../../../fixtures/ConsoleAnswers.ts"
import { cells, openTab } from "../../../fixtures/ConsoleTab.ts"
import { customer, feature, license, product } from "../../../fixtures/ConsoleVendor.ts"

const zone = "Europe/Berlin"
const march = { from: "2026-02-28T23:00:00.000Z", to: "2026-03-31T22:00:00.000Z" }

const summary = (asked: Asked, rows: UsageSummaryReport["rows"]): UsageSummaryReport => ({
  schema: "countersign/report/usage-summary/v1",
  report_kind: "usage-summary",
  filters: { from: "", to: "", ...asked.query },
  summary: {
    uses: rows.reduce((sum, { uses }) => sum + uses, 0),
    amount: rows.reduce((sum, { amount }) => sum + amount, 0),
    last_at: "2026-03-31T21:30:00.000Z"
  },
  rows,
  total_rows: rows.length,
  truncated: false
})

const rowsBy: Readonly<Record<string, UsageSummaryReport["rows"]>> = {
  feature_code: [
    { group: "render-hours", uses: 1200, amount: 12_345, last_at: "2026-03-31T21:30:00.000Z" },
    { group: "exports", uses: 3, amount: 3, last_at: "2026-03-02T10:00:00.000Z" }
  ],
  customer_id: [
    { group: customer.id, label: customer.name, uses: 1201, amount: 12_346 },
    { uses: 2, amount: 2 }
  ],
  "dimension.model": [{ group: "large", uses: 1, amount: 125 }, { uses: 1, amount: 50 }]
}

const answers: Answers = {
  products: { list: [product] },
  features: { list: [feature] },
  reports: { usageSummary: (asked) => summary(asked, rowsBy[asked.query["group_by"] ?? ""] ?? []) }
}

const figures = (text: string) => text.slice(text.indexOf("Usage events"), text.indexOf("Usage by"))

describe("the usage summary", () => {
  it("asks for the month in the reader's zone, and shows each feature with its decimal places and its total", async () => {
    const tab = await openTab("/console/reports/usage-summary?month=2026-03", { answers, zone })
    await tab.shows("Render hours")
    await tab.role("button", "Export report")
    const table = await tab.role("table", "Use")
    assert.deepStrictEqual(cells(table), [
      ["Feature", "Usage events", "Amount", "First used", "Last used"],
      ["Render hours\nrender-hours", "1,200", "123.45", "", "31 Mar 2026, 23:30"],
      ["exports", "3", "3", "", "2 Mar 2026, 11:00"],
      ["Total", "1,203", "", "", ""]
    ])
    const asked = tab.service.of("reports.usageSummary").find(({ query }) => query["bucket"] === undefined)
    assert.deepStrictEqual(asked?.query, { ...march, group_by: "feature_code" })
    assert.match(figures(tab.text()), /Usage events\s*1,203\s+Features used\s*2\s+Last used\s*31 Mar 2026, 23:30/)
    assert.strictEqual(tab.document.title, "Usage summary, March 2026 · Countersign")
  })

  it("is grouped anew from its fields, whose choice stands in the address, and names those without a group", async () => {
    const tab = await openTab("/console/reports/usage-summary?month=2026-03", { answers, zone })
    await tab.shows("Usage by feature")
    await tab.choose("Group by", "customer_id")
    await tab.shows("Usage by customer")
    assert.include(tab.address(), "group_by=customer_id")
    const link = await tab.role("link", /Ada Lovelace/)
    const to = new URLSearchParams({ month: "2026-03", zone, customer_id: customer.id })
    assert.strictEqual(link.getAttribute("href"), `/console/reports/customer-summary?${to}`)
    assert.deepStrictEqual(cells(await tab.role("table", "Use")).map((row) => row.slice(0, 2)), [
      ["Customer", "Usage events"],
      [`Ada Lovelace\n${customer.id}`, "1,201"],
      ["Without a customer", "2"],
      ["Total", "1,203"]
    ])
    await tab.shows("Amounts of different features cannot be added.")
  })

  it("asks for no dimension without a name, and shows the values of one, with those that have none", async () => {
    const path = "/console/reports/usage-summary?month=2026-03&group_by=dimension."
    const unnamed = await openTab(path, { answers, zone })
    await unnamed.shows("Which dimension?")
    assert.isEmpty(unnamed.service.of("reports.usageSummary").filter(({ query }) => query["bucket"] === undefined))
    assert.isEmpty(unnamed.queryAllByRole("button", { name: "Export report" }))
    const tab = await openTab(`${path}model`, { answers, zone })
    await tab.shows("Usage by model")
    assert.deepStrictEqual(cells(await tab.role("table", "Use")).map(([name]) => name), [
      "Value",
      "large",
      "Without the dimension",
      "Total"
    ])
  })

  it("says what a period without usage means, and asks for nothing where the period is none", async () => {
    const empty: Answers = { ...answers, reports: { usageSummary: (asked) => summary(asked, []) } }
    const tab = await openTab("/console/reports/usage-summary?month=2026-03", { answers: empty, zone })
    await tab.shows("No usage in this period")
    const path = "/console/reports/usage-summary?month=days&first=2026-02-10&last=2026-02-01"
    const wrong = await openTab(path, { answers: empty, zone })
    await wrong.shows("The end date is before the start date.")
    assert.lengthOf(wrong.service.of("reports.usageSummary"), 0)
  })

  it("offers no export and no products to a token that may only read reports", async () => {
    const tab = await openTab("/console/reports/usage-summary?month=2026-03", {
      answers,
      who: { ...anyone, scopes: ["report:read"] }
    })
    await tab.shows("Usage by feature")
    assert.isEmpty(tab.queryAllByRole("button", { name: "Export report" }))
    assert.isEmpty(tab.queryAllByLabelText("Product"))
    assert.lengthOf(tab.service.of("products.list"), 0)
  })

  it("draws a hundred rows, and the others when they are asked for", async () => {
    const many = Array.from({ length: 130 }, (_, at) => ({ group: `feature-${at}`, uses: 1, amount: 1 }))
    const tab = await openTab("/console/reports/usage-summary?month=2026-03", {
      answers: { reports: { usageSummary: (asked) => summary(asked, many) } }
    })
    const table = await tab.role("table", "Use")
    assert.lengthOf(table.querySelectorAll("tbody tr"), 100)
    await tab.press("Show all 130 rows")
    await tab.until("all rows are drawn", () => table.querySelectorAll("tbody tr").length === 130)
  })
})

const entry = (id: string, more: Partial<UsageLedgerEntry>): UsageLedgerEntry => ({
  id,
  occurred_at: "2026-03-05T10:00:00.000Z",
  action: "license.usage_recorded",
  license_id: license.id,
  feature_id: feature.id,
  feature_code: feature.code,
  amount: 125,
  total_consumptions: 125,
  ...more
})

describe("the usage ledger", () => {
  it("lists entries with exact amounts, the running total and whose they are, page after page", async () => {
    const rows = [
      entry("evt_2", { amount: 50, total_consumptions: 175, customer_id: customer.id, dimensions: { model: "large" } }),
      entry("evt_1", { event_id: "in_1", customer_id: customer.id })
    ]
    const tab = await openTab("/console/reports/usage-ledger?month=2026-03", {
      zone,
      answers: {
        ...answers,
        reports: {
          ...answers.reports,
          usageLedger: ({ query }) =>
            query["cursor"] === undefined ? { data: rows.slice(0, 1), next: "second" } : rows.slice(1)
        }
      }
    })
    await tab.press("Load more")
    const table = await tab.role("table", "Entries")
    await tab.until("both entries are listed", () => table.querySelectorAll("tbody tr").length === 2)
    const [heads, ...drawn] = cells(table)
    assert.includeMembers([...heads ?? []], ["Amount", "Total after", "Dimensions", "Caller's event"])
    const of = (row: number, name: string) => drawn[row]?.[heads?.indexOf(name) ?? -1]
    assert.deepStrictEqual([of(0, "Amount"), of(0, "Total after"), of(0, "Dimensions")], [
      "0.50",
      "1.75",
      "model=large"
    ])
    assert.deepStrictEqual([of(1, "Amount"), of(1, "Total after"), of(1, "Caller's event")], ["1.25", "1.25", "in_1"])
    assert.include(of(0, "Customer"), "Ada Lovelace")
    const asked = tab.service.of("reports.usageLedger")
    assert.deepStrictEqual(asked.map(({ query }) => query), [
      { ...march, limit: "50" },
      { ...march, limit: "50", cursor: "second" }
    ])
  })
})
