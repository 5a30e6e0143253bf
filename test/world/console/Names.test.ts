// People are shown names; ids stand beside them, to be copied.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { onTestFinished } from "vitest"
import { openBrowser } from "../../fixtures/Browser.ts"
import type { Browser } from "../../fixtures/Browser.ts"
import { makeOrder, makeSubscription } from "../../fixtures/Commerce.ts"
import { deskOrPhone, visit } from "../../fixtures/Console.ts"
import type { Visitor } from "../../fixtures/Console.ts"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

let browser: Browser
let service: Service
let customer: Body
let license: Body
let order: Body
let subscription: Body
let names: { readonly product: string; readonly policy: string }

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
  const { policy, product } = await service.issue()
  names = { product: product.name, policy: policy.name }
  customer = await service.data("POST", "/api/v1/customers", { name: "Lovelace Engines", code: "lovelace" })
  order = await makeOrder(service, product, { external_id: "in_1QX3" })
  subscription = await makeSubscription(service, product, { external_id: "sub_1QX9" })
  const issued = await service.data("POST", "/api/v1/licenses", {
    product_id: product.id,
    policy_id: policy.id,
    customer_id: customer.id,
    order_id: order.id,
    subscription_id: subscription.id
  })
  license = issued.license
  await service.license("activate", issued.license_key, { fingerprint: "engine", hostname: "analytical-engine" })
})
afterAll(() => browser.close())

const opened = async (options: Parameters<typeof visit>[2] = {}): Promise<Visitor> => {
  const visitor = await visit(browser, service, options)
  onTestFinished(() => visitor.close())
  return visitor
}

describe.each(deskOrPhone("names"))("at the %s", (_name, look) => {
  it("a license of a customer is theirs by name, in the search, in the list and on its page", async () => {
    const visitor = await opened({ look, path: "/console/licenses" })
    const { page } = visitor
    const row = page.locator("tbody tr").filter({ has: page.locator(`a[href$="${license.id}"]`) })
    assert.include(await row.innerText(), customer.name)
    await page.getByRole("combobox", { name: "Search" }).fill("lovelace")
    await page.getByRole("option").filter({ hasText: customer.name }).first().waitFor()
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: customer.name, level: 1 }).waitFor()
    await visitor.settle()
    assert.strictEqual(await page.title(), `${customer.name} · Countersign`)
    const about = page.getByRole("region", { name: "Details" })
    const text = await about.innerText()
    for (const name of [names.product, names.policy, customer.name, "in_1QX3", "sub_1QX9"]) assert.include(text, name)
    for (const id of [customer.id, order.id, subscription.id, license.id]) {
      assert.strictEqual(await about.getByRole("button", { name: id, exact: true }).count(), 1, id)
    }
    const story = await page.getByRole("region", { name: "Activity" }).innerText()
    assert.include(story, "analytical-engine")
    assert.notInclude(story, "dev_")
    assert.notInclude(await visitor.shows("Effective policy"), "No owner")
    assert.deepStrictEqual(await visitor.look(), { headings: 1, wider: 0, outside: [] })
    assert.deepStrictEqual(await visitor.axe(), [])
    await about.getByRole("button", { name: customer.id, exact: true }).click()
    await visitor.shows("Copied")
    await about.getByRole("link", { name: "in_1QX3" }).click()
    await visitor.settle()
    const narrowed = await visitor.shows("Filtered by order")
    assert.include(narrowed, "in_1QX3")
    assert.deepStrictEqual(await visitor.look(), { headings: 1, wider: 0, outside: [] })
    assert.deepStrictEqual(await visitor.axe(), [])
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("a report that is narrowed says to whom, by name", async () => {
    const visitor = await opened({ look })
    const { page } = visitor
    for (
      const [path, name, id] of [
        [`usage-ledger?customer_id=${customer.id}`, customer.name, customer.id],
        [`usage-summary?order_id=${order.id}`, "in_1QX3", order.id],
        [`license-audit?license_id=${license.id}`, customer.name, license.id],
        [`subscription-settlement?subscription_id=${subscription.id}`, "sub_1QX9", subscription.id]
      ] as const
    ) {
      await visitor.goto(`/console/reports/${path}`)
      const all = await visitor.shows(name)
      assert.include(all, id, path)
      assert.deepStrictEqual(await visitor.look(), { headings: 1, wider: 0, outside: [] }, path)
      assert.deepStrictEqual(await visitor.axe(), [], path)
    }
    assert.strictEqual(await page.getByText(customer.id, { exact: true }).count(), 0)
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("who may read licenses alone", () => {
  it("sees the names too, with one request for a list", async () => {
    const { token } = await service.data("POST", "/api/v1/api-keys", { name: "reader", scopes: ["license:read"] })
    const visitor = await opened({ token, path: "/console/licenses" })
    const all = await visitor.shows(customer.name)
    assert.include(all, names.product)
    const asked = visitor.requests.filter(({ url }) =>
      url.includes("/api/v1/") && !/\/(whoami|environment|sign-in|settings|license-views)\b/.test(url)
    )
    assert.lengthOf(asked, 1)
    await visitor.goto(`/console/licenses/${license.id}`)
    await visitor.shows(names.policy)
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("the letters of a name", () => {
  it.each([
    "Antonín Dvořák",
    "Stanisław Żółć",
    "Şükrü Ğazi",
    "Nguyễn Thị Hằng",
    "Дмитрий Шостакович",
    "Μίκης Θεοδωράκης"
  ])(
    "of %s come from one face",
    async (name) => {
      const { id } = await service.data("POST", "/api/v1/customers", {
        name,
        code: `named-${name.length}-${name.codePointAt(0)}`
      })
      const visitor = await opened({ path: `/console/customers/${id}` })
      await visitor.page.getByRole("heading", { name, level: 1 }).waitFor()
      await visitor.page.evaluate("document.fonts.ready.then(() => undefined)")
      const protocol = await visitor.protocol()
      for (const domain of ["DOM", "CSS"]) await protocol.send(`${domain}.enable`)
      const { root } = await protocol.send("DOM.getDocument")
      const { nodeId } = await protocol.send("DOM.querySelector", { nodeId: root.nodeId, selector: "h1" })
      const { fonts } = await protocol.send("CSS.getPlatformFontsForNode", { nodeId })
      assert.deepStrictEqual(fonts.map(({ isCustomFont }: Body) => isCustomFont), fonts.map(() => true))
      assert.deepStrictEqual([...new Set(fonts.map(({ familyName }: Body) => familyName))], ["Inter"])
    }
  )
})
