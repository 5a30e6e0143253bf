// Policies in a real browser against a real service: made, changed with their reach said before, and given features.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { onTestFinished } from "vitest"
import { openBrowser } from "../../fixtures/Browser.ts"
import type { Browser } from "../../fixtures/Browser.ts"
import { confirm, deskOrPhone, visit } from "../../fixtures/Console.ts"
import type { Visitor } from "../../fixtures/Console.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Service } from "../../fixtures/Service.ts"
import { eventually } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

let browser: Browser
let service: Service

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
})
afterAll(() => browser.close())

const opened = async (options: Parameters<typeof visit>[2] = {}): Promise<Visitor> => {
  const visitor = await visit(browser, service, options)
  onTestFinished(() => visitor.close())
  return visitor
}

describe.each(deskOrPhone("policies"))("on a %s", (_name, look) => {
  it("a policy is made from a way to sell, with its effect on an app beside it", async () => {
    const { product } = await service.issue()
    const visitor = await opened({ look })
    const { page } = visitor
    await visitor.goto(`/console/products/${product.id}`)
    await page.getByRole("link", { name: "New policy" }).click()
    await visitor.settle()
    await page.getByLabel("How do you sell it?").selectOption("One year")
    await page.getByLabel("Name", { exact: true }).fill("Team, yearly")
    assert.strictEqual(await page.getByLabel("Code", { exact: true }).inputValue(), "team-yearly")
    await page.getByLabel("Device limit", { exact: true }).fill("5")
    await page.getByLabel("Grace period", { exact: true }).fill("7")
    await visitor.shows("Device 6")
    await visitor.shows("ACTIVATION_LIMIT_EXCEEDED")
    await visitor.shows("1 year, 7 days of grace")
    assert.deepStrictEqual(await visitor.axe(), [])
    assert.deepStrictEqual(await visitor.look(), { headings: 1, wider: 0, outside: [] })
    await page.getByRole("button", { name: "Create policy" }).click()
    assert.deepStrictEqual(await visitor.axe(), [])
    await confirm(visitor, "Create policy")
    await page.getByRole("heading", { name: "Team, yearly", level: 1 }).waitFor()
    const policies = await service.data("GET", `/api/v1/products/${product.id}/policies`)
    assert.deepInclude(policies.find(({ code }: { readonly code: string }) => code === "team-yearly"), {
      license_type: "time_limited",
      duration: "P1Y",
      max_activations: 5,
      grace_period_days: 7
    })
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("a policy that licenses are under", () => {
  it("is changed with how many licenses that reaches, over what others changed meanwhile", async () => {
    const { key, policy, product } = await service.issue({ policy: { max_activations: 3 } })
    for (const fingerprint of ["one", "two", "three"]) await service.license("activate", key, { fingerprint })
    await eventually("the calls are recorded", async () => {
      const { calls } = await service.data("POST", `/api/v1/policies/${policy.id}/rehearse`, { change: {} })
      return calls.all === 3
    })
    await service.data("POST", "/api/v1/licenses", {
      product_id: product.id,
      policy_id: policy.id,
      overrides: { max_activations: 9 }
    })
    const feature = await service.data("POST", `/api/v1/products/${product.id}/features`, {
      name: "Pages",
      code: "pages"
    })
    await service.data("POST", `/api/v1/products/${product.id}/policies/${policy.id}/features`, {
      feature_id: feature.id,
      max_consumptions: 5
    })
    const visitor = await opened({ path: `/console/products/${product.id}/policies/${policy.id}` })
    const { page } = visitor
    await visitor.settle()
    await page.getByLabel("Device limit", { exact: true }).fill("2")
    // What is entered is given back after a reload.
    await visitor.goto(`/console/products/${product.id}/policies/${policy.id}`)
    assert.strictEqual(await page.getByLabel("Device limit", { exact: true }).inputValue(), "2")
    await page.getByRole("button", { name: "Rehearse this change" }).click()
    await visitor.shows("1 call of 1 device in 1 license")
    await page.getByLabel("Quota of pages to try", { exact: true }).fill("2")
    await page.getByRole("button", { name: "Rehearse this change" }).click()
    await visitor.shows("1 call of 1 device in 1 license")
    await page.getByRole("button", { name: "Export this rehearsal" }).click()
    const exporting = page.getByRole("dialog")
    await exporting.getByRole("button", { name: "Export this rehearsal" }).click()
    await page.getByText("Export started.").waitFor()
    const made = await eventually("the export is ready", async () => {
      const [last] = await service.data("GET", "/api/v1/reports/exports")
      return last?.status === "ready" ? last : undefined
    })
    assert.deepInclude(made.filters.change, {
      max_activations: 2,
      features: [{ feature_id: feature.id, max_consumptions: 2 }]
    })
    await page.keyboard.press("Escape")
    assert.deepStrictEqual(await visitor.axe(), [])
    await service.data("PATCH", `/api/v1/policies/${policy.id}`, { name: "Renamed meanwhile", grace_period_days: 3 })
    await page.getByRole("button", { name: "Save for 2 licenses" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByText(/1 license has its own value and keeps it/).waitFor()
    await dialog.getByRole("button", { name: /^Save for/ }).click()
    await dialog.getByText("PRECONDITION_FAILED").waitFor()
    await visitor.settle()
    await confirm(visitor, /^Save for/)
    assert.deepInclude(await service.data("GET", `/api/v1/policies/${policy.id}`), {
      name: "Renamed meanwhile",
      grace_period_days: 3,
      max_activations: 2
    })
    assert.deepStrictEqual(visitor.wrong.filter((text) => !text.includes("412")), [])
  })

  it("says what contradicts itself at its field, and is not saved then", async () => {
    const { policy, product } = await service.issue({ policy: { duration: "P1Y" } })
    const visitor = await opened({ path: `/console/products/${product.id}/policies/${policy.id}` })
    const { page } = visitor
    await visitor.settle()
    await page.getByLabel("License type", { exact: true }).selectOption("perpetual")
    await page.getByRole("alert").getByText(/Is not for perpetual licenses/).waitFor()
    assert.deepStrictEqual(await visitor.axe(), [])
    await page.getByRole("button", { name: /^Save for/ }).click()
    assert.isFalse(await page.getByRole("dialog").getByRole("button", { name: /^Save for/ }).isEnabled())
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("can be saved while the preview fails", async () => {
    const { policy, product } = await service.issue()
    const visitor = await opened({ path: "/console/licenses" })
    const { page } = visitor
    await page.route(
      /\/api\/v1\/policies\//,
      (route) =>
        route.request().postData()?.includes("dry_run") === true
          ? route.fulfill({ status: 500, body: "{}" })
          : route.continue()
    )
    await visitor.goto(`/console/products/${product.id}/policies/${policy.id}`)
    await page.getByLabel("Device limit", { exact: true }).fill("4")
    await visitor.shows("Preview isn't available")
    await page.getByRole("button", { name: "Save policy" }).click()
    await confirm(visitor, "Save policy")
    assert.strictEqual((await service.data("GET", `/api/v1/policies/${policy.id}`)).max_activations, 4)
  })

  it("grants a feature, with a quota", async () => {
    const { policy, product } = await service.issue()
    await service.data("POST", `/api/v1/products/${product.id}/features`, { name: "Renders", code: "render" })
    const visitor = await opened({ path: `/console/products/${product.id}/policies/${policy.id}` })
    const { page } = visitor
    await visitor.settle()
    await page.getByRole("button", { name: "Grant feature" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Feature").selectOption({ label: "Renders (render)" })
    await dialog.getByLabel("Quota", { exact: true }).fill("1000")
    await dialog.getByLabel("Quota resets").selectOption("month")
    await confirm(visitor, "Grant feature")
    await visitor.shows("1,000 per month")
    assert.deepStrictEqual(await visitor.axe(), [])
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("a policy for who may only read it", () => {
  it("is text in the groups of the form, with no field that does nothing", async () => {
    const { policy, product } = await service.issue({ policy: { max_activations: 3, activation_overage: "10%" } })
    const { token } = await service.data("POST", "/api/v1/api-keys", { name: "Reads", scopes: ["product:read"] })
    const visitor = await opened({ token, path: "/console" })
    await visitor.settle()
    await visitor.goto(`/console/products/${product.id}/policies/${policy.id}`)
    const text = await visitor.shows("You can read this policy.")
    assert.match(text, /Device limit\s+3/)
    assert.match(text, /Device overage\s+10% more/)
    assert.strictEqual(await visitor.page.locator("main :is(input, select, textarea, [disabled])").count(), 0)
    assert.deepStrictEqual(await visitor.axe(), [])
    assert.deepStrictEqual(await visitor.look(), { headings: 1, wider: 0, outside: [] })
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("a policy with entered values", () => {
  it("asks once before it is left by a link, by Back or by the menu, and gives the values back", async () => {
    const { policy, product } = await service.issue({ policy: { max_activations: 3 } })
    const visitor = await visit(browser, service, { path: `/console/products/${product.id}` })
    onTestFinished(() => visitor.close())
    const { page } = visitor
    const path = `/console/products/${product.id}/policies/${policy.id}`
    const dialog = page.getByRole("dialog", { name: "Leave this page?" })
    const limit = page.getByLabel("Device limit", { exact: true })
    const isAt = (expected: string) => eventually(`the page is ${expected}`, () => page.url().endsWith(expected))
    await page.locator(`a.lead[href="${path}"]`).click()
    await limit.fill("4")
    await limit.fill("3")
    await page.getByRole("link", { name: "Policies", exact: true }).click()
    await isAt(`/console/products/${product.id}`)
    assert.strictEqual(await dialog.count(), 0, "what is the same by value is no change")
    await page.locator(`a.lead[href="${path}"]`).click()
    await limit.fill("25")
    await page.getByRole("link", { name: "Policies", exact: true }).click()
    await dialog.getByRole("button", { name: "Stay" }).click()
    await isAt(path)
    assert.strictEqual(await limit.inputValue(), "25")
    await page.evaluate("history.back()")
    await dialog.waitFor()
    await isAt(path)
    await dialog.getByRole("button", { name: "Leave" }).click()
    await isAt(`/console/products/${product.id}`)
    await visitor.settle()
    await page.locator(`a.lead[href="${path}"]`).click()
    assert.strictEqual(await limit.inputValue(), "25", "it is given back")
    await visitor.settle()
    await page.keyboard.press("Control+k")
    await page.keyboard.type("customers")
    await page.keyboard.press("Enter")
    await dialog.getByRole("button", { name: "Leave" }).click()
    await isAt("/console/customers")
    assert.deepStrictEqual(visitor.wrong, [])
  })
})
