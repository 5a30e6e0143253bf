// The first hour of a vendor who sells by Stripe, in a real browser against a real service: connect, see what waits, map
// it, and read what became of it.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { onTestFinished } from "vitest"
import { axeFindings } from "../../fixtures/Axe.ts"
import { openBrowser } from "../../fixtures/Browser.ts"
import type { Browser } from "../../fixtures/Browser.ts"
import { confirm, looks, oneLook, visit } from "../../fixtures/Console.ts"
import type { Visitor } from "../../fixtures/Console.ts"
import { apiKeys, providerApis } from "../../fixtures/ProviderApis.ts"
import { stand } from "../../fixtures/ProviderObjects.ts"
import type { Service } from "../../fixtures/Service.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"
import { openShop, sellWhatFails, signed, sold } from "../../fixtures/StripeShop.ts"
import { testDatabaseOf, testToken } from "../../fixtures/TestEnvironment.ts"

takeTurns()

let browser: Browser
let service: Service
let shop: Awaited<ReturnType<typeof openShop>>

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService({ environment: { COUNTERSIGN_PORTAL: "on" } }), openBrowser()])
  shop = await openShop(service)
})
afterAll(() => browser.close())

const opened = async (options: Parameters<typeof visit>[2] = {}): Promise<Visitor> => {
  const visitor = await visit(browser, service, options)
  onTestFinished(() => visitor.close())
  return visitor
}

const tokenWith = async (...scopes: ReadonlyArray<string>): Promise<string> =>
  (await service.data("POST", "/api/v1/api-keys", { name: scopes.join(" "), scopes })).token

const bar = ({ page }: Visitor) => page.getByRole("navigation", { name: "Console" })

/** Sends what the dashboard of Stripe sends as a test, to the URL that the console shows. */
const sendTestEvent = async (to: Service, url: string, secret: string, livemode: boolean): Promise<void> => {
  const body = JSON.stringify({
    id: "evt_test",
    object: "event",
    api_version: "2026-10-28.endive",
    created: Math.floor(Date.now() / 1000),
    livemode,
    type: "plan.created",
    data: { object: { id: "plan_1", object: "plan" } }
  })
  const sent = await to.call("POST", new URL(url).pathname, {
    token: null,
    raw: body,
    headers: { "stripe-signature": signed(secret, body) }
  })
  assert.strictEqual(sent.status, 200, sent.text)
}

