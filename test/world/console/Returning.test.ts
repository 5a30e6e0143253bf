// Where somebody is: after a page has opened, after Back, and after what had the focus is gone.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { onTestFinished } from "vitest"
import { openBrowser } from "../../fixtures/Browser.ts"
import type { Browser, Route } from "../../fixtures/Browser.ts"
import { deskOrPhone, visit } from "../../fixtures/Console.ts"
import type { Visitor } from "../../fixtures/Console.ts"
import { seedVendor } from "../../fixtures/SeededVendor.ts"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import { eventually } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

let browser: Browser
let service: Service

/** More than two pages of the list. */
const licenses = 130

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
  await seedVendor(service, licenses, "console")
})
afterAll(() => browser.close())

const opened = async (options: Parameters<typeof visit>[2] = {}): Promise<Visitor> => {
  const visitor = await visit(browser, service, options)
  onTestFinished(() => visitor.close())
  return visitor
}

const rows = ({ page }: Visitor) => page.locator("table a.lead").count()
const scrolled = ({ page }: Visitor) => page.evaluate<number>("Math.round(scrollY)")
const href = ({ page }: Visitor, row: number) => page.locator("table a.lead").nth(row).getAttribute("href")

/** Has the next page of a list shown. */
const more = async (visitor: Visitor): Promise<void> => {
  const before = await rows(visitor)
  await visitor.page.getByRole("button", { name: /^Load more/ }).click()
  await eventually("the next page is there", async () => await rows(visitor) > before)
  await visitor.settle()
}

const asked = /\/api\/v1\/licenses\?/

/** Holds what the page asks of a list until it is let go. */
const hold = async ({ page }: Visitor) => {
  const held: Array<Route> = []
  let isHeld = true
  await page.route(asked, async (route) => {
    if (isHeld) held.push(route)
    else await route.continue()
  })
  return async () => {
    isHeld = false
    for (const route of held) await route.continue()
  }
}

