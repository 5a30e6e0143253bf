// A license is issued in the console: to a new customer, to one who is found, and again after an answer was lost.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { onTestFinished } from "vitest"
import { openBrowser } from "../fixtures/Browser.ts"
import type { Browser } from "../fixtures/Browser.ts"
import { makeProduct } from "../fixtures/Commerce.ts"
import { deskOrPhone, looks, visit } from "../fixtures/Console.ts"
import type { Visitor } from "../fixtures/Console.ts"
import type { Service } from "../fixtures/Service.ts"
import { adminToken, startService } from "../fixtures/Service.ts"
import type { Body } from "../fixtures/Session.ts"
import { eventually } from "../fixtures/Session.ts"
import { countHands, secondsOf } from "../fixtures/Walk.ts"

let browser: Browser
let service: Service

const path = "/console/licenses/new"

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
  const product = await makeProduct(service)
  await service.data("POST", `/api/v1/products/${product.id}/policies`, {
    name: "Team, yearly",
    code: "team-yearly",
    license_type: "subscription",
    duration: "P1Y",
    max_activations: 5
  })
})
afterAll(() => browser.close())

const opened = async (options: Parameters<typeof visit>[2] = {}): Promise<Visitor> => {
  const visitor = await visit(browser, service, options)
  onTestFinished(() => visitor.close())
  return visitor
}

const customerField = ({ page }: Visitor) => page.getByRole("combobox", { name: "Customer" })
const issueButton = ({ page }: Visitor) => page.getByRole("button", { name: "Issue license", exact: true })

const licensesOf = (email: string): Promise<Body> =>
  service.data("GET", `/api/v1/licenses?include_names=true&customer_email=${encodeURIComponent(email)}`)