describe("a vendor without purchases", () => {
  it("connects a provider in steps, each of which reads what is there", async () => {
    const empty = await startService()
    const visitor = await visit(browser, empty, { path: "/console/purchases" })
    onTestFinished(() => visitor.close())
    const { page } = visitor
    await visitor.shows("No purchases yet")
    assert.deepStrictEqual(await visitor.axe(), [])
    await page.getByRole("button", { name: "Connect a provider" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Payment provider").selectOption("stripe")
    await dialog.getByRole("button", { name: "Connect a provider" }).click()
    await dialog.getByRole("link", { name: "the webhook URL and its secret" }).click()
    await visitor.shows("Connect Stripe")
    const [connection] = await empty.data("GET", "/api/v1/billing/connections")
    const url = await page.getByLabel("Webhook URL").innerText()
    assert.strictEqual(url, empty.url + connection.events_path)
    const all = await visitor.shows("secret missing")
    assert.include(all, "Events of a one-time checkout name no price.")
    assert.include(all, "No price is mapped yet")

    const secret = "whsec_of_the_console_test"
    await page.getByRole("button", { name: "Enter secret" }).click()
    await dialog.getByLabel("Secret").fill(secret)
    await confirm(visitor, "Enter secret")
    await visitor.shows("Waiting for the first event")
    await sendTestEvent(empty, url, secret, true)
    await visitor.shows("Received, signature valid")

    await page.getByRole("button", { name: "Rotate secret" }).click()
    await dialog.getByLabel("Secret").fill("whsec_another_one")
    await dialog.getByLabel("Overlap (hours)").fill("169")
    await dialog.getByText(/0 to 168/).waitFor()
    assert.isFalse(await dialog.getByRole("button", { name: "Rotate secret" }).isEnabled())
    await dialog.getByLabel("Overlap (hours)").fill("1")
    await confirm(visitor, "Rotate secret")
    await page.getByRole("button", { name: "Change rules" }).click()
    await dialog.getByLabel("After a partial refund").selectOption("end")
    await confirm(visitor, "Change rules")
    await page.getByRole("button", { name: "Enter API key" }).click()
    await dialog.getByLabel("API key").fill("rk_test_reads_only")
    await dialog.getByRole("button", { name: "Enter API key" }).click()
    await dialog.getByRole("alert").getByText(/^Must not be a key of the provider's test mode: this is the live/)
      .waitFor()
    assert.strictEqual(await dialog.getByLabel("API key").getAttribute("aria-invalid"), "true")
    assert.deepStrictEqual(await visitor.axe(), [])
    await dialog.getByLabel("API key").fill("rk_live_reads_only")
    await confirm(visitor, "Enter API key")
    const [changed] = await empty.data("GET", "/api/v1/billing/connections")
    assert.deepInclude(changed, { has_secret: true, has_api_key: true })
    assert.strictEqual(changed.mapping.partial_refund, "end")
    assert.deepStrictEqual(await visitor.axe(), [])
    assert.deepStrictEqual(visitor.wrong.filter((text) => !text.includes("422")), [])
  })

  it("is given a URL of the test environment there, which takes events of test", async () => {
    testDatabaseOf(service)
    const secret = "whsec_of_the_test_environment"
    const body = { provider: "stripe", name: "Stripe, test mode", secret }
    const made = await service.data("POST", "/api/v1/billing/connections", body, { token: testToken })
    const visitor = await opened({ token: testToken })
    await visitor.goto(`/console/test/purchases/connections/${made.id}`)
    const url = await visitor.page.getByLabel("Webhook URL").innerText()
    assert.strictEqual(url, service.url + made.events_path)
    await sendTestEvent(service, url, secret, false)
    await visitor.shows("Received, signature valid")
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("a purchase of a price that is not mapped", () => {
  it("waits on top, is mapped with its outcome said before, and tells its story", async () => {
    const ada = sold({ price: "price_new", quantity: 5 })
    await shop.sendAll(ada.bought)
    await shop.purchase(ada, ({ payer, status }) => status === "waiting" && payer.name !== undefined)
    const visitor = await opened({ path: "/console/purchases" })
    const { page } = visitor
    await visitor.shows(/1 purchase waits: price_new Pro, monthly is not mapped/)
    await bar(visitor).getByRole("link", { name: /Purchases.*1 needs attention/ }).waitFor()
    assert.deepStrictEqual(await visitor.axe(), [])

    await page.getByRole("button", { name: "Map it" }).click()
    const dialog = page.getByRole("dialog")
    const policy = dialog.getByLabel("Policy")
    await policy.selectOption({ label: "Pro (subscription)" })
    await dialog.getByLabel("Quantity sets").selectOption("seats")
    await visitor.shows("1 waiting purchase becomes 1 license")
    await visitor.shows("Ada Lovelace (5 devices)")
    assert.deepStrictEqual(await visitor.axe(), [])
    assert.include(await confirm(visitor, "Map it"), "become licenses within a second")
    const license = await shop.license(ada)
    assert.deepInclude(license.overrides, { max_activations: 5 })

    const done = await shop.purchase(ada)
    // A change that came before is late, and is told so.
    await shop.send(ada.event("customer.subscription.updated", 120, { item: { quantity: 8 } }))
    await shop.license(ada, ({ overrides }) => overrides.max_activations === 8)
    await shop.send(ada.event("customer.subscription.updated", 60, { item: { quantity: 2 } }))
    await visitor.goto(`/console/purchases?q=${ada.id}`)
    await page.getByRole("table", { name: "Purchases" }).getByRole("link").first().click()
    await visitor.shows("Arrived late: newer events came first")
    const all = await visitor.shows("License issued")
    assert.match(all, /Stripe said\s+Countersign did/)
    const link = page.getByRole("link", { name: ada.id })
    assert.strictEqual(await link.getAttribute("href"), `https://dashboard.stripe.com/subscriptions/${ada.id}`)
    assert.deepStrictEqual(await visitor.axe(), [])

    await page.getByRole("table", { name: "Licenses" }).getByRole("link").first().click()
    await page.getByRole("heading", { level: 1, name: /Ada Lovelace/ }).waitFor()
    await page.locator(`a[href="/console/purchases/${done.id}"]`).click()
    await visitor.shows("Details")
    assert.isTrue(page.url().endsWith(`/console/purchases/${done.id}`))
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("the units that a price gives", () => {
  it("are added, changed and removed on the page of the connection", async () => {
    const path = `/api/v1/billing/connections/${shop.connection.id}`
    const mapping = async (): Promise<Body> => (await service.data("GET", path)).mapping
    const before = await mapping()
    const feature = await service.data("POST", `/api/v1/products/${shop.product.id}/features`, {
      name: "Exports",
      code: "export"
    })
    const visitor = await opened({ path: `/console/purchases/connections/${shop.connection.id}` })
    const { page } = visitor
    await page.getByRole("button", { name: "Add units" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("ID", { exact: true }).fill("price_pack")
    await dialog.getByLabel("Product", { exact: true }).selectOption(shop.product.id)
    await dialog.getByLabel("Feature").selectOption(feature.id)
    await dialog.getByLabel("Units", { exact: true }).fill("500")
    await dialog.getByLabel("End", { exact: true }).selectOption("after")
    assert.deepStrictEqual(await visitor.axe(), [])
    await confirm(visitor, "Add units")
    const { units: [{ since, ...added }], ...others } = await mapping()
    assert.deepStrictEqual(others, before)
    assert.deepStrictEqual(added, {
      by: "price",
      value: "price_pack",
      feature_id: feature.id,
      amount: 500,
      to: "license",
      expires_after: "P1Y"
    })
    const table = page.getByRole("table", { name: "Units that are sold" })
    await table.getByText("1 year after the payment").waitFor()
    await table.getByRole("button", { name: "Change" }).click()
    await dialog.getByLabel("Units", { exact: true }).fill("700")
    await dialog.getByLabel("End", { exact: true }).selectOption("period")
    await confirm(visitor, "Change")
    const { expires_after: _, ...kept } = added
    assert.deepStrictEqual((await mapping()).units, [{ ...kept, amount: 700, ends_with_period: true, since }])
    await table.getByText("with the period").waitFor()
    assert.deepStrictEqual(await visitor.axe(), [])
    await table.getByRole("button", { name: "Remove" }).click()
    await confirm(visitor, "Remove")
    assert.deepStrictEqual(await mapping(), before)
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("a purchase that failed", () => {
  it("says why, and is tried again", async () => {
    const { buy, failed, mend } = await sellWhatFails(service, shop)
    const visitor = await opened({ path: "/console/purchases?status=failed" })
    const { page } = visitor
    const all = await visitor.shows("Needs attention")
    assert.include(all, failed.failure.message)
    await mend()
    await page.getByRole("button", { name: "Try again" }).first().click()
    await confirm(visitor, "Try again")
    await shop.license(buy, ({ status }) => status === "active")
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("a person who may not change purchases", () => {
  it("sees them, and no button that would", async () => {
    const token = await tokenWith("product:read", "report:read")
    const visitor = await opened({ token, path: "/console/purchases" })
    const { page } = visitor
    await page.getByRole("table", { name: "Connections" }).waitFor()
    for (const name of ["Connect a provider", "Map it", "Try again"]) {
      assert.strictEqual(await page.getByRole("button", { name }).count(), 0, name)
    }
    await visitor.goto(`/console/purchases/connections/${shop.connection.id}`)
    for (
      const name of ["Rotate secret", "Enter API key", "Add a price", "Add units", "Remove", "Change rules", "Delete"]
    ) {
      assert.strictEqual(await page.getByRole("button", { name }).count(), 0, name)
    }
    const other = await opened({ token: await tokenWith("license:read") })
    assert.strictEqual(await bar(other).getByRole("link", { name: /Purchases/ }).count(), 0)
    assert.isFalse(other.requests.some(({ url }) => url.includes("/billing/")))
    assert.deepStrictEqual([...visitor.wrong, ...other.wrong], [])
  })

  it("is not shown them with a token that is limited to products, which the service refuses", async () => {
    const { token } = await service.data("POST", "/api/v1/api-keys", {
      name: "One product",
      scopes: ["product:read", "license:read"],
      product_ids: [shop.product.id]
    })
    const visitor = await opened({ token })
    assert.strictEqual(await bar(visitor).getByRole("link", { name: /Purchases/ }).count(), 0)
    assert.isFalse(visitor.requests.some(({ url }) => url.includes("/billing/")))
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

/** The cells of a table whose text reaches into the cell beside it. */
const overlapping = ({ page }: Visitor, table: string) =>
  page.evaluate<ReadonlyArray<string>>(`[...document.querySelectorAll('table[aria-label="${table}"] tbody td')]
    .filter((cell) => [...cell.querySelectorAll("*")].some((part) =>
      part.getBoundingClientRect().right > cell.getBoundingClientRect().right + 1))
    .map((cell) => cell.innerText)`)

describe("the pages of purchases", () => {
  it.each(oneLook("purchases"))("fit and can be used by all: %s", async (look) => {
    const buy = sold({ price: `price_${look}_of_a_name_that_is_much_longer_than_its_cell` })
    await shop.sendAll(buy.bought)
    const { id } = await shop.purchase(buy, ({ payer, status }) => status === "waiting" && payer.name !== undefined)
    const done = sold()
    await shop.sendAll(done.bought)
    const { id: doneId } = await shop.purchase(done)
    const visitor = await opened({ look: looks[look], token: adminToken })
    const paths = [
      "/console/purchases",
      `/console/purchases/${id}`,
      `/console/purchases/connections/${shop.connection.id}`,
      `/console/purchases/${doneId}`
    ]
    for (const path of paths) {
      await visitor.goto(path)
      assert.deepStrictEqual([path, await visitor.look()], [path, { headings: 1, wider: 0, outside: [] }])
      assert.deepStrictEqual([path, ...await visitor.axe()], [path])
    }
    await visitor.page.getByRole("table", { name: "Licenses" }).waitFor()
    assert.deepStrictEqual(await overlapping(visitor, "Licenses"), [])
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("say what failed, and keep what can be tried again", async () => {
    const visitor = await opened()
    await visitor.page.route(/\/api\/v1\/billing\/purchases/, (route) => route.abort("connectionrefused"))
    await visitor.goto("/console/purchases")
    await visitor.shows("Cannot reach the service")
    await visitor.page.getByRole("button", { name: "Try again" }).first().waitFor()
  })
})

describe("a connection with an API key", () => {
  it("is reconciled, and shows what was found, with the purchases", async () => {
    const apis = await providerApis()
    const reading = await startService({ environment: { COUNTERSIGN_PROVIDER_API_URL: apis.url } })
    const { connection } = await openShop(reading)
    await reading.data("PATCH", `/api/v1/billing/connections/${connection.id}`, { api_key: apiKeys.stripe })
    stand(apis, "stripe", { id: "3001", quantity: 2, changed: Math.floor(Date.now() / 1000) - 3600 })
    const visitor = await visit(browser, reading, { path: `/console/purchases/connections/${connection.id}` })
    onTestFinished(() => visitor.close())
    const { page } = visitor
    await visitor.shows("Not reconciled yet")
    await page.getByRole("button", { name: "Reconcile", exact: true }).click()
    await page.getByRole("dialog").getByLabel("Differences").selectOption("fix")
    await confirm(visitor, "Reconcile")
    await visitor.shows("missing here")
    await page.getByRole("link", { name: "3001" }).waitFor()
    assert.deepStrictEqual(await visitor.axe(), [])
    await page.getByRole("link", { name: "3001" }).click()
    await visitor.shows("Read at the provider")
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("the portal of the provider", () => {
  it("is entered at the connection, shown to customers beside what they bought, and removed", async () => {
    const buy = sold()
    await shop.sendAll(buy.bought)
    const { customer_id } = await shop.license(buy, (license) => license.customer_id !== undefined)
    const path = `/api/v1/billing/connections/${shop.connection.id}`
    const login = "https://billing.stripe.com/p/login/1?a=1&b=2"
    const visitor = await opened({ path: `/console/purchases/connections/${shop.connection.id}` })
    const dialog = visitor.page.getByRole("dialog")
    const enter = async (button: string, url: string) => {
      await visitor.page.getByRole("button", { name: button }).click()
      await dialog.getByLabel("Login page for customers").fill(url)
      assert.deepStrictEqual(await visitor.axe(), [])
    }
    await enter("Enter customer portal", "http://billing.stripe.com/p/login/1")
    assert.isFalse(await dialog.getByRole("button", { name: "Enter customer portal" }).isEnabled())
    await dialog.getByLabel("Login page for customers").fill(login)
    await confirm(visitor, "Enter customer portal")
    await visitor.shows(login)
    assert.strictEqual((await service.data("GET", path)).customer_portal_url, login)

    const link = await service.data("POST", `/api/v1/customers/${customer_id}/portal-links`, { delivery: "response" })
    const context = await browser.newContext({ ...looks.phoneAtNight, locale: "en-US" })
    onTestFinished(() => context.close())
    const shown = await context.newPage()
    await shown.goto(link.url)
    await shown.locator("main button").click()
    await shown.getByRole("link", { name: "Purchases" }).click()
    await shown.getByText("Pro, monthly × 5").waitFor()
    await shown.getByText(`${buy.id} at Stripe`).waitFor()
    const manage = shown.getByRole("link", { name: "Invoices and payment at Stripe" })
    assert.strictEqual(await manage.getAttribute("href"), login)
    assert.deepStrictEqual(await axeFindings(context, shown, ["minor", "moderate", "serious", "critical"]), [])
    assert.isTrue(await shown.evaluate("document.documentElement.scrollWidth <= innerWidth"))

    await enter("Change customer portal", "")
    await confirm(visitor, "Change customer portal")
    assert.notProperty(await service.data("GET", path), "customer_portal_url")
    await shown.reload()
    await shown.getByText("Pro, monthly × 5").waitFor()
    assert.strictEqual(await manage.count(), 0)
    assert.deepStrictEqual(visitor.wrong, [])
  })
})
