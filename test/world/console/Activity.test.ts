// Who did what to which license, and why: in a real browser against a real service.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { onTestFinished } from "vitest"
import { openBrowser } from "../../fixtures/Browser.ts"
import type { Browser } from "../../fixtures/Browser.ts"
import { confirm, oneLook, visit } from "../../fixtures/Console.ts"
import type { Visitor } from "../../fixtures/Console.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Service } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"
import { countHands, secondsOf } from "../../fixtures/Walk.ts"

takeTurns()

let browser: Browser
let service: Service
let license: Body
let jun: Body

const act = (path: string, body: object, method = "POST"): Promise<Body> =>
  service.data(method, `/api/v1/${path}`, body, { headers: { "idempotency-key": randomUUID() } })

const own = { "sec-fetch-site": "same-origin" }

/** Jun signs in, and suspends the license. */
const suspendAsJun = async () => {
  jun = await act("people", { name: "Jun Sato", roles: ["support"] })
  const { invitation } = await act(`people/${jun.id}/invite`, {})
  const opened = await service.call("POST", "/api/v1/sign-in", { token: null, headers: own, body: { invitation } })
  const cookie = String(opened.headers["set-cookie"]).split(";")[0]!
  const suspended = await service.call("POST", `/api/v1/licenses/${license.id}/suspend`, {
    token: null,
    headers: { ...own, cookie },
    body: { reason: "Chargeback in_77" }
  })
  assert.strictEqual(suspended.status, 200, suspended.text)
}

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
  const customer = await act("customers", { name: "Ada Lovelace", code: randomUUID() })
  license = (await service.issue({ policy: { name: "Team" }, license: { customer_id: customer.id } })).license
  await suspendAsJun()
})
afterAll(() => browser.close())

const opened = async (options: Parameters<typeof visit>[2] = {}): Promise<Visitor> => {
  const visitor = await visit(browser, service, options)
  onTestFinished(() => visitor.close())
  return visitor
}

const tokenWith = async (scopes: ReadonlyArray<string>): Promise<string> =>
  (await service.data("POST", "/api/v1/api-keys", { name: "console test", scopes })).token

const activitiesPath = /\/api\/v1\/activities/

const whole = { headings: 1, wider: 0, outside: [] }

