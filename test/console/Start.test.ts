// The first page: from an empty service to an app that calls it, and what matters every day.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { onTestFinished } from "vitest"
import { openBrowser } from "../fixtures/Browser.ts"
import type { Browser } from "../fixtures/Browser.ts"
import { looks, visit } from "../fixtures/Console.ts"
import type { Visitor } from "../fixtures/Console.ts"
import { seedVendor } from "../fixtures/SeededVendor.ts"
import { startService } from "../fixtures/Service.ts"
import type { Service } from "../fixtures/Service.ts"

const execute = promisify(execFile)

let browser: Browser
let empty: Service
let full: Service

beforeAll(async () => {
  ;[empty, full, browser] = await Promise.all([startService(), startService(), openBrowser()])
  await seedVendor(full, 60, "console")
})
afterAll(() => browser.close())

const opened = async (service: Service, options: Parameters<typeof visit>[2] = {}): Promise<Visitor> => {
  const visitor = await visit(browser, service, { path: "/console", ...options })
  onTestFinished(() => visitor.close())
  return visitor
}

const whole = { headings: 1, wider: 0, outside: [] }

describe("an empty service", () => {
  it("leads to the request of an app in four clicks and few keys, and says when the first device has called", async () => {
    const visitor = await opened(empty)
    const { page } = visitor
    await visitor.shows("Sell your first license")
    assert.deepStrictEqual(await visitor.look(), whole)
    assert.deepStrictEqual(await visitor.axe(), [])
    await page.getByLabel("Product name").fill("Acme Draft")
    await page.getByRole("button", { name: "Create product" }).click()
    await visitor.shows("Continue setup: 1 of 4")
    // What is done is read, so that a reload goes on where it was.
    await visitor.goto("/console/start")
    await visitor.shows("Continue setup: 1 of 4")
    await page.getByRole("button", { name: "Create policy" }).click()
    await visitor.shows("Continue setup: 2 of 4")
    await page.getByLabel("Buyer's name").fill("Ada")
    await page.getByRole("button", { name: "Issue license" }).click()
    await visitor.shows("Waiting for the first activation")
    assert.deepStrictEqual(await visitor.axe(), [])
    await page.getByRole("button", { name: "curl" }).click()
    const snippet = await page.getByLabel("curl snippet").innerText()
    const { stdout } = await execute("bash", ["-c", snippet])
    assert.include(stdout, "\"data\"", stdout)
    const text = await visitor.shows("You are selling.")
    assert.include(text, "activated.")
    await page.getByRole("button", { name: "Go to the overview" }).click()
    await visitor.shows("Ending within 30 days")
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe.each(Object.entries(looks))("the start (%s)", (_name, look) => {
  it("has figures, each with its list, and fits", async () => {
    const visitor = await opened(full, { look })
    const text = await visitor.shows("Ending within 30 days")
    for (const label of ["Licenses issued", "Active licenses", "Activations", "Refusals", "Quotas reached"]) {
      assert.include(text, label)
    }
    assert.deepStrictEqual(await visitor.look(), whole)
    assert.deepStrictEqual(await visitor.axe(), [])
    await visitor.page.getByRole("link", { name: "Licenses issued" }).click()
    await visitor.shows("issued a license")
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("the figures", () => {
  it("are dashes when they could not be read, and never 0", async () => {
    const visitor = await opened(full, { path: "/console/licenses" })
    await visitor.page.route(/\/api\/v1\/overview/, (route) => route.abort())
    await visitor.page.getByRole("link", { name: "Start" }).click()
    const text = await visitor.shows("Cannot reach the service.")
    assert.match(text, /Licenses issued\s+–/)
    await visitor.page.unroute(/\/api\/v1\/overview/)
    await visitor.page.getByRole("button", { name: "Try again" }).click()
    await visitor.shows("Ending within 30 days")
  })

  it("leave out what a token may not see, and lead nowhere that refuses it", async () => {
    const { token } = await full.data("POST", "/api/v1/api-keys", { name: "metrics", scopes: ["report:read"] })
    const visitor = await opened(full, { token })
    const text = await visitor.shows("Refusals by reason")
    assert.notInclude(text, "Ending within")
    assert.notInclude(text, "Issue license")
    assert.strictEqual(await visitor.page.locator("main a[href^='/console/licenses']").count(), 0)
    assert.deepStrictEqual(visitor.wrong, [])
  })
})
