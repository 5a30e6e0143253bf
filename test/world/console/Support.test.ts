// The first minute of who supports customers, in a real browser against a real service: a customer writes that the app
// refuses.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { randomUUID } from "node:crypto"
import { promisify } from "node:util"
import { onTestFinished } from "vitest"
import { openBrowser } from "../../fixtures/Browser.ts"
import type { Browser, Page } from "../../fixtures/Browser.ts"
import { makeOrder } from "../../fixtures/Commerce.ts"
import { visit } from "../../fixtures/Console.ts"
import type { Visitor } from "../../fixtures/Console.ts"
import { seedVendor } from "../../fixtures/SeededVendor.ts"
import type { Issued, Service } from "../../fixtures/Service.ts"
import { refused, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

const execute = promisify(execFile)

const email = "ada@console.example"
const owner = "Ada King"

let browser: Browser
let service: Service
let issued: Issued
let device: Body
let order = ""
/** The request that the app shows, which was refused. */
let request = ""

/** A license of Ada's with a device, a use and a refusal. */
const issueToAda = async (): Promise<void> => {
  const { policy, product } = await service.issue({ policy: { max_activations: 2, grace_period_days: 7 } })
  order = (await makeOrder(service, product)).id
  const { license, license_key: key } = await service.data("POST", "/api/v1/licenses", {
    product_id: product.id,
    policy_id: policy.id,
    customer_name: owner,
    customer_email: email,
    order_id: order,
    expires_at: "2999-01-01T00:00:00Z"
  })
  issued = { product, policy, license, key }
  const feature = await service.data("POST", `/api/v1/products/${product.id}/features`, {
    name: "Render minutes",
    code: "render"
  })
  await service.data("POST", `/api/v1/licenses/${license.id}/features`, {
    feature_id: feature.id,
    max_consumptions: 10
  })
  const laptop = { fingerprint: "ada-laptop", hostname: "adas-laptop", os: "macOS 15" }
  const activated = await service.license("activate", key, laptop)
  assert.strictEqual(activated.status, 200, activated.text)
  const used = { fingerprint: "ada-laptop", feature_code: "render", amount: 3, event_id: randomUUID() }
  assert.strictEqual((await service.license("consume", key, used)).status, 200)
  const refusal = await service.license("validate", key, { fingerprint: "a-stranger" })
  refused(refusal, 404, "DEVICE_NOT_ACTIVATED")
  request = refusal.body.meta.request_id
  ;[device] = await service.data("GET", `/api/v1/licenses/${license.id}/devices`)
}

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
  await seedVendor(service, 60, "console")
  await issueToAda()
})
afterAll(() => browser.close())

const opened = async (options: Parameters<typeof visit>[2] = {}): Promise<Visitor> => {
  const visitor = await visit(browser, service, options)
  onTestFinished(() => visitor.close())
  return visitor
}

const search = (page: Page) => page.getByRole("combobox", { name: "Search" })

/** The name by which the element with the focus is called. */
const focused = (page: Page) =>
  page.evaluate<string>("document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent")

/** An API key of its own, with these scopes. */
const tokenWith = async (scopes: ReadonlyArray<string>): Promise<string> =>
  (await service.data("POST", "/api/v1/api-keys", { name: "console test", scopes })).token

/** The button of a dialog that does what it asks for. */
const confirm = (page: Page, name: string) => page.getByRole("dialog").getByRole("button", { name, exact: true })

const statusOf = async (id: string): Promise<string> => (await service.data("GET", `/api/v1/licenses/${id}`)).status

