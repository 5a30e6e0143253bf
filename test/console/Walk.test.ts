// One walk through the console in a real browser against a real service: a license is issued, found and suspended, its usage is read,
// a report is exported, and the person leaves.
import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { openBrowser } from "../fixtures/Browser.ts"
import { makeProduct } from "../fixtures/Commerce.ts"
import { confirm, openPlace, visit } from "../fixtures/Console.ts"
import { adminToken, startService } from "../fixtures/Service.ts"
import type { Body } from "../fixtures/Session.ts"
import { atEnd } from "../fixtures/Session.ts"

const [service, browser] = await Promise.all([startService(), openBrowser()])
atEnd(() => browser.close())

const sha256 = (bytes: Uint8Array) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`

describe("somebody who signs in to the console", () => {
  it("issues a license, finds it, suspends it, reads a report, exports it, and signs out", async () => {
    const product = await makeProduct(service)
    const feature = await service.data("POST", `/api/v1/products/${product.id}/features`, {
      name: "Render",
      code: "render"
    })
    const policies = `/api/v1/products/${product.id}/policies`
    const policy = await service.data("POST", policies, {
      name: "Team",
      code: "team",
      license_type: "perpetual",
      max_activations: 3
    })
    await service.data("POST", `${policies}/${policy.id}/features`, { feature_id: feature.id })
    const visitor = await visit(browser, service, { token: null, path: "/console/licenses" })
    const { page } = visitor
    await visitor.signIn(adminToken)

    await page.getByRole("link", { name: "Issue license" }).click()
    await page.getByRole("combobox", { name: "Customer" }).fill("ada@customer.example")
    await page.getByRole("option", { name: "New customer" }).click()
    await page.getByLabel("Name").fill("Ada Lovelace")
    await visitor.shows("Ada Lovelace gets 3 devices")
    await page.getByRole("button", { name: "Issue license", exact: true }).click()
    const key = await page.getByLabel("License key", { exact: true }).innerText()
    await page.getByRole("button", { name: "I saved it" }).click()
    await service.license("activate", key, { fingerprint: "engine" })
    for (const event_id of ["1", "2"]) {
      const used = await service.license("consume", key, {
        fingerprint: "engine",
        feature_code: "render",
        amount: 4,
        event_id
      })
      assert.strictEqual(used.status, 200, used.text)
    }

    await page.keyboard.press("/")
    await page.keyboard.type("ada lov")
    await page.getByRole("option").filter({ hasText: "Team" }).first().waitFor()
    await page.getByRole("option").filter({ hasText: "Team" }).first().click()
    await page.getByRole("heading", { name: "Ada Lovelace", level: 1 }).waitFor()
    await visitor.settle()
    assert.deepStrictEqual(await visitor.look(), { headings: 1, wider: 0, outside: [] })
    assert.deepStrictEqual(await visitor.axe(), [])
    await page.getByRole("button", { name: "Suspend", exact: true }).click()
    await page.getByRole("dialog").getByLabel("Reason").fill("Chargeback in_77")
    await confirm(visitor, "Suspend")
    await page.getByRole("button", { name: "Reinstate", exact: true }).waitFor()
    const refused = await service.license("validate", key, { fingerprint: "engine" })
    assert.deepStrictEqual([refused.status, refused.body.error.code], [403, "LICENSE_SUSPENDED"])
    await visitor.shows("Chargeback in_77")

    await openPlace(visitor, "Reports")
    await page.getByRole("heading", { level: 1, name: "Usage summary" }).waitFor()
    await visitor.goto(`/console/reports/usage-summary?month=${new Date().toISOString().slice(0, 7)}&zone=UTC`)
    const rows = await page.getByRole("table", { name: "Use" }).innerText()
    assert.match(rows, /Render\s+render\s+2\s+8\s/)
    await page.getByRole("button", { name: "Export report" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Format").selectOption("csv")
    await dialog.getByRole("button", { name: "Export report" }).click()
    await visitor.shows("Export started")
    await dialog.getByRole("button", { name: "Close" }).click()
    await page.getByRole("button", { name: "Download" }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download" }).click()
    ])
    const [record]: ReadonlyArray<Body> = await service.data("GET", "/api/v1/reports/exports")
    assert.strictEqual(sha256(await readFile(await download.path())), record?.["artifact_digest"])

    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByLabel("Token").waitFor()
    assert.deepStrictEqual(await page.evaluate("Object.keys(sessionStorage)"), [])
    assert.deepStrictEqual(visitor.wrong, [])
  })
})