describe.each(oneLook("the activity"))("the activity (%s)", (_name, look) => {
  it("says who did what, to whom and why, by names, and what changed then", async () => {
    const visitor = await opened({ look, path: "/console/activity" })
    const { page } = visitor
    const text = await visitor.shows("Chargeback in_77")
    assert.match(text, /Jun Sato\s+\(support\)\s+suspended a license\s+Ada Lovelace · Team/)
    assert.notInclude(text, jun.id)
    assert.deepStrictEqual(await visitor.look(), whole)
    assert.deepStrictEqual(await visitor.axe(), [])
    await page.getByRole("link", { name: /Jun Sato suspended a license/ }).click()
    await visitor.settle()
    const entry = await visitor.shows("License as it was then")
    assert.match(entry, /Status\s+active\s+suspended/)
    // Times are the reader's, and the customer has a name; the JSON, which is folded, has both as they are.
    assert.match(entry, /Customer\s+Ada Lovelace/)
    assert.notMatch(entry, /\d{4}-\d\d-\d\dT|Customer id/i)
    assert.deepStrictEqual(await visitor.look(), whole)
    assert.deepStrictEqual(await visitor.axe(), [])
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("who suspended a license, and why", () => {
  it("is answered by nine keys and no click", async () => {
    const visitor = await opened()
    const { page } = visitor
    const hands = await countHands(page)
    // "/", seven letters of the name, and Enter.
    await page.keyboard.press("/")
    await page.keyboard.type("ada lov")
    await page.getByRole("option").filter({ hasText: "Ada Lovelace" }).first().waitFor()
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Ada Lovelace", level: 1 }).waitFor()
    const text = await visitor.shows("Chargeback in_77")
    assert.match(text, /Jun Sato\s+\(support\)\s+suspended a license/)
    const walked = await hands()
    assert.deepStrictEqual(walked, { clicks: 0, keys: 9 })
    assert.isBelow(secondsOf(walked, 3), 120, "somebody who never saw it finds out within two minutes")
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("the filters", () => {
  it("stand in the address, with days in a time zone, and Back takes them away", async () => {
    const visitor = await opened({ path: "/console/activity" })
    const { page } = visitor
    await page.getByLabel("By", { exact: true }).selectOption({ label: "People" })
    await visitor.settle()
    assert.include(page.url(), "who=person")
    assert.notInclude(await visitor.shows("suspended a license"), "issued a license")
    await page.getByLabel("Action").selectOption({ label: "Signed in" })
    await visitor.settle()
    assert.notInclude(await visitor.shows("signed in"), "suspended a license")
    await page.goBack()
    await visitor.shows("suspended a license")
    await page.getByLabel("To", { exact: true }).fill("2020-01-01")
    await visitor.shows("No matching activity")
    await visitor.shows("Refused requests are kept for 90 days.")
    assert.match(page.url(), /last=2020-01-01&zone=/)
    await visitor.goto(`/console/activity?by=${jun.id}&on=${license.id}`)
    assert.include(await visitor.shows("suspended a license"), "By\nJun Sato")
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("hold for the file, too", async () => {
    const visitor = await opened({ path: `/console/activity?on=${license.id}` })
    const download = visitor.page.waitForEvent("download")
    await visitor.page.getByRole("button", { name: "Download CSV" }).click()
    const file = readFileSync(await (await download).path(), "utf8")
    const lines = file.trim().split("\r\n")
    assert.lengthOf(lines, 3)
    assert.include(file, "Jun Sato")
    assert.include(file, "Chargeback in_77")
  })
})

describe("what is done meanwhile", () => {
  it("is announced above the list, and moves nothing until it is asked for", async () => {
    const visitor = await opened({ path: "/console/activity" })
    const { page } = visitor
    await visitor.shows("suspended a license")
    const first = await page.locator("ol.timeline > li").first().innerText()
    await act("products", { name: "Meanwhile", code: randomUUID() })
    await page.getByRole("button", { name: "1 new entry" }).waitFor()
    assert.strictEqual(await page.locator("ol.timeline > li").first().innerText(), first)
    await page.getByRole("button", { name: "1 new entry" }).click()
    await visitor.shows("Meanwhile")
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("on the page of a license can be undone by whoever did it just now", async () => {
    const { license: other } = await service.issue({ license: { customer_name: "Undone" } })
    const visitor = await opened({ path: `/console/licenses/${other.id}` })
    const { page } = visitor
    await visitor.shows("issued a license")
    assert.strictEqual(await page.getByRole("button", { name: "Undo" }).count(), 0)
    await page.getByRole("button", { name: "Suspend", exact: true }).click()
    await confirm(visitor, "Suspend")
    await page.getByRole("button", { name: "Undo" }).click()
    await confirm(visitor, "Undo")
    await visitor.shows("reinstated a license")
    assert.strictEqual((await service.data("GET", `/api/v1/licenses/${other.id}`)).status, "active")
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("the page", () => {
  it("is not in the navigation of a token without report:read, and says so at its address", async () => {
    const visitor = await opened({ token: await tokenWith(["license:read"]), path: "/console/activity" })
    await visitor.shows("Your token does not have the required scope.")
    const places = await visitor.page.getByRole("navigation", { name: "Console" }).getByRole("link").allInnerTexts()
    assert.notInclude(places.map((place) => place.trim()), "Activity")
  })

  it("of an entry that nobody knows says so", async () => {
    const visitor = await opened({ path: "/console/activity/act_06eqpx1trxz3h94vqjm3a6kz7c" })
    await visitor.shows("No activity has this id.")
  })

  it("keeps the entries when they cannot be read again, and offers to try", async () => {
    const visitor = await opened({ path: "/console/activity" })
    const { page } = visitor
    await visitor.shows("suspended a license")
    await page.route(activitiesPath, (route) => route.abort())
    await page.getByLabel("By", { exact: true }).selectOption({ label: "Apps" })
    await visitor.shows("Cannot reach the service.")
    await page.unroute(activitiesPath)
    await page.getByRole("button", { name: "Try again" }).click()
    await visitor.shows("No matching activity")
  })
})
