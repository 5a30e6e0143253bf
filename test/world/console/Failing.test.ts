// The console when the service is slow, away, or of another mind.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { onTestFinished } from "vitest"
import type { ErrorCode } from "../../../src/client/api/types.gen.ts"
import { openBrowser } from "../../fixtures/Browser.ts"
import type { Browser, Route } from "../../fixtures/Browser.ts"
import { visit } from "../../fixtures/Console.ts"
import type { Visitor } from "../../fixtures/Console.ts"
import type { Issued, Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

let browser: Browser
let service: Service
let issued: Issued

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
  issued = await service.issue({
    license: { customer_name: "Grace Hopper", expires_at: "2999-01-01T00:00:00Z" }
  })
})
afterAll(() => browser.close())

/** Whether a request asks who the token is, and of which environment. */
const isOfToken = (route: Route): boolean => /\/(whoami|environment)$/.test(route.request().url())

const opened = async (options: Parameters<typeof visit>[2] = {}): Promise<Visitor> => {
  const visitor = await visit(browser, service, options)
  onTestFinished(() => visitor.close())
  return visitor
}

/** What went wrong beside the answers that the test gave. */
const unexpected = ({ wrong }: Visitor) => wrong.filter((text) => !text.startsWith("Failed to load resource"))

const requestId = "req_of_the_test_0001"

/** An answer of the service's that refuses. */
const refusal = (status: number, code: ErrorCode, message: string) => ({
  status,
  contentType: "application/json",
  headers: { "x-request-id": requestId, ...(status === 503 ? { "retry-after": "7" } : {}) },
  body: JSON.stringify({
    error: { code, message, doc_url: `${service.url}/docs/errors/${code}` },
    meta: { request_id: requestId, timestamp: "2026-01-01T00:00:00.000Z" }
  })
})

const api = /\/api\/v1\//

/** The refusals that a list may meet, with what is told of each. */
const cases = () =>
  [
    [
      "503",
      (route: Route) => route.fulfill(refusal(503, "UNAVAILABLE", "The service has too much to do")),
      ["The service has too much to do", "The service is temporarily unavailable. Try again in 7 s.", requestId]
    ],
    [
      "500",
      (route: Route) => route.fulfill(refusal(500, "INTERNAL", "The service failed")),
      ["The service failed", "Send the request ID below to the operator", requestId]
    ],
    [
      "403",
      (route: Route) => route.fulfill(refusal(403, "TOKEN_SCOPE_DENIED", "The token lacks the scope")),
      ["The token lacks the scope", "Sign in with a token that has it", requestId]
    ],
    [
      "a page of a proxy",
      (route: Route) => route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad gateway</h1>" }),
      ["Try again"]
    ],
    ["no network", (route: Route) => route.abort("connectionrefused"), ["Cannot reach the service", "NETWORK_ERROR"]]
  ] as const

