// The command menu, the keys of the console and the bar of a phone, in a real browser against a real service.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { onTestFinished } from "vitest"
import { openBrowser } from "../../fixtures/Browser.ts"
import type { Browser } from "../../fixtures/Browser.ts"
import { confirm, looks, openPlace, visit } from "../../fixtures/Console.ts"
import type { Visitor } from "../../fixtures/Console.ts"
import type { Issued, Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import { eventually } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

let browser: Browser
let service: Service
let issued: Issued

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
  issued = await service.issue({ license: { customer_name: "Grace Hopper" } })
})
afterAll(() => browser.close())

const opened = async (options: Parameters<typeof visit>[2] = {}): Promise<Visitor> => {
  const visitor = await visit(browser, service, options)
  onTestFinished(() => visitor.close())
  return visitor
}

const options = ({ page }: Visitor) =>
  page.getByRole("listbox", { name: "Results" }).getByRole("option").allInnerTexts()

describe("the command menu", () => {
  it("suspends the open license by keys alone, and keeps the reason", async () => {
    const visitor = await opened({ path: `/console/licenses/${issued.license.id}` })
    const { page } = visitor
    await page.keyboard.press("Control+k")
    assert.strictEqual(await visitor.focus(), "input: Search")
    await page.keyboard.type("susp")
    assert.match((await options(visitor))[0] ?? "", /^Suspend…/)
    await page.keyboard.press("Enter")
    await page.getByRole("dialog").getByRole("heading", { name: "Suspend" }).waitFor()
    const before = await service.data("GET", `/api/v1/licenses/${issued.license.id}`)
    assert.strictEqual(before.status, "active", "the menu itself changes nothing")
    await page.getByRole("dialog").getByLabel("Reason").fill("Chargeback in_77")
    // The menu does not open over a dialog, where it would be behind it.
    await page.keyboard.press("Control+k")
    await page.keyboard.press("Control+Enter")
    await page.getByRole("dialog").getByText("Done", { exact: true }).waitFor()
    await page.keyboard.press("Escape")
    await visitor.settle()
    assert.strictEqual((await service.data("GET", `/api/v1/licenses/${issued.license.id}`)).status, "suspended")
    const [activity] = await service.data("GET", `/api/v1/activities?license_id=${issued.license.id}&limit=1`)
    assert.deepInclude(activity, { action: "license.suspended", reason: "Chargeback in_77" })
    await page.keyboard.press("Control+k")
    await page.keyboard.type("reinst")
    await page.keyboard.press("Enter")
    await confirm(visitor, "Reinstate")
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("leads to pages and to what it finds: an ID first, and nothing that the token may not do", async () => {
    const { token } = await service.data("POST", "/api/v1/api-keys", {
      name: "Auditor",
      scopes: ["license:read", "product:read", "report:read"]
    })
    const visitor = await opened({ token })
    const { page } = visitor
    await page.keyboard.press("/")
    const all = (await options(visitor)).join("\n")
    for (const name of ["Products", "Licenses", "Reports"]) assert.include(all, name)
    for (const name of ["Issue license", "Customers", "Operations", "…"]) assert.notInclude(all, name)
    await page.keyboard.type("rep")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { level: 1, name: "Usage summary" }).waitFor()
    await visitor.settle()
    await page.keyboard.press("Control+k")
    await page.keyboard.type(issued.license.id)
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { level: 1, name: "Grace Hopper" }).waitFor()
    await visitor.settle()
    await page.keyboard.press("Control+k")
    assert.notInclude((await options(visitor)).join("\n"), "…", "no right, no command")
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("the keys", () => {
  it("are listed by ?, and single ones can be switched off in this browser", async () => {
    const visitor = await opened({ path: "/console/licenses" })
    const { page } = visitor
    await page.keyboard.press("?")
    const dialog = page.getByRole("dialog")
    await dialog.getByText("Show these keys").waitFor()
    assert.deepStrictEqual(await visitor.axe(), [])
    await dialog.getByLabel(/^Single keys/).setChecked(false)
    await dialog.getByRole("button", { name: "Close" }).click()
    for (const key of ["/", "?"]) {
      await page.keyboard.press(key)
      assert.notStrictEqual(await visitor.focus(), "input: Search")
      assert.strictEqual(await page.getByRole("dialog").count(), 0)
    }
    await page.keyboard.press("Control+k")
    assert.strictEqual(await visitor.focus(), "input: Search")
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("the bar of a phone", () => {
  it("has what is opened most, and the rest behind More", async () => {
    const visitor = await opened({ look: looks.phone })
    const { page } = visitor
    const bar = page.getByRole("navigation", { name: "Console" })
    assert.isTrue(await bar.getByRole("link", { name: "Customers" }).isVisible())
    assert.isFalse(await bar.getByRole("link", { name: "Operations" }).isVisible())
    await page.getByRole("button", { name: "More", exact: true }).click()
    assert.deepStrictEqual(await visitor.axe(), [])
    assert.deepStrictEqual((await visitor.look()).outside, [])
    // One below the other, and large enough for a thumb.
    const tops = await page.evaluate<ReadonlyArray<readonly [number, number]>>(`
      [...document.querySelectorAll("dialog a")].map((link) => link.getBoundingClientRect())
        .map(({ height, left, top, width }) => [Math.round(left), height >= 44 && width > 200 ? top : -1])`)
    assert.isAtLeast(tops.length, 2)
    assert.lengthOf([...new Set(tops.map(([left]) => left))], 1)
    assert.deepStrictEqual(tops.map(([, top]) => top), tops.map(([, top]) => top).toSorted((a, b) => a - b))
    assert.isTrue(tops.every(([, top]) => top > 0))
    await page.keyboard.press("Escape")
    await openPlace(visitor, "Operations")
    await eventually("the page opens", () => page.url().endsWith("/console/operations"))
    assert.strictEqual(await page.getByRole("dialog").count(), 0)
    assert.deepStrictEqual(visitor.wrong, [])
  })
})
