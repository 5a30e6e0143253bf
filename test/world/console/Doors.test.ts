// Ways into the console and through it that people meet by chance: a host name on plain http, a page that fails once.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { onTestFinished } from "vitest"
import { openBrowser } from "../../fixtures/Browser.ts"
import type { Browser } from "../../fixtures/Browser.ts"
import { visit } from "../../fixtures/Console.ts"
import type { Visitor } from "../../fixtures/Console.ts"
import type { Issued, Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import { eventually } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

const host = "licenses.countersign.test"
let browser: Browser
let service: Service
let issued: Issued

beforeAll(async () => {
  ;[service, browser] = await Promise.all([
    startService(),
    openBrowser([`--host-resolver-rules=MAP ${host} 127.0.0.1`])
  ])
  issued = await service.issue({ license: { customer_name: "Grace Hopper" } })
})
afterAll(() => browser.close())

const opened = async (url: string, path: string): Promise<Visitor> => {
  const visitor = await visit(browser, { url }, { path })
  onTestFinished(() => visitor.close())
  return visitor
}

describe("the console under a host name on plain http", () => {
  it("does what it does elsewhere, and says what such a page cannot", async () => {
    const visitor = await opened(
      `http://${host}:${new URL(service.url).port}`,
      `/console/licenses/${issued.license.id}`
    )
    const { page } = visitor
    assert.isFalse(await page.evaluate<boolean>("isSecureContext"))
    assert.isFalse(await page.evaluate<boolean>("crypto.subtle !== undefined || navigator.clipboard !== undefined"))
    await page.getByRole("button", { name: issued.license.id }).first().click()
    await visitor.shows("Copied")
    await page.getByRole("button", { name: "Suspend", exact: true }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("button", { name: "Suspend", exact: true }).click()
    await dialog.getByText("Done", { exact: true }).waitFor()
    assert.strictEqual((await service.data("GET", `/api/v1/licenses/${issued.license.id}`)).status, "suspended")
    await visitor.goto("/console/operations")
    await visitor.shows("Browsers verify signatures only on pages loaded over HTTPS or from localhost")
    const all = await visitor.shows("This browser did not verify the checkpoint")
    assert.notInclude(all, "Healthy")
    for (const path of ["licenses", "customers", "webhooks", "reports/usage-summary", "reports/frozen"]) {
      await visitor.goto(`/console/${path}`)
    }
    // What the browser says of the page itself, which is no fault of it.
    assert.deepStrictEqual(visitor.wrong.filter((text) => !text.includes("origin was untrustworthy")), [])
  })
})

describe("a table with long names", () => {
  const name = "workstation-of-the-rendering-department-0"
  it("keeps its buttons in sight at a desk, and is reached by the keyboard where it scrolls", async () => {
    const { key, license } = await service.issue({ policy: { max_activations: 9 } })
    for (let index = 0; index < 4; index++) {
      await service.data("POST", "/api/v1/license/activate", { fingerprint: `long-${index}`, hostname: name + index }, {
        licenseKey: key,
        token: null,
        headers: { "idempotency-key": `long-${index}` }
      })
    }
    const visitor = await opened(service.url, `/console/licenses/${license.id}`)
    await visitor.shows(`${name}3`)
    for (const width of [1280, 1024, 390]) {
      await visitor.page.setViewportSize({ width, height: 860 })
      const hidden = await visitor.page.evaluate<ReadonlyArray<string>>(`[...document.querySelectorAll(".table")]
        .flatMap((table) => [...table.querySelectorAll("button")].filter((button) =>
          button.getBoundingClientRect().right > table.getBoundingClientRect().right + 1).map(({ innerText }) => innerText))`)
      assert.deepStrictEqual(hidden, [], `at ${width}`)
      assert.deepStrictEqual((await visitor.look()).outside, [], `at ${width}`)
    }
    assert.deepStrictEqual(await visitor.axe(), [])
    const unreached = `[...document.querySelectorAll(".table")].filter((table) =>
      table.scrollWidth > table.clientWidth + 1 && table.tabIndex < 0).length`
    await visitor.page.setViewportSize({ width: 700, height: 860 })
    await eventually("what scrolls can be reached", async () => await visitor.page.evaluate<number>(unreached) === 0)
    assert.strictEqual(
      await visitor.page.evaluate<number>(`[...document.querySelectorAll(".brand, .top input")]
        .filter((element) => element.closest("header, nav, main, [role=search]") === null).length`),
      0
    )
  })
})

describe("a list whose second page fails once", () => {
  const count = 60

  it.each(["Load more", "Try again"])("goes on by %s, with each row once", async (again) => {
    const known = (await service.data("GET", "/api/v1/customers?limit=200")).length
    for (let index = known; index < count; index++) {
      await service.data("POST", "/api/v1/customers", { name: `Customer ${index}`, code: `c-${index}` })
    }
    const visitor = await opened(service.url, "/console/customers")
    const { page } = visitor
    const rows = () => page.locator("a.lead").allInnerTexts()
    const first = await rows()
    assert.isBelow(first.length, count)
    const later = /\/api\/v1\/customers\?.*cursor=/
    await page.route(later, (route) => route.abort("failed"))
    await page.getByRole("button", { name: /^Load more/ }).click()
    await page.getByRole("alert").first().waitFor()
    assert.deepStrictEqual(await rows(), first)
    await page.unroute(later)
    await page.getByRole("button", { name: new RegExp(`^${again}`) }).first().click()
    await eventually("the second page is there", async () => (await rows()).length > first.length)
    assert.strictEqual(await page.getByRole("alert").count(), 0)
    for (
      let seen = 0;
      seen < (await rows()).length && await page.getByRole("button", { name: /^Load more/ }).count() > 0;
    ) {
      seen = (await rows()).length
      await page.getByRole("button", { name: /^Load more/ }).click()
      await eventually("the next page is there", async () => (await rows()).length > seen)
    }
    const all = await rows()
    assert.lengthOf(all, count)
    assert.lengthOf(new Set(all), count)
    assert.deepStrictEqual(all.slice(0, first.length), first)
  })
})