describe.each(deskOrPhone("returning"))("who comes back at the %s", (_name, look) => {
  it("finds every row, the place and the focus, at once, and then the rows as they are now", async () => {
    const visitor = await opened({ look, path: "/console/licenses" })
    const { page } = visitor
    await more(visitor)
    await more(visitor)
    const there = await rows(visitor)
    assert.isAbove(there, 120)
    const at = (await page.locator("tbody tr").allInnerTexts()).findIndex((text, row) =>
      row > 70 && /\bactive\b/.test(text)
    )
    const left = await href(visitor, at)
    const link = page.locator("table a.lead").nth(at)
    await link.focus()
    const place = await scrolled(visitor)
    assert.isAbove(place, 1000)
    await page.keyboard.press("Enter")
    await eventually("the license is opened", () => page.url() === `${service.url}${left}`)
    await visitor.settle()
    assert.match(await visitor.focus(), /^h1: /)
    assert.strictEqual(await scrolled(visitor), 0)
    const id = left!.split("/").at(-1)!
    await service.data("POST", `/api/v1/licenses/${id}/suspend`, {})
    const letGo = await hold(visitor)
    await page.evaluate("history.back()")
    // However slow the service is.
    await eventually("the rows are there", async () => await rows(visitor) === there)
    assert.strictEqual(await visitor.focus(), `a: ${left}`)
    assert.approximately(await scrolled(visitor), place, 2)
    assert.strictEqual(await page.locator(".skeleton").count(), 0)
    await letGo()
    await eventually(
      "the row is as it is now",
      async () => (await page.locator("tbody tr").nth(at).innerText()).includes("suspended")
    )
    assert.strictEqual(await rows(visitor), there)
    assert.strictEqual(await visitor.focus(), `a: ${left}`)
    assert.approximately(await scrolled(visitor), place, 2)
    // Forward is a page that opens; and back again.
    await page.evaluate("history.forward()")
    await eventually("the license is there again", () => page.url() === `${service.url}${left}`)
    await visitor.settle()
    assert.match(await visitor.focus(), /^h1: /)
    await page.evaluate("history.back()")
    await eventually("the rows are there again", async () => await rows(visitor) === there)
    assert.approximately(await scrolled(visitor), place, 2)
    // What is opened anew begins at its begin.
    await page.getByRole("link", { name: "Customers" }).first().click()
    await visitor.settle()
    await page.getByRole("link", { name: "Licenses" }).first().click()
    await visitor.settle()
    assert.isAtMost(await rows(visitor), 50)
    assert.strictEqual(await scrolled(visitor), 0)
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("who comes back", () => {
  it("with the pointer finds the row that was clicked, also where it was no link", async () => {
    const visitor = await opened({ path: "/console/licenses" })
    const { page } = visitor
    const left = await href(visitor, 20)
    await page.locator("tbody tr").nth(20).locator("td").nth(1).click()
    await eventually("the license is opened", () => page.url() === `${service.url}${left}`)
    await visitor.settle()
    await page.goBack()
    await eventually("the focus is at the row", async () => await visitor.focus() === `a: ${left}`)
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("is where they were on a page of which nothing was kept, as soon as it is there again", async () => {
    const visitor = await opened({ path: "/console/reports" })
    const { page } = visitor
    await page.setViewportSize({ width: 1280, height: 400 })
    await page.getByRole("link", { name: "License audit" }).click()
    await visitor.settle()
    await page.locator("table a.lead").first().click()
    await visitor.settle()
    const link = page.locator("main a[href^='/console/test/licenses/']").first()
    await page.evaluate("scrollTo(0, 300)")
    await eventually("it is scrolled", async () => await scrolled(visitor) === 300)
    await page.evaluate(
      "document.querySelector(\"main a[href^='/console/test/licenses/']\").focus({ preventScroll: true })"
    )
    const to = await link.getAttribute("href")
    await page.keyboard.press("Enter")
    await eventually("the license is opened", () => page.url() === `${service.url}${to}`)
    await visitor.settle()
    await page.goBack()
    await eventually("the focus is at the link", async () => await visitor.focus() === `a: ${to}`)
    await eventually("it is scrolled to where it was", async () => await scrolled(visitor) === 300)
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("takes back what was chosen, and not letter by letter what was typed", async () => {
    const visitor = await opened({ path: "/console/licenses" })
    const { page } = visitor
    const all = await rows(visitor)
    await page.getByLabel("Status", { exact: true }).selectOption("suspended")
    await eventually("it is narrowed", () => page.url().endsWith("?status=suspended"))
    await visitor.settle()
    const suspended = await rows(visitor)
    assert.isBelow(suspended, all)
    for (const text of ["a", "an", "ann", "annx"]) {
      await page.getByLabel("Owner, ID or key ending").fill(text)
      await eventually(`it is narrowed by ${text}`, () => page.url().endsWith(`q=${text}`))
    }
    await visitor.settle()
    await page.goBack()
    await eventually(
      "all of them are there",
      async () => page.url() === `${service.url}/console/test/licenses` && await rows(visitor) === all
    )
    assert.strictEqual(await page.getByLabel("Status", { exact: true }).inputValue(), "")
    await page.goForward()
    await eventually("the choice is there again", () => page.url().endsWith("status=suspended&q=annx"))
    const field = page.getByLabel("Owner, ID or key ending")
    await eventually("so is what was typed", async () => await field.inputValue() === "annx")
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("the focus", () => {
  /** What a screen reader is told of the page. */
  const said = ({ page }: Visitor) => page.locator(".shell > [role=status]").innerText()

  it("is on the heading of each page that opens, which is announced with its title", async () => {
    const visitor = await opened()
    const { page } = visitor
    const arrived = async (heading: RegExp, title: RegExp) => {
      await visitor.settle()
      assert.match(await visitor.focus(), heading)
      assert.match(await page.title(), title)
      assert.strictEqual(`[test] ${await said(visitor)} · Countersign`, await page.title())
    }
    await arrived(/^h1: Licenses$/, /^\[test\] Licenses ·/)
    for (const name of ["Customers", "Webhooks", "Operations", "Licenses"]) {
      await page.getByRole("link", { name }).first().click()
      await arrived(new RegExp(`^h1: ${name}`), new RegExp(`^\\[test\\] ${name} ·`))
    }
    await page.getByRole("link", { name: "Reports" }).click()
    await arrived(/^h1: Usage summary/, /^\[test\] Usage summary/)
    await page.getByRole("link", { name: "Usage ledger" }).click()
    await arrived(/^h1: Usage ledger/, /^\[test\] Usage ledger/)
    await page.keyboard.press("/")
    await page.keyboard.type("active")
    await page.getByLabel("Search").fill((await service.data("GET", "/api/v1/licenses?status=active&limit=1"))[0].id)
    await page.getByRole("option").first().waitFor()
    await page.keyboard.press("Enter")
    await page.getByRole("button", { name: "Transfer", exact: true }).waitFor()
    const name = (await page.getByRole("heading", { level: 1 }).innerText()).split("\n")[0]!
    await visitor.settle()
    assert.include(await visitor.focus(), `h1: ${name}`)
    assert.strictEqual(await said(visitor), name)
    await visitor.goto("/console/no/such/page")
    await arrived(/^h1: Page not found/, /^\[test\] Page not found/)
    await visitor.goto("/console/reports/no-such-report")
    assert.match(await visitor.focus(), /^h1: Report not found/)
    assert.deepStrictEqual(await visitor.axe(), [])
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("stays near what had it and is gone", async () => {
    const visitor = await opened({ path: "/console/licenses" })
    const { page } = visitor
    await more(visitor)
    await page.getByRole("button", { name: /^Load more/ }).focus()
    await page.keyboard.press("Enter")
    await eventually("all are there", async () => (await rows(visitor)) > 100)
    await visitor.settle()
    assert.notStrictEqual(await visitor.focus(), "body")
    // What an action came to has the focus in its dialog, and what the action is about when it is closed.
    const [{ id }] = await service.data("GET", "/api/v1/licenses?status=active&limit=1")
    await visitor.goto(`/console/licenses/${id}`)
    await page.getByRole("button", { name: "Suspend", exact: true }).click()
    await page.getByRole("dialog").waitFor()
    await page.keyboard.press("Enter")
    await page.getByRole("dialog").getByText("Done", { exact: true }).waitFor()
    assert.match(await visitor.focus(), /^div: Done/)
    await page.keyboard.press("Escape")
    await page.getByRole("button", { name: "Reinstate", exact: true }).waitFor()
    await visitor.settle()
    assert.notStrictEqual(await visitor.focus(), "body")
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("is not lost where the service fails and is asked again", async () => {
    const visitor = await opened()
    const { page } = visitor
    await page.route(asked, (route) => route.abort("failed"))
    await page.goto(`${service.url}/console/test/licenses`, { waitUntil: "load" })
    await page.getByRole("button", { name: "Try again" }).focus()
    await page.unroute(asked)
    await page.keyboard.press("Enter")
    await eventually("the rows are there", async () => await rows(visitor) > 0)
    await visitor.settle()
    assert.notStrictEqual(await visitor.focus(), "body")
  })
})

describe("who opens the console again", () => {
  /** Holds what the page asks about its token until it is let go. */
  const holdToken = async ({ page }: Visitor) => {
    const held: Array<Route> = []
    await page.route(/\/(whoami|environment)$/, (route) => void held.push(route))
    return { held, letGo: () => Promise.all(held.map((route) => route.continue())) }
  }

  it("sees the figures before the service has answered about the token, and no less afterwards", async () => {
    const visitor = await opened({ path: "/console/reports" })
    const { page } = visitor
    await visitor.shows("Usage events")
    const { held, letGo } = await holdToken(visitor)
    await page.reload()
    await visitor.shows("Usage events")
    // The band of the test environment, which this vendor is in, shows the clock of the same answer.
    assert.sameMembers(held.map((route) => new URL(route.request().url()).pathname), [
      "/api/v1/whoami",
      "/api/v1/environment"
    ])
    await letGo()
    await visitor.settle()
    await visitor.shows("Usage events")
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("with a token that was deleted is asked for another, and nothing is kept", async () => {
    const { api_key, token } = await service.data("POST", "/api/v1/api-keys", {
      name: "Deleted meanwhile",
      scopes: ["license:read", "report:read"]
    })
    const visitor = await opened({ path: "/console/reports", token })
    const { page } = visitor
    await service.data("DELETE", `/api/v1/api-keys/${api_key.id}`)
    const { letGo } = await holdToken(visitor)
    await page.reload()
    await page.getByRole("dialog", { name: "Sign in again" }).waitFor()
    await letGo()
    await page.getByRole("heading", { name: "Sign in with a token", level: 1 }).waitFor()
    await visitor.shows("You were signed out")
    // The tab keeps why it ended, and nothing else.
    assert.deepStrictEqual(await page.evaluate("Object.keys(sessionStorage)"), ["countersign.ended.test"])
  })
})