describe("a slow service", () => {
  it("is shown as what is still to come, then as what came", async () => {
    const visitor = await opened()
    const { page } = visitor
    for (
      const [path, text] of [
        ["/console/licenses", "Grace Hopper"],
        [`/console/licenses/${issued.license.id}`, "Effective policy"],
        ["/console/customers", "No customers yet"]
      ] as const
    ) {
      const held: Array<Route> = []
      let isHeld = true
      await page.route(api, async (route) => {
        if (!isHeld || isOfToken(route)) await route.continue()
        else held.push(route)
      })
      await page.goto(`${service.url}${path}`, { waitUntil: "load" })
      await page.getByRole("status", { name: "Loading" }).first().waitFor()
      await eventually("the page asks", () => held.length > 0)
      // The code of a page comes after the frame around it.
      await page.locator("h1").first().waitFor()
      assert.isAbove(await page.locator(".skeleton").count(), 0)
      assert.strictEqual(await page.getByRole("alert").count(), 0)
      // Nothing says yet that there is nothing.
      const before = await page.evaluate<string>("document.body.innerText")
      assert.notMatch(before, /No (customers|licenses|devices|endpoints|exports) yet|No matching|No activit/)
      const { headings, wider } = await visitor.look()
      assert.deepStrictEqual({ headings, wider }, { headings: 1, wider: 0 }, path)
      isHeld = false
      for (const route of held) await route.continue()
      await visitor.shows(text)
      await visitor.settle()
      await page.unroute(api)
    }
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("a failing service", () => {
  it("is told with what helps and with the request, and asked again", async () => {
    const visitor = await opened()
    const { page } = visitor
    for (const path of ["/console/licenses", `/console/licenses/${issued.license.id}`]) {
      for (const [what, answer, texts] of cases()) {
        await page.route(api, (route) => isOfToken(route) ? route.continue() : answer(route))
        await page.goto(`${service.url}${path}`, { waitUntil: "load" })
        await page.getByRole("alert").first().waitFor()
        const shown = await page.getByRole("alert").first().innerText()
        for (const text of texts) assert.include(shown, text, `${path}, ${what}`)
        assert.strictEqual(await page.locator("h1").count(), 1)
        assert.strictEqual(await page.locator(".skeleton").count(), 0, `${path}, ${what}: nothing more is to come`)
        await page.unroute(api)
        await page.getByRole("button", { name: "Try again" }).first().click()
        await visitor.shows("Grace Hopper")
        await eventually("no error is left", async () => await page.getByRole("alert").count() === 0)
      }
    }
    assert.deepStrictEqual(unexpected(visitor), [])
  })

  it("at the sign-in says so, and keeps the token that was typed", async () => {
    const visitor = await opened({ token: null })
    const { page } = visitor
    await page.route(/whoami/, (route) => route.abort("failed"))
    await page.getByLabel("Token").fill("csk_of-the-test")
    await page.getByRole("button", { name: "Sign in" }).click()
    await visitor.shows("Cannot reach the service")
    assert.strictEqual(await page.getByLabel("Token").inputValue(), "csk_of-the-test")
    await page.unroute(/whoami/)
    await page.getByRole("button", { name: "Sign in" }).click()
    await visitor.shows("UNAUTHENTICATED")
    assert.deepStrictEqual(unexpected(visitor), [])
  })

  it("leaves what was entered in a form, and does nothing twice when it is sent again", async () => {
    const visitor = await opened()
    const { page } = visitor
    await visitor.goto(`/console/licenses/${issued.license.id}`)
    await page.getByRole("button", { name: "Transfer", exact: true }).click()
    const name = page.getByLabel("New owner's name")
    await name.fill("Katherine Johnson")
    const dialog = page.getByRole("dialog")
    const send = dialog.getByRole("button", { name: "Transfer", exact: true })
    const keys: Array<string> = []
    // The service does it, and its answer is lost.
    await page.route(/\/transfer/, async (route) => {
      const request = route.request()
      const sent = request.headers()
      const headers = Object.fromEntries(
        ["authorization", "content-type", "idempotency-key"].map((header) => [header, sent[header] ?? ""])
      )
      keys.push(headers["idempotency-key"] ?? "")
      await fetch(request.url(), { method: "POST", headers, body: request.postData() ?? "" })
      await route.abort("failed")
    })
    await send.click()
    await visitor.shows("Cannot reach the service")
    assert.strictEqual(await name.inputValue(), "Katherine Johnson")
    assert.isAtLeast(keys.length, 1)
    await page.unroute(/\/transfer/)
    await send.click()
    await visitor.shows("Transferred to Katherine Johnson")
    assert.lengthOf([...new Set(keys)], 1)
    assert.strictEqual((await service.data("GET", `/api/v1/licenses/${issued.license.id}`)).times_transferred, 1)

    await dialog.getByRole("button", { name: "Close", exact: true }).click()
    await page.getByRole("button", { name: "Renew", exact: true }).click()
    await page.getByLabel("Days to add").fill("12345")
    await page.route(/\/renew/, (route) => route.fulfill(refusal(409, "CONFLICT", "Somebody else was quicker")))
    await dialog.getByRole("button", { name: "Renew", exact: true }).click()
    await visitor.shows("Somebody else was quicker")
    assert.strictEqual(await page.getByLabel("Days to add").inputValue(), "12345")
    assert.deepStrictEqual(unexpected(visitor), [])
  })
})

describe("a token that ends meanwhile", () => {
  it("leads to the sign-in with the reason, and back to the page", async () => {
    const { api_key, token }: Body = await service.data("POST", "/api/v1/api-keys", {
      name: "ends",
      scopes: ["license:read"]
    })
    const visitor = await opened({ token })
    const { page } = visitor
    const path = `/console/licenses/${issued.license.id}`
    await visitor.goto(path)
    await service.data("DELETE", `/api/v1/api-keys/${api_key.id}`)
    await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Licenses" }).click()
    await page.getByLabel("Token").waitFor()
    const why = await visitor.shows("You were signed out")
    assert.match(why, /revoked/i)
    // The tab keeps why it ended, and nothing else.
    assert.deepStrictEqual(await page.evaluate("Object.keys(sessionStorage)"), ["countersign.ended.live"])
    const other: Body = await service.data("POST", "/api/v1/api-keys", { name: "other", scopes: ["license:read"] })
    await page.getByLabel("Token").fill(other.token)
    await page.getByRole("button", { name: "Sign in" }).click()
    // Until then the page goes on with nothing.
    await page.getByRole("button", { name: "Continue", exact: true }).click()
    await page.getByRole("heading", { name: "Licenses", level: 1 }).waitFor()
    assert.deepStrictEqual(unexpected(visitor), [])
  })
})
