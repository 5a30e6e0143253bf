// What callers fill in is shown as the text that it is: nothing of it runs, breaks a page, or turns what stands beside it.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { onTestFinished } from "vitest"
import { openBrowser } from "../../fixtures/Browser.ts"
import type { Browser } from "../../fixtures/Browser.ts"
import { makeOrder } from "../../fixtures/Commerce.ts"
import { deskOrPhone, looks, visit } from "../../fixtures/Console.ts"
import type { Visitor } from "../../fixtures/Console.ts"
import type { Issued, Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

/** Turns the direction of all that follows it (Unicode Standard Annex 9), until something ends it. */
const override = "\u202e"

/** Values that have opened pages of others: as an element, out of an attribute, as a template, as a scheme, by direction. */
const element = "<img src=x onerror=\"globalThis.hacked=1\">"
const escape = "\"'></bdi></td></main><svg onload=globalThis.hacked=1>"
const template = "{{constructor.constructor('globalThis.hacked=1')()}}${globalThis.hacked=1}"
const scheme = "javascript:globalThis.hacked=1"
const turned = `invoice${override}gnp.exe`
const endless = "W".repeat(200)

let browser: Browser
let service: Service
let issued: Issued
let customer: Body
let token = ""

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
  const product = await service.data("POST", "/api/v1/products", { name: `${element}${turned}`, code: "hostile" })
  const policy = await service.data("POST", `/api/v1/products/${product.id}/policies`, {
    name: `${escape}${turned}`,
    code: "hostile",
    license_type: "subscription",
    max_activations: 3
  })
  const feature = await service.data("POST", `/api/v1/products/${product.id}/features`, {
    name: `${template}${turned}`,
    code: "hostile"
  })
  customer = await service.data("POST", "/api/v1/customers", {
    name: `${element}${endless}`,
    code: "hostile",
    email: `${"w".repeat(60)}@${"w".repeat(60)}.example`,
    metadata: { [`${element}${turned}`]: `${escape}${endless}`, [scheme]: { [element]: [template] } }
  })
  const order = await makeOrder(service, product, { external_id: `${element}${"0".repeat(60)}` })
  const { license, license_key: key } = await service.data("POST", "/api/v1/licenses", {
    product_id: product.id,
    policy_id: policy.id,
    customer_id: customer.id,
    customer_name: `${escape}${turned}`,
    customer_email: `${"w".repeat(60)}@${"w".repeat(60)}.example`,
    order_id: order.id,
    expires_at: "2999-01-01T00:00:00Z",
    metadata: {
      [`${escape}${turned}`]: `${element}${endless}`,
      note: `${template}${turned}`,
      [endless]: { [element]: [turned] }
    }
  })
  issued = { product, policy, license, key }
  await service.data("POST", `/api/v1/licenses/${license.id}/features`, {
    feature_id: feature.id,
    max_consumptions: 10
  })
  for (
    const [fingerprint, hostname, os] of [
      [`${element}1`, `${element}${turned}`, `${escape}${turned}`],
      [`${turned}2`, endless, `${template}${turned}`]
    ] as const
  ) {
    const answer = await service.license("activate", key, { fingerprint, hostname, os })
    assert.strictEqual(answer.status, 200, answer.text)
  }
  await service.license("validate", key, { fingerprint: `${escape}3` })
  await service.data("POST", "/api/v1/webhooks", {
    name: `${element}${turned}`,
    url: `http://127.0.0.1:9/${"w".repeat(200)}?${encodeURIComponent(element)}`,
    event_types: ["license.revoked"]
  })
  // A name of a key is one line, without marks that turn the direction of text.
  const made = await service.data("POST", "/api/v1/api-keys", { name: escape, scopes: ["admin"] })
  token = made.token
})
afterAll(() => browser.close())

/** How many elements only a text can have made, and whether one has run. */
const made =
  `(globalThis.hacked === undefined ? 0 : 1) + document.querySelectorAll("#console :is(img, script, iframe, " +
  "object, embed, [onload], [onerror], a[href^='javascript:'])").length`

/** Texts with a turned direction that reach what stands beside them: in no element that keeps them to itself. */
const leaking = `(() => {
  const found = []
  const walk = document.createTreeWalker(document.getElementById("console"), NodeFilter.SHOW_TEXT)
  for (let node = walk.nextNode(); node !== null; node = walk.nextNode()) {
    if (!node.data.includes("\\u202e")) continue
    let at = node.parentElement
    while (getComputedStyle(at).display === "inline" && !/isolate|plaintext/.test(getComputedStyle(at).unicodeBidi)) {
      at = at.parentElement
    }
    if (/isolate|plaintext/.test(getComputedStyle(at).unicodeBidi) && at.tagName === "BDI") continue
    if (at.textContent !== node.data) found.push(at.tagName + "." + at.className + ": " + at.textContent)
  }
  return found
})()`

const check = async ({ look, page, wrong }: Visitor, what: string): Promise<string> => {
  assert.strictEqual(await page.evaluate<number>(made), 0, what)
  assert.deepStrictEqual(await page.evaluate<ReadonlyArray<string>>(leaking), [], what)
  const { outside, wider } = await look()
  assert.deepStrictEqual({ outside, wider }, { outside: [], wider: 0 }, what)
  assert.deepStrictEqual(wrong, [], what)
  return page.evaluate<string>("document.getElementById('console').textContent")
}

describe.each(deskOrPhone("hostile values"))("hostile values at the %s", (look) => {
  it("are shown as texts on every page, and break none", async () => {
    const visitor = await visit(browser, service, { look: looks[look], token })
    onTestFinished(() => visitor.close())
    const { goto, page } = visitor

    await goto("/console/licenses")
    const list = await check(visitor, "licenses")
    for (const text of [`${escape}${turned}`, `${element}${turned}`]) assert.include(list, text)

    await goto(`/console/licenses/${issued.license.id}`)
    const license = await check(visitor, "license")
    for (
      const text of [
        `${escape}${turned}`,
        `${element}${turned}`,
        `${template}${turned}`,
        `${element}${endless}`,
        endless
      ]
    ) assert.include(license, text)
    assert.strictEqual(await page.title(), `${escape}${turned} · Countersign`)
    for (const name of ["Revoke", "Transfer"]) {
      await page.getByRole("button", { name, exact: true }).click()
      assert.include(await page.getByRole("dialog").innerText(), escape)
      await check(visitor, name)
      await page.keyboard.press("Escape")
      await page.getByRole("dialog").waitFor({ state: "hidden" })
    }

    await goto("/console/customers")
    assert.include(await check(visitor, "customers"), `${element}${endless}`)
    await goto(`/console/customers/${customer.id}`)
    assert.include(await check(visitor, "customer"), `${escape}${endless}`)

    for (const path of ["/console/webhooks", "/console/operations", "/console/reports"]) {
      await goto(path)
      await check(visitor, path)
    }

    // Searched for, they find nothing or what has them, and do nothing else.
    const search = page.getByRole("combobox", { name: "Search" })
    for (const text of [element, scheme, "\"'></bdi>", turned, "'; DROP TABLE licenses; --", "%_%\\"]) {
      await search.fill(text)
      await visitor.settle()
      await check(visitor, `a search for ${text}`)
    }
    await goto(`/console/licenses?q=${encodeURIComponent(element)}&status=${encodeURIComponent("active")}`)
    await check(visitor, "a filter")
    await goto(`/console/licenses/${encodeURIComponent(element)}`)
    await check({ ...visitor, wrong: visitor.wrong.filter((text) => !text.includes("404")) }, "an id")
  })
})