describe("a license", () => {
  it("is found by whatever the customer has written, and no address ever has its key", async () => {
    const visitor = await opened()
    const { page } = visitor
    const { key, license } = issued
    const known = {
      "e-mail": email,
      "begin of the e-mail, written otherwise": "ADA@Cons",
      name: owner,
      "begin of the name": "ada k",
      key,
      "key as it was typed": key.toLowerCase(),
      "key with the dashes of a word processor": key.replaceAll("-", "–"),
      "key with spaces, and one that no eye sees": ` ${key.replaceAll("-", " ")}\u200b`,
      "key in what was written": `Hello, my key is „${key}“. It does not work.`,
      "key over two lines": key.replace(/-(?=[^-]+$)/, "-\n"),
      "last four of the key": license.license_key_last4,
      id: license.id,
      "id of the device": device.id,
      fingerprint: "ada-laptop",
      order,
      "request that was refused": request
    }
    for (const [what, text] of Object.entries(known)) {
      await page.keyboard.press("/")
      assert.strictEqual(await focused(page), "Search", what)
      await search(page).fill(text)
      await page.getByRole("option").filter({ hasText: email }).first().waitFor()
      await search(page).fill("")
      await page.keyboard.press("Escape")
      assert.notStrictEqual(await focused(page), "Search", what)
    }
    // Who is quicker than the answer waits for it, and for no other.
    await search(page).fill(key)
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: owner, level: 1 }).waitFor()
    await visitor.settle()
    assert.strictEqual(page.url(), `${service.url}/console/test/licenses/${license.id}`)
    // What is mistyped finds nothing, and is in no address either; nor is what may be another system's.
    const foreign = "3F2504E0-4F89-11D3-9A0C-0305E82C3301"
    for (const text of [key.slice(0, -1), `${key}X`, key.replace(/^CST-/, ""), foreign, foreign.toLowerCase()]) {
      await search(page).fill(text)
      await visitor.shows("No results")
    }
    await search(page).fill(`${key.slice(0, -1)}${key.endsWith("Q") ? "R" : "Q"}`)
    await visitor.shows("No results. The license key is mistyped")
    await search(page).fill("")
    // Nor is it in the address of the list, which can be narrowed by what is typed.
    await visitor.goto("/console/licenses")
    for (const text of [key, key.replaceAll("-", "—"), key.slice(0, 20), foreign]) {
      await page.getByLabel("Owner, ID or key ending").fill(text)
      await visitor.shows("Search for license keys in the box at the top")
      await visitor.settle()
      assert.strictEqual(page.url(), `${service.url}/console/test/licenses`)
    }
    await visitor.goto("/console/reports/license-audit")
    await page.getByLabel("Which license?").fill(key)
    await page.locator("table").getByText(license.license_key_last4).waitFor()
    const middle = key.slice(4, 18)
    const addresses = visitor.requests.map(({ url }) => url)
    assert.isAbove(addresses.length, 20)
    for (const address of [...addresses, page.url()]) {
      assert.notInclude(decodeURIComponent(address).toUpperCase(), middle, address)
      assert.notInclude(decodeURIComponent(address).toUpperCase(), foreign, address)
      assert.notInclude(address, service.token)
    }
    assert.isTrue(visitor.requests.some(({ body }) => body?.includes(key)), "the key was sent in a body")
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("is opened with the keyboard alone, from the search and from the list", async () => {
    const visitor = await opened()
    const { page } = visitor
    const { keyboard } = page
    await keyboard.press("/")
    await keyboard.type(email)
    await page.getByRole("option").filter({ hasText: email }).first().waitFor()
    // The last option is there once the answer is that of the whole text.
    await page.getByRole("option", { name: "All matching licenses" }).waitFor()
    // A fast hand presses several keys before the first is painted.
    await page.evaluate(`for (const key of ["ArrowDown", "ArrowUp"]) {
      document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }))
    }`)
    await page.locator("[role=combobox][aria-activedescendant$='-0']").waitFor()
    await keyboard.press("Enter")
    await page.getByRole("heading", { name: owner, level: 1 }).waitFor()
    await visitor.goto("/console/licenses")
    const first = await page.locator("table a.lead").first().getAttribute("href")
    const second = await page.locator("table a.lead").nth(1).getAttribute("href")
    const at = () => page.evaluate<string | null>("document.activeElement?.getAttribute('href')")
    // From the address of the page: a person presses Tab until the list has it.
    for (let presses = 0; await at() !== first; presses++) {
      assert.isBelow(presses, 40, "Tab leads into the list")
      await keyboard.press("Tab")
    }
    await keyboard.press("ArrowDown")
    assert.strictEqual(await at(), second)
    await keyboard.press("ArrowUp")
    assert.strictEqual(await at(), first)
    await keyboard.press("End")
    await keyboard.press("Home")
    assert.strictEqual(await at(), first)
    await keyboard.press("Enter")
    await eventually("the first license is opened", () => page.url() === `${service.url}${first}`)
    await visitor.settle()
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("says its state and why, who has its seats, what is used of how much, and what happened", async () => {
    const visitor = await opened()
    const { page } = visitor
    await visitor.goto(`/console/licenses/${issued.license.id}`)
    assert.strictEqual(await page.title(), `[test] ${owner} · Countersign`)
    const all = await visitor.shows("Allowed: validate succeeds now")
    for (const text of [owner, email, order, "adas-laptop", "macOS 15", "1 of 2 seats in use", "3 of 10 used"]) {
      assert.include(all, text)
    }
    assert.include(all, "issued a license")
    assert.include(all, "activated a device")
    assert.match(all, /The app\s+was refused: Validation\s+DEVICE_NOT_ACTIVATED/)
    assert.include(all, request)
    await page.getByRole("meter", { name: "Seats in use" }).waitFor()
    await page.getByRole("figure", { name: /Render minutes per day/ }).waitFor()

    // The app on a machine that was never activated.
    await page.getByLabel("Device", { exact: true }).selectOption({ label: "Other…" })
    await page.getByLabel("Fingerprint").fill("a-stranger")
    const why = await visitor.shows("Refused: validate fails now")
    assert.include(why, "DEVICE_NOT_ACTIVATED")
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("is suspended and reinstated after it was asked once, and the curl that is shown does the same", async () => {
    const { license } = await service.issue({ license: { customer_name: "Suspended" } })
    const visitor = await opened()
    const { page } = visitor
    await visitor.goto(`/console/licenses/${license.id}`)
    await page.getByRole("button", { name: "Suspend", exact: true }).click()
    await visitor.shows("The app stops at its next check-in")
    assert.strictEqual(await statusOf(license.id), "active")
    await confirm(page, "Cancel").click()
    assert.strictEqual(await statusOf(license.id), "active")
    await page.getByRole("button", { name: "Suspend", exact: true }).click()
    await confirm(page, "Suspend").click()
    await visitor.shows("License suspended.")
    assert.strictEqual(await statusOf(license.id), "suspended")

    await page.getByText("Show as curl").click()
    const command = await page.getByLabel("curl command").innerText()
    assert.notInclude(command, service.token)
    const { stdout } = await execute("bash", ["-c", `${command} -s -w '\\n%{http_code}'`], {
      env: { PATH: process.env["PATH"], COUNTERSIGN_TOKEN: service.token }
    })
    const [body = "", code] = stdout.trim().split("\n")
    assert.strictEqual(code, "200", stdout)
    assert.strictEqual(JSON.parse(body).data.status, "suspended")

    await confirm(page, "Close").click()
    const refusal = await visitor.shows("Refused: validate fails now")
    assert.include(refusal, "LICENSE_INACTIVE")
    await page.getByRole("button", { name: "Reinstate", exact: true }).click()
    await confirm(page, "Reinstate").click()
    await visitor.shows("License reinstated.")
    assert.strictEqual(await statusOf(license.id), "active")
    await confirm(page, "Close").click()
    const story = await visitor.shows("reinstated a license")
    assert.include(story, "suspended a license")
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("is renewed from its end or from now, with the end of either before it is done", async () => {
    const day = 86_400_000
    const { license } = await service.issue({
      policy: { grace_period_days: 30 },
      license: { customer_name: "Late", expires_at: new Date(Date.now() - 10 * day).toISOString() }
    })
    const visitor = await opened()
    const { page } = visitor
    await visitor.goto(`/console/licenses/${license.id}`)
    await page.getByRole("button", { name: "Renew", exact: true }).click()
    const counted = page.getByLabel("Count from")
    // Where it is over, from now, as the service does it.
    assert.strictEqual(await counted.inputValue(), "now")
    await page.getByLabel("Days to add").fill("3")
    await counted.selectOption("expiry")
    await visitor.shows("The license would still be expired after 3 days.")
    assert.isFalse(await confirm(page, "Renew").isEnabled())
    await page.getByLabel("Days to add").fill("30")
    await visitor.shows("The days since it expired are included.")
    const [fromEnd, fromNow] = await counted.locator("option").allInnerTexts()
    assert.match(fromEnd!, /^expiration, .*\d{4}: until about .*\d{4}$/)
    assert.match(fromNow!, /^now: until about .*\d{4}$/)
    await confirm(page, "Renew").click()
    await visitor.shows("Renewed.")
    const { expires_at } = await service.data("GET", `/api/v1/licenses/${license.id}`)
    assert.strictEqual(Date.parse(expires_at), Date.parse(license.expires_at) + 30 * day)
    await confirm(page, "Close").click()
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("is revoked only by who has typed the end of its key", async () => {
    const { license } = await service.issue({ license: { customer_name: "Revoked" } })
    const visitor = await opened()
    const { page } = visitor
    await visitor.goto(`/console/licenses/${license.id}`)
    await page.getByRole("button", { name: "Revoke", exact: true }).click()
    const button = confirm(page, "Revoke")
    assert.isFalse(await button.isEnabled())
    const field = page.getByLabel(`Type ${license.license_key_last4} to confirm`)
    await field.fill("something else")
    await page.keyboard.press("Enter")
    assert.isFalse(await button.isEnabled())
    assert.strictEqual(await statusOf(license.id), "active")
    await field.fill(license.license_key_last4)
    await button.click()
    await visitor.shows("License revoked.")
    assert.strictEqual(await statusOf(license.id), "revoked")
    await visitor.settle()
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "hidden" })
    await visitor.settle()
    assert.strictEqual(await page.getByRole("button", { name: "Suspend", exact: true }).count(), 0)
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("a token that may read", () => {
  it("sees no button that would be refused, no page that it may not see, and asks for nothing else", async () => {
    const visitor = await opened({ token: await tokenWith(["license:read", "report:read"]) })
    const { page } = visitor
    const places = await page.getByRole("navigation", { name: "Console" }).getByRole("link").allInnerTexts()
    assert.deepStrictEqual(places.map((place) => place.trim()), ["Start", "Licenses", "Activity", "Reports"])
    await visitor.goto(`/console/licenses/${issued.license.id}`)
    await visitor.shows("was refused: Validation")
    const buttons = await page.locator("main").getByRole("button").allInnerTexts()
    for (
      const name of ["Renew", "Suspend", "Reinstate", "Revoke", "Transfer", "Rotate key", "Reset", "Block", "Release"]
    ) {
      assert.notInclude(buttons, name)
    }
    assert.strictEqual(await page.locator("a[href*='/customers']").count(), 0)
    // Whoever may see no activities sees no story, and is not told that something failed.
    const reader = await opened({ token: await tokenWith(["license:read"]) })
    await reader.goto(`/console/licenses/${issued.license.id}`)
    assert.notInclude(await reader.shows("Effective policy"), "Activity")
    // No request was refused: the browser would have said so.
    assert.deepStrictEqual([...visitor.wrong, ...reader.wrong], [])
  })

  it("for programs is told what the console needs", async () => {
    const visitor = await opened({ token: await tokenWith(["event:read"]) })
    await visitor.shows("This token has no access to the console")
  })
})

describe("the floating seats of a license", () => {
  it("name the process of each, where each process has its own", async () => {
    const { key, license } = await service.issue({ policy: { max_floating_users: 3, lease_unit: "process" } })
    for (const process_id of ["main-window", "export-worker"]) {
      const taken = await service.license("floating/checkout", key, { fingerprint: "a", process_id })
      assert.strictEqual(taken.status, 200, taken.text)
    }
    const visitor = await opened()
    await visitor.goto(`/console/licenses/${license.id}`)
    assert.include(await visitor.shows("Process main-window"), "Process export-worker")
    assert.deepStrictEqual(visitor.wrong, [])
  })
})