describe.each(deskOrPhone("issuing"))("at the %s", (name, look) => {
  const email = `ada@${name}.example`

  it("a license is issued to a new customer in three clicks, and its key goes by one button alone", async () => {
    const visitor = await opened({ look, path: "/console/licenses" })
    const { page } = visitor
    await visitor.settle()
    const hands = await countHands(page)
    await page.getByRole("link", { name: "Issue license" }).click()
    await customerField(visitor).click()
    await page.keyboard.type(email)
    await page.getByRole("option", { name: `New customer “${email}”` }).waitFor()
    await page.keyboard.press("Enter")
    await eventually(
      "the address is there already, so the name has the focus",
      () => page.evaluate<boolean>("document.activeElement.required === true && document.activeElement.value === ''")
    )
    await page.keyboard.type("Ada Lovelace")
    await visitor.shows("Ada Lovelace gets 5 devices for 1 year.")
    assert.deepStrictEqual(await visitor.look(), { headings: 1, wider: 0, outside: [] })
    assert.deepStrictEqual(await visitor.axe(), [])
    await issueButton(visitor).click()
    const issuedBy = await hands()
    assert.deepStrictEqual(issuedBy, { clicks: 3, keys: email.length + "\nAda Lovelace".length })
    assert.isBelow(secondsOf(issuedBy, 3), 120, "somebody who never saw it issues a license within two minutes")
    const key = await page.getByLabel("License key", { exact: true }).innerText()
    assert.match(key, /^CS-/)
    await page.keyboard.press("Escape")
    await page.mouse.click(3, 3)
    await visitor.settle()
    assert.strictEqual(await page.getByLabel("License key", { exact: true }).innerText(), key)
    assert.deepStrictEqual(await visitor.axe(), [])
    await page.getByRole("button", { name: "Copy as mail" }).click()
    await page.getByRole("button", { name: "I saved it" }).click()
    await visitor.shows("License issued")
    assert.strictEqual(await customerField(visitor).inputValue(), "")
    const [license, ...more] = await licensesOf(email)
    assert.deepStrictEqual(more, [])
    assert.strictEqual(license.names.customer, "Ada Lovelace")
    assert.isTrue(key.endsWith(license.license_key_last4))
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("a customer who is known is found by the service, and gets what is entered for the license alone", async () => {
    const owner = `grace@${name}.example`
    await service.data("POST", "/api/v1/customers", {
      name: "<b>Grace</b>\u202e Hopper",
      code: `grace-${name}`,
      email: owner
    })
    const visitor = await opened({ look, path })
    const { page } = visitor
    await visitor.settle()
    await customerField(visitor).fill(owner.slice(0, 9))
    await page.getByRole("option").filter({ hasText: owner }).click()
    await page.getByText("Only for this license").click()
    await page.getByLabel("Device limit").fill("25")
    await page.getByLabel("Ends on").fill("2999-06-15")
    await page.getByLabel("Reference").fill("in_77")
    await visitor.shows(/gets 25 devices until 1[45] Jun 2999\./)
    assert.deepStrictEqual(await visitor.look(), { headings: 1, wider: 0, outside: [] })
    await issueButton(visitor).click()
    await page.getByRole("button", { name: "I saved it" }).click()
    const [license] = await licensesOf(owner)
    assert.deepInclude(license, { expires_at: "2999-06-15T00:00:00.000Z", metadata: { reference: "in_77" } })
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("an answer that is lost", () => {
  it("is asked for again by the same request, so that one license is issued", async () => {
    const visitor = await opened({ path })
    const { page } = visitor
    await visitor.settle()
    let isLost = true
    await page.route(/\/api\/v1\/licenses$/, async (route) => {
      if (!isLost || route.request().method() !== "POST") return route.continue()
      await route.fetch()
      await route.abort()
    })
    await customerField(visitor).fill("lost@answer.example")
    await page.getByRole("option", { name: "New customer" }).click()
    await page.getByLabel("Name").fill("Lost")
    await issueButton(visitor).click()
    await visitor.shows("Trying again is safe")
    isLost = false
    await page.getByRole("button", { name: "Try again", exact: true }).click()
    await page.getByRole("button", { name: "I saved it" }).click()
    assert.lengthOf(await licensesOf("lost@answer.example"), 1)
  })

  it("and what the service refuses stands at its field, with all that was typed", async () => {
    for (const code of ["twin-1", "twin-2"]) {
      await service.data("POST", "/api/v1/customers", { name: "Twin", code, email: "twin@several.example" })
    }
    const visitor = await opened({ path })
    const { page } = visitor
    await visitor.settle()
    await customerField(visitor).fill("twin@several.example")
    await page.getByRole("option", { name: "New customer" }).click()
    await page.getByLabel("Name").fill("Twin")
    await issueButton(visitor).click()
    await visitor.shows("Is of several customers: name one by customer_id.")
    assert.strictEqual(await page.getByLabel("Name").inputValue(), "Twin")
    assert.deepStrictEqual(await visitor.axe(), [])
  })
})

describe("what is entered", () => {
  it("is given back after a reload and a sign-in, and is gone once it is discarded or issued", async () => {
    const visitor = await opened({ path })
    const { page } = visitor
    await visitor.settle()
    await customerField(visitor).fill("mary@draft.example")
    await page.getByRole("option", { name: "New customer" }).click()
    await page.getByLabel("Name").fill("Mary")
    await page.getByText("Only for this license").click()
    await page.getByLabel("Device limit").fill("25")
    await visitor.shows("Mary gets 25 devices")
    // The session has ended when the page is loaded anew.
    const refusal = await (await fetch(`${service.url}/api/v1/whoami`)).text()
    await page.route(
      /\/whoami$/,
      (route) => route.fulfill({ status: 401, contentType: "application/json", body: refusal })
    )
    await page.reload()
    await visitor.shows("You were signed out")
    await page.unroute(/\/whoami$/)
    await visitor.signIn(adminToken)
    await visitor.shows("Mary gets 25 devices")
    assert.strictEqual(await page.getByLabel("Device limit").inputValue(), "25")
    await page.getByRole("link", { name: "Customers" }).first().click()
    await page.getByRole("dialog", { name: "Leave this page?" }).getByRole("button", { name: "Stay" }).click()
    await issueButton(visitor).click()
    await page.getByRole("button", { name: "I saved it" }).waitFor()
    await page.reload()
    await visitor.settle()
    assert.strictEqual(await customerField(visitor).inputValue(), "", "what is issued is not given back")
    assert.strictEqual(await page.getByRole("button", { name: /^Discard/ }).count(), 0)
    await page.getByText("Only for this license").click()
    await page.getByLabel("Reference").fill("in_78")
    await page.getByRole("button", { name: "Discard 1 change" }).click()
    assert.strictEqual(await page.getByLabel("Reference").inputValue(), "")
    assert.lengthOf(await licensesOf("mary@draft.example"), 1)
  })
})

describe("a token", () => {
  it.each([
    [["license:read", "product:read"], "Sign in with one that has license:write."],
    [["license:write", "product:read"], "Your token cannot see customers."]
  ])("with %s is told what it may not do", async (scopes, says) => {
    const { token } = await service.data("POST", "/api/v1/api-keys", { name: "of a test", scopes })
    const visitor = await opened({ path, token })
    await visitor.settle()
    await visitor.shows(says)
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe.each([
  ["Pacific/Kiritimati", "Pacific/Honolulu", "2031-01-14T10:00:00Z"],
  ["Pacific/Honolulu", "Pacific/Honolulu", "2031-01-15T10:00:00Z"]
])("a day that is entered in %s, by a browser in %s", (zone, timezoneId, instant) => {
  it("begins there, and is shown as the same day, also after it was saved again", async () => {
    const visitor = await opened({ path, look: { ...looks.desk, timezoneId } })
    const { page } = visitor
    // The time zone that the reader has chosen.
    await page.evaluate(`localStorage.setItem("countersign.zone", ${JSON.stringify(zone)})`)
    await visitor.goto(path)
    await page.getByText("Only for this license").click()
    await page.getByLabel("Ends on").fill("2031-01-15")
    await visitor.shows(`Start of the day, ${zone}`)
    await visitor.shows("until 15 Jan 2031")
    await issueButton(visitor).click()
    await page.getByRole("button", { name: "I saved it" }).click()
    await page.getByRole("link", { name: "Open the license" }).click()
    await page.getByRole("button", { name: "Renew", exact: true }).waitFor()
    const id = page.url().split("/").at(-1)!
    const expires = async () => Date.parse((await service.data("GET", `/api/v1/licenses/${id}`)).expires_at)
    assert.strictEqual(await expires(), Date.parse(instant))
    await visitor.shows("15 Jan 2031")
    for (let saved = 0; saved < 2; saved++) {
      await page.getByRole("button", { name: "Renew", exact: true }).click()
      const dialog = page.getByRole("dialog")
      await dialog.getByLabel("Or expires on").fill("2031-01-15")
      await dialog.getByRole("button", { name: "Renew", exact: true }).click()
      await dialog.getByText("Done", { exact: true }).waitFor()
      await dialog.getByRole("button", { name: "Close" }).click()
      assert.strictEqual(await expires(), Date.parse(instant))
    }
    assert.deepStrictEqual(visitor.wrong, [])
  })
})
