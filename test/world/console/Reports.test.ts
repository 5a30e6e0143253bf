// The first minute of who files the month, in a real browser against a real service: last month's use, frozen, downloaded
// and verified.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { onTestFinished } from "vitest"
import { zipEntries } from "../../../src/client/files/unpacked.ts"
import { openBrowser } from "../../fixtures/Browser.ts"
import type { Browser, Page } from "../../fixtures/Browser.ts"
import { looks, visit } from "../../fixtures/Console.ts"
import type { Visitor } from "../../fixtures/Console.ts"
import { seedVendor } from "../../fixtures/SeededVendor.ts"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

/** What the browser fetched into a file. */
interface Download {
  readonly suggestedFilename: () => string
  readonly path: () => Promise<string>
}

/** What playwright's pages can besides what the fixture names. */
interface Downloading {
  readonly waitForEvent: (event: "download") => Promise<Download>
}

/** East of UTC and without summer time, so that its months begin at 15:00 of UTC on the day before. */
const timezoneId = "Asia/Tokyo"
const ahead = 9 * 60 * 60 * 1000

let browser: Browser
let service: Service

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
  await seedVendor(service, 120, "finance")
})
afterAll(() => browser.close())

/** The last full month of a clock in Tokyo: its name, and its limits as the API takes them. */
const lastMonth = (): { readonly name: string; readonly from: string; readonly to: string } => {
  const there = new Date(Date.now() + ahead)
  const begin = Date.UTC(there.getUTCFullYear(), there.getUTCMonth() - 1, 1)
  const end = Date.UTC(there.getUTCFullYear(), there.getUTCMonth(), 1)
  return {
    name: new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" }).format(begin),
    from: new Date(begin - ahead).toISOString(),
    to: new Date(end - ahead).toISOString()
  }
}

