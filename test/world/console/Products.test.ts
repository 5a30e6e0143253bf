// A vendor's first minutes in a real browser against a real service: a product, its features, and what strangers call them.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { onTestFinished } from "vitest"
import { openBrowser } from "../../fixtures/Browser.ts"
import type { Browser } from "../../fixtures/Browser.ts"
import { confirm, deskOrPhone, looks, visit } from "../../fixtures/Console.ts"
import type { Visitor } from "../../fixtures/Console.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Service } from "../../fixtures/Service.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

let browser: Browser
let service: Service

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
})
afterAll(() => browser.close())

const opened = async (options: Parameters<typeof visit>[2] = {}): Promise<Visitor> => {
  const visitor = await visit(browser, service, options)
  onTestFinished(() => visitor.close())
  return visitor
}

describe.each(deskOrPhone("products"))("on a %s", (name, look) => {
  it("a product and a feature are made, with codes that follow their names until they are edited", async () => {
    const visitor = await opened({ look })
    const { page } = visitor
    await visitor.goto("/console/products")
    await page.getByRole("button", { name: "New product" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Name").fill(`Acme Draft ${name}`)
    const code = dialog.getByLabel("Code")
    const made = `acme-draft-${name.replaceAll(" ", "-")}`
    assert.strictEqual(await code.inputValue(), made)
    assert.deepStrictEqual(await visitor.axe(), [])
    await confirm(visitor, "New product")
    await page.getByRole("heading", { name: `Acme Draft ${name}` }).waitFor()
    await visitor.shows("No policies yet")
    await page.getByRole("navigation", { name: "Product" }).getByRole("link", { name: "Features" }).click()
    await visitor.shows("No features yet")
    await page.getByRole("button", { name: "New feature" }).click()
    await dialog.getByLabel("Code").fill("render")
    await dialog.getByLabel("Name").fill("Renders a month")
    assert.strictEqual(await code.inputValue(), "render")
    await confirm(visitor, "New feature")
    await visitor.shows("Renders a month")
    assert.deepStrictEqual(await visitor.axe(), [])
    assert.deepStrictEqual(visitor.wrong, [])
    const product = (await service.data("GET", "/api/v1/products?limit=200")).find((found: { readonly code: string }) =>
      found.code === made
    )
    const features = await service.data("GET", `/api/v1/products/${product.id}/features`)
    assert.deepStrictEqual(features.map(({ code }: { readonly code: string }) => code), ["render"])
  })

  it("a version is added with its links, which can be changed", async () => {
    const product = await service.data("POST", "/api/v1/products", {
      name: `Versions ${name}`,
      code: `versions-${look.viewport.width}`
    })
    const visitor = await opened({ look, path: `/console/products/${product.id}/versions` })
    const { page } = visitor
    await page.getByRole("button", { name: "New version" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Version").fill("4.2")
    const send = dialog.getByRole("button", { name: "New version" })
    await dialog.getByLabel("Links").fill("Windows http://downloads.example.com/4.2")
    await visitor.shows("Each line is a label")
    assert.isFalse(await send.isEnabled())
    const url = "https://downloads.example.com/4.2"
    await dialog.getByLabel("Links").fill(`Windows (x64) ${url} ${"Ab".repeat(32)}\nLinux ${url}.deb`)
    assert.deepStrictEqual(await visitor.axe(), [])
    await confirm(visitor, "New version")
    await page.getByRole("link", { name: "Windows (x64)" }).waitFor()
    assert.deepStrictEqual(await visitor.axe(), [])
    const read = async () => (await service.data("GET", `/api/v1/products/${product.id}/versions`))[0]
    assert.deepStrictEqual((await read()).links, [
      { label: "Windows (x64)", url, sha256: "ab".repeat(32) },
      { label: "Linux", url: `${url}.deb` }
    ])
    await page.getByRole("button", { name: "Edit links" }).click()
    await dialog.getByLabel("Links").fill(`macOS ${url}.dmg`)
    await confirm(visitor, "Save 1 change")
    await page.getByRole("link", { name: "macOS" }).waitFor()
    assert.deepStrictEqual((await read()).links, [{ label: "macOS", url: `${url}.dmg` }])
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("the versions in use lead to the customers and licenses that run them", async () => {
    const owner = await service.data("POST", "/api/v1/customers", {
      name: `Runs on the ${name}`,
      code: `runs-${look.viewport.width}`
    })
    const { key, license, product } = await service.issue({ license: { customer_id: owner.id } })
    await service.license("activate", key, { fingerprint: "one", app_version: "1.9.2", os: "Windows 10" })
    const visitor = await opened({ look, path: `/console/products/${product.id}/versions` })
    const { page } = visitor
    await page.getByRole("link", { name: "1 license" }).waitFor()
    assert.deepStrictEqual(await visitor.axe(), [])
    assert.deepStrictEqual((await visitor.look()).outside, [])
    await page.getByRole("link", { name: "1 customer" }).click()
    await page.getByRole("heading", { level: 1, name: "Customers" }).waitFor()
    await page.getByRole("link", { name: owner.name }).waitFor()
    await visitor.shows("1 matches")
    assert.strictEqual(await page.getByLabel("App version").inputValue(), "1.9.2")
    assert.strictEqual(await page.getByLabel("System").inputValue(), "Windows")
    assert.deepStrictEqual(await visitor.axe(), [])
    assert.deepStrictEqual((await visitor.look()).outside, [])
    await page.getByLabel("App version").fill("2.x")
    await visitor.shows("No matching customers")
    await visitor.goto(`/console/products/${product.id}/versions`)
    await page.getByRole("link", { name: "1 license" }).click()
    await page.locator(`a[href="/console/licenses/${license.id}"]`).waitFor()
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("a code that is taken is said, and what was entered stays", async () => {
    await service.data("POST", "/api/v1/products", { name: "Taken", code: `taken-${look.viewport.width}` })
    const visitor = await opened({ look, path: "/console/products" })
    await visitor.page.getByRole("button", { name: "New product" }).click()
    const dialog = visitor.page.getByRole("dialog")
    await dialog.getByLabel("Name").fill(`Taken ${look.viewport.width}`)
    await dialog.getByRole("button", { name: "New product" }).click()
    await dialog.getByRole("alert").first().waitFor()
    assert.strictEqual(await dialog.getByLabel("Name").inputValue(), `Taken ${look.viewport.width}`)
    assert.deepStrictEqual(await visitor.axe(), [])
    assert.deepStrictEqual(visitor.wrong.filter((text) => !text.includes("409")), [])
  })
})

describe("products", () => {
  it("show what strangers call them as text, and policies in words", async () => {
    const stranger = "<b>山田</b> \u202Eevil \u0627\u0644\u0633\u0644\u0627\u0645 " + "x".repeat(60)
    const product = await service.data("POST", "/api/v1/products", { name: stranger, code: "stranger" })
    await service.data("POST", `/api/v1/products/${product.id}/policies`, {
      name: stranger,
      code: "team",
      license_type: "subscription",
      max_activations: 5,
      duration: "P1Y",
      grace_period_days: 7
    })
    for (const look of [looks.desk, looks.phone]) {
      const visitor = await opened({ look })
      await visitor.goto("/console/products")
      assert.include(await visitor.shows("<b>山田</b>"), "stranger")
      assert.deepStrictEqual(await visitor.look(), { headings: 1, wider: 0, outside: [] })
      await visitor.goto(`/console/products/${product.id}`)
      const text = await visitor.shows("Subscription")
      if (look === looks.desk) assert.include(text, "1 year, 7 days of grace")
      assert.deepStrictEqual(await visitor.look(), { headings: 1, wider: 0, outside: [] })
      assert.deepStrictEqual(visitor.wrong, [])
    }
  })

  it("offer nothing that the token may not do", async () => {
    const { token } = await service.data("POST", "/api/v1/api-keys", { name: "Reads", scopes: ["product:read"] })
    const visitor = await opened({ token, path: "/console" })
    // The first page that it may see.
    await visitor.page.getByRole("heading", { name: "Products" }).waitFor()
    await visitor.settle()
    assert.strictEqual(await visitor.page.getByRole("button", { name: "New product" }).count(), 0)
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("stay as they were when they cannot be read again, and a failure says how to go on", async () => {
    const visitor = await opened({ path: "/console/licenses" })
    const { page } = visitor
    let isFailing = true
    await page.route(
      /\/api\/v1\/products\?/,
      (route) => isFailing ? route.fulfill({ status: 503, body: "{}" }) : route.continue()
    )
    await page.getByRole("link", { name: "Products" }).click()
    await page.getByRole("alert").first().waitFor()
    isFailing = false
    await page.getByRole("button", { name: "Try again" }).click()
    await page.getByRole("table", { name: "Products" }).waitFor()
  })
})

describe("what a product has beside policies", () => {
  it("is made and deleted in its tabs: custom fields, trial keys, features; not while something uses it", async () => {
    const product = await service.data("POST", "/api/v1/products", { name: "Tabs", code: crypto.randomUUID() })
    const policy = await service.data("POST", `/api/v1/products/${product.id}/policies`, {
      name: "Fortnight",
      code: "fortnight",
      license_type: "trial",
      duration: "P14D"
    })
    const feature = await service.data("POST", `/api/v1/products/${product.id}/features`, {
      name: "Renders",
      code: "render"
    })
    await service.data("POST", `/api/v1/products/${product.id}/policies/${policy.id}/features`, {
      feature_id: feature.id
    })
    const visitor = await opened({ path: `/console/products/${product.id}/fields` })
    const { page } = visitor
    const dialog = page.getByRole("dialog")
    await page.getByRole("button", { name: "New custom field" }).click()
    await dialog.getByLabel("Name", { exact: true }).fill("Edition")
    await dialog.getByLabel("Values", { exact: true }).selectOption("enum")
    const send = dialog.getByRole("button", { name: "New custom field" })
    assert.isFalse(await send.isEnabled(), "a list without values")
    await dialog.getByLabel("List of values").fill("basic, pro")
    assert.deepStrictEqual(await visitor.axe(), [])
    await confirm(visitor, "New custom field")
    await visitor.shows("basic, pro")
    const described = await page.evaluate<string>(
      "document.getElementById(document.querySelector('tbody button').getAttribute('aria-describedby')).innerText"
    )
    assert.include(described, "Edition", "a button of a row says of which")
    await page.getByRole("button", { name: "Delete", exact: true }).last().click()
    await confirm(visitor, "Delete")
    await visitor.shows("No custom fields yet")
    await page.getByRole("link", { name: "Trial keys" }).click()
    await page.getByRole("button", { name: "New trial key" }).click()
    await dialog.getByLabel("Name", { exact: true }).fill("In the app")
    await confirm(visitor, "New trial key")
    const [key] = await service.data("GET", `/api/v1/products/${product.id}/publishable-keys`)
    await visitor.shows(key.key)
    await page.getByRole("button", { name: "Revoke", exact: true }).click()
    await confirm(visitor, "Revoke")
    await visitor.shows("revoked")
    await page.getByRole("link", { name: "Features" }).click()
    await visitor.shows("in 1 policy")
    await page.getByRole("link", { name: "Renders" }).click()
    await page.getByRole("button", { name: "Delete", exact: true }).click()
    await dialog.getByRole("button", { name: "Delete", exact: true }).click()
    await visitor.shows("IN_USE")
    await page.keyboard.press("Escape")
    assert.strictEqual((await service.data("GET", `/api/v1/features/${feature.id}`)).name, "Renders")
    assert.deepStrictEqual(visitor.wrong.filter((text) => !text.startsWith("Failed to load resource")), [])
  })
})

describe.each(deskOrPhone("products"))(
  "a feature on a %s",
  (_name, look) => {
    it("has a value in each policy, which a license may have otherwise, and keeps its kind once it is used", async () => {
      const { license, policy, product } = await service.issue()
      const visitor = await opened({ look, path: `/console/products/${product.id}/features` })
      const { page } = visitor
      const dialog = page.getByRole("dialog")
      await page.getByRole("button", { name: "New feature" }).click()
      await dialog.getByLabel("Name").fill("Edition")
      await dialog.getByLabel("Kind").selectOption("enum")
      assert.isFalse(await dialog.getByRole("button", { name: "New feature" }).isEnabled(), "one of no options")
      await dialog.getByLabel("Options").fill("basic\npro")
      assert.deepStrictEqual(await visitor.axe(), [])
      await confirm(visitor, "New feature")
      await visitor.shows("One of basic, pro")
      await page.getByRole("link", { name: "Edition" }).click()
      await visitor.shows("not granted")
      assert.deepStrictEqual(await visitor.look(), { headings: 1, wider: 0, outside: [] })
      await page.getByRole("button", { name: "Grant", exact: true }).click()
      await dialog.getByLabel("Value").selectOption("basic")
      await dialog.getByLabel("Quota", { exact: true }).fill("10")
      assert.deepStrictEqual(await visitor.axe(), [])
      await confirm(visitor, "Grant")
      await visitor.shows("basic · 10")
      await page.getByRole("button", { name: "Edit feature" }).click()
      await dialog.getByText("The kind cannot change once a policy or a license has a value.").waitFor()
      assert.deepStrictEqual(await visitor.axe(), [])
      await dialog.getByRole("button", { name: "Cancel" }).click()
      await visitor.goto(`/console/products/${product.id}/policies/${policy.id}`)
      await page.getByRole("button", { name: "Edit", exact: true }).click()
      await dialog.getByLabel("Quota", { exact: true }).fill("")
      await confirm(visitor, "Edit")
      await visitor.shows("no quota")
      await visitor.goto(`/console/licenses/${license.id}`)
      await visitor.shows("Edition")
      await page.getByRole("button", { name: "Edit", exact: true }).click()
      await dialog.getByLabel("Value").selectOption("pro")
      await confirm(visitor, "Edit")
      assert.match(await visitor.shows("Use policy"), /Edition\s+pro\s+license/)
      assert.deepStrictEqual(await visitor.look(), { headings: 1, wider: 0, outside: [] })
      const [feature] = await service.data("GET", `/api/v1/licenses/${license.id}/features`)
      assert.deepInclude(feature, { value: "pro", value_from: "license" })
      assert.notProperty(feature, "max_consumptions")
      await page.getByRole("button", { name: "Use policy" }).click()
      await confirm(visitor, "Use policy")
      assert.match(await visitor.shows("basic"), /Edition\s+basic/)
      assert.deepStrictEqual(visitor.wrong, [])
    })
  }
)
