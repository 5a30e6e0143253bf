// What a browser loads of the console, and when.
import { assert, describe, it } from "@effect/vitest"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { inject, onTestFinished } from "vitest"
import { openBrowser } from "../../fixtures/Browser.ts"
import { visit } from "../../fixtures/Console.ts"
import { startService } from "../../fixtures/Service.ts"

const service = await startService()
const built = join(inject("bundle"), "console")

describe("what the page loads", () => {
  const openedBy = async (path?: string) => {
    const browser = await openBrowser()
    onTestFinished(() => browser.close())
    const visitor = await visit(browser, service, path === undefined ? { token: null } : {})
    if (path !== undefined) await visitor.goto(path)
    return visitor
  }

  it("comes to less than 100,000 bytes at the first look", async () => {
    const visitor = await openedBy()
    const loaded = await visitor.page.evaluate<ReadonlyArray<readonly [string, number]>>(
      `document.fonts.ready.then(() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
        .map(({ encodedBodySize, name }) => [new URL(name).pathname, encodedBodySize]))`
    )
    const kinds = loaded.map(([path]) => path.split(".").at(-1))
    assert.includeMembers(kinds, ["/console", "js", "css", "woff2"])
    for (const [path, size] of loaded) assert.isAbove(size, 0, path)
    assert.isBelow(loaded.reduce((sum, [, size]) => sum + size, 0), 100_000, JSON.stringify(loaded))
    assert.deepStrictEqual(visitor.wrong, [])
  })

  const parts = readdirSync(built).filter((name) => name.endsWith(".html") && name !== "index.html")
    .map((name) => name.slice(0, -5))

  it("are the parts of the pages that were opened, each with the first of them", async () => {
    const visitor = await openedBy("/console/licenses")
    const loaded = () =>
      parts.filter((part) => visitor.requests.some(({ url }) => new RegExp(`/${part}-\\w+\\.js$`).test(url)))
    assert.deepStrictEqual(loaded(), ["licenses"])
    await visitor.page.getByRole("link", { name: "Webhooks" }).click()
    await visitor.shows("No endpoints")
    assert.sameMembers(loaded(), ["licenses", "webhooks"])
    assert.strictEqual(await visitor.focus(), "h1: Webhooks")
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("have the page loaded anew where they are gone, once, and then when somebody asks", async () => {
    const visitor = await openedBy("/console/licenses")
    let isGone = true
    await visitor.page.route(/\/webhooks-\w+\.js$/, async (route) => {
      await (isGone ? route.fulfill({ status: 404 }) : route.continue())
    })
    const opened = () => visitor.requests.filter(({ url }) => new URL(url).pathname === "/console/webhooks").length
    await visitor.page.getByRole("link", { name: "Webhooks" }).click()
    await visitor.page.getByText("This page could not be loaded.").waitFor()
    // It was asked whether the service is there, and then for the page.
    assert.strictEqual(opened(), 2)
    isGone = false
    await visitor.page.getByRole("button", { name: "Try again" }).click()
    await visitor.page.getByText("No endpoints").first().waitFor()
  })
})