const grouped = (value: number): string => value.toLocaleString("en-US")
const sha256 = (bytes: Uint8Array): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`

const keyWith = async (...scopes: ReadonlyArray<string>): Promise<string> =>
  (await service.data("POST", "/api/v1/api-keys", { name: "Finance", scopes })).token

/** Somebody in Tokyo signs in with a token at the beginning of the console. */
const signIn = async (token: string): Promise<Visitor> => {
  const look = { ...looks.desk, timezoneId }
  const visitor = await visit(browser, service, { look, token })
  onTestFinished(() => visitor.close())
  await visitor.goto("/console/reports")
  return visitor
}

/** Freezes what is shown as PDF, which is offered first, and waits until the file can be downloaded. */
const freeze = async ({ page, shows }: Visitor): Promise<void> => {
  await page.getByRole("button", { name: "Export report" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Export report" }).click()
  await shows("Export started")
  await page.getByRole("button", { name: "Close" }).click()
  await page.getByRole("button", { name: "Download" }).waitFor()
}

describe("the month", () => {
  it("is opened, compared, frozen, downloaded and verified", async () => {
    const { from, name, to } = lastMonth()
    const report = await service.data(
      "GET",
      `/api/v1/reports/usage-summary?${new URLSearchParams({ from, to, group_by: "feature_code" })}`
    )
    assert.isAbove(report.rows.length, 1)
    const finance = await signIn(await keyWith("report:read", "report:export", "product:read"))
    const { goto, page, shows, wrong } = finance
    await goto("/console/reports")
    await shows(`Usage summary: ${name}`)
    await shows(`, 00:00, ${timezoneId}`)
    await page.locator("table[aria-label=Use] tfoot").waitFor()
    const rows = await eventually("features are named", async () => {
      const text = await page.locator("table[aria-label=Use] tbody").innerText()
      return text.includes("Analysis credits") ? text : undefined
    })
    for (const { amount, group, uses } of report.rows) {
      assert.match(rows, new RegExp(`${group}\\s+${grouped(uses)}\\s+${grouped(amount)}\\s`))
    }
    // Uses add up, amounts of different features do not.
    const total = (await page.locator("table[aria-label=Use] tfoot").innerText()).trim().split(/\s+/)
    assert.deepStrictEqual(total, ["Total", grouped(report.summary.uses)])

    await freeze(finance)
    const [{ id }] = await service.data("GET", "/api/v1/reports/exports")
    const record = await service.data("GET", `/api/v1/reports/exports/${id}`)
    assert.deepInclude(record, { report_kind: "usage-summary", format: "pdf", status: "ready", time_zone: timezoneId })
    assert.deepStrictEqual(record.filters, { from, to, group_by: "feature_code" })
    await shows(record.artifact_digest)
    await shows(record.digest)

    const [download] = await Promise.all([
      (page as Page & Downloading).waitForEvent("download"),
      page.getByRole("button", { name: "Download" }).click()
    ])
    assert.strictEqual(download.suggestedFilename(), record.file_name)
    assert.strictEqual(sha256(await readFile(await download.path())), record.artifact_digest)

    const [archive] = await Promise.all([
      (page as Page & Downloading).waitForEvent("download"),
      page.getByRole("button", { name: "With evidence (ZIP)" }).click()
    ])
    assert.strictEqual(archive.suggestedFilename(), record.file_name.replace(/pdf$/, "zip"))
    const parts = await zipEntries(new Uint8Array(await readFile(await archive.path())))
    assert.deepStrictEqual(parts.map(({ bytes }) => sha256(Buffer.from(bytes))).slice(0, 2), [
      record.artifact_digest,
      record.digest
    ])

    await page.getByRole("button", { name: "Verify" }).click()
    const manifest: Body = (await service.call("GET", `/api/v1/reports/exports/${id}/manifest`)).body
    await shows(`Verified with key ${manifest.signature.kid}`)

    await goto("/console/reports/frozen")
    await shows(record.artifact_digest)
    assert.deepStrictEqual(wrong, [])
  })

  it("is told apart from a file that is not what was signed", async () => {
    const finance = await signIn(await keyWith("report:read", "report:export"))
    await finance.page.route(
      /\/download$/,
      (route) => route.fulfill({ status: 200, contentType: "application/pdf", body: "another file" })
    )
    await freeze(finance)
    await finance.page.getByRole("button", { name: "Verify" }).click()
    const text = await finance.shows("Not verified")
    assert.include(text, "size_mismatch")
    assert.notInclude(text, "Verified with")
  })

  it("cannot be frozen with a token that may only read", async () => {
    const { goto, page, shows, wrong } = await signIn(await keyWith("report:read"))
    const text = await shows("Usage by feature")
    assert.notInclude(text, "Export report")
    assert.notInclude(text, "Exports")
    await goto("/console/reports/customer-summary")
    await shows("Which customer?")
    await page.locator("table a.lead").first().click()
    const customer = await shows("Another customer")
    assert.notInclude(customer, "Export report")
    assert.deepStrictEqual(wrong, [])
  })

  it("is grouped by a dimension, with amounts in the decimal places of their feature", async () => {
    const { key, policy, product } = await service.issue()
    const { id } = await service.data("POST", `/api/v1/products/${product.id}/features`, {
      name: "Render hours",
      code: "render-hours",
      decimals: 2
    })
    await service.data("POST", `/api/v1/products/${product.id}/policies/${policy.id}/features`, { feature_id: id })
    await service.license("activate", key, { fingerprint: "a" })
    for (const [event_id, amount, dimensions] of [["1", 125, { model: "large" }], ["2", 50, {}]] as const) {
      const use = { fingerprint: "a", feature_code: "render-hours", amount, event_id, dimensions }
      assert.strictEqual((await service.license("consume", key, use)).status, 200)
    }
    const finance = await signIn(await keyWith("report:read", "product:read"))
    const { goto, page, shows, wrong } = finance
    const query = `month=${new Date(Date.now() + ahead).toISOString().slice(0, 7)}&feature_code=render-hours`
    await goto(`/console/reports/usage-summary?${query}`)
    await page.getByLabel("Group by").selectOption({ label: "Dimension" })
    await shows("Which dimension?")
    await page.getByLabel("Dimension", { exact: true }).fill("Model")
    await shows("Lower-case letters")
    await page.getByLabel("Dimension", { exact: true }).fill("model")
    await page.getByLabel("Dimension", { exact: true }).press("Enter")
    await shows("Usage by model")
    const table = page.locator("table[aria-label=Use]")
    const rows = await table.locator("tbody tr").allInnerTexts()
    assert.lengthOf(rows, 2)
    assert.match(rows[0] ?? "", /^large\s+1\s+1\.25\s/)
    assert.match(rows[1] ?? "", /^Without the dimension\s+1\s+0\.50\s/)
    assert.match(await table.locator("tfoot").innerText(), /^Total\s+2\s+1\.75/)
    await goto(`/console/reports/usage-ledger?${query}`)
    const entries = await page.locator("table[aria-label=Entries] tbody").innerText()
    for (const text of ["1.25", "0.50", "1.75", "model=large"]) assert.include(entries, text)
    assert.deepStrictEqual(wrong, [])
  })

  it("fits a phone in every report, and is heard", async () => {
    const { from, to } = lastMonth()
    const busiest = async (group_by: string): Promise<string> => {
      const { rows } = await service.data(
        "GET",
        `/api/v1/reports/usage-summary?${new URLSearchParams({ from, to, group_by })}`
      )
      return rows.find(({ group }: Body) => group !== undefined).group
    }
    const [customer, license, subscription] = await Promise.all(
      ["customer_id", "license_id", "subscription_id"].map(busiest)
    )
    const visitor = await visit(browser, service, { look: looks.phone })
    onTestFinished(() => visitor.close())
    for (
      const path of [
        "usage-summary?group_by=customer_id&bucket=1w",
        "usage-ledger",
        `customer-summary?customer_id=${customer}`,
        "customer-summary",
        `subscription-settlement?subscription_id=${subscription}`,
        `statement?customer_id=${customer}`,
        `license-audit?license_id=${license}`,
        "purchases",
        "frozen",
        "usage-summary?month=days&first=2026-02-10&last=2026-02-01"
      ]
    ) {
      await visitor.goto(`/console/reports/${path}`)
      assert.deepStrictEqual(await visitor.look(), { headings: 1, wider: 0, outside: [] }, path)
      assert.deepStrictEqual(await visitor.axe(), [], path)
    }
    await visitor.shows("The end date is before the start date.")
    assert.deepStrictEqual(visitor.wrong, [])
  })
})
