// What a vendor's developer does about an endpoint at the console: sends it a test, says how it is sent, leaves out what
// waits; in a real browser, with real receivers.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { onTestFinished } from "vitest"
import { openBrowser } from "../../fixtures/Browser.ts"
import type { Browser, Locator } from "../../fixtures/Browser.ts"
import { makeProduct } from "../../fixtures/Commerce.ts"
import { looks, oneLook, visit } from "../../fixtures/Console.ts"
import type { Visitor } from "../../fixtures/Console.ts"
import { startReceiver } from "../../fixtures/Receiver.ts"
import type { Received, Receiver } from "../../fixtures/Receiver.ts"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

let browser: Browser
let service: Service
let receiver: Receiver
let id: string
let token: string

const key = "gate-7Zq1-only-the-receiver-knows"

beforeAll(async () => {
  ;[service, browser, receiver] = await Promise.all([startService(), openBrowser(), startReceiver()])
  receiver.own.add("x-api-key")
  token = (await service.data("POST", "/api/v1/api-keys", { name: "Developer", scopes: ["webhook:write"] })).token
  id = (await service.data("POST", "/api/v1/webhooks", {
    name: "Billing",
    url: receiver.url,
    event_types: ["product.created"]
  })).webhook.id
})
afterAll(() => browser.close())

const opened = async (look: keyof typeof looks = "desk"): Promise<Visitor> => {
  const visitor = await visit(browser, service, { token, look: looks[look] })
  onTestFinished(() => visitor.close())
  return visitor
}

const endpoint = (): Promise<Body> => service.data("GET", `/api/v1/webhooks/${id}`)

const row = ({ page }: Visitor): Locator =>
  page.getByRole("table", { name: "Endpoints" }).getByRole("row").filter({ hasText: "Billing" })

/** Opens the dialog of an action. */
const asks = async (visitor: Visitor, action: string): Promise<Locator> => {
  await row(visitor).getByRole("button", { name: action }).click()
  return visitor.page.getByRole("dialog")
}

/** Does what the dialog asks; answers what it says has happened. */
const confirm = async (dialog: Locator, action: string): Promise<string> => {
  await dialog.getByRole("button", { name: action, exact: true }).click()
  await dialog.getByText("Done", { exact: true }).waitFor()
  return dialog.innerText()
}

const close = async (visitor: Visitor) => {
  await visitor.page.getByRole("dialog").getByRole("button", { name: "Close" }).click()
  await visitor.settle()
}

const deliveryOf = (resource: string): Received | undefined =>
  receiver.received.find(({ body }) => JSON.parse(body).data.id === resource)

/** What arrives of a product that is made now. */
const delivery = async (): Promise<Received> => {
  const product = await makeProduct(service)
  return eventually("it is delivered", () => deliveryOf(product.id))
}

describe("a test of an endpoint at the console", () => {
  it("is delivered, and its outcome is said", async () => {
    const visitor = await opened()
    const dialog = await asks(visitor, "Send test")
    const told = await confirm(dialog, "Send test")
    assert.match(told, /Delivered \(HTTP 200\) in [\d,]+ ms\./)
    const [sent] = receiver.received
    assert.strictEqual(JSON.parse(sent!.body).type, "webhook.test")
    await close(visitor)
    assert.include(await row(visitor).innerText(), "No deliveries yet")
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("says what to look at where the receiver has another secret", async () => {
    const visitor = await opened()
    receiver.respond = (response) => response.writeHead(401).end()
    onTestFinished(() => {
      receiver.respond = (response) => response.writeHead(200).end()
    })
    const told = await confirm(await asks(visitor, "Send test"), "Send test")
    assert.match(told, /HTTP 401 in [\d,]+ ms\. .*check the secret/)
    await close(visitor)
    // What is sent in earnest says so in the row.
    await makeProduct(service)
    await eventually("it fails", async () => (await endpoint())["failing_since"])
    await visitor.goto("/console/webhooks")
    for (const [look] of oneLook("a failing webhook")) {
      const other = await opened(look)
      await other.shows("check the secret")
      assert.deepStrictEqual(await other.look(), { headings: 1, wider: 0, outside: [] })
    }
    assert.match(await row(visitor).innerText(), /HTTP 401\s+.*check the secret/)
    receiver.respond = (response) => response.writeHead(200).end()
    await service.call("POST", `/api/v1/webhooks/${id}/resume-from-now`)
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("how an endpoint is sent", () => {
  it("gets a header of the receiver's, whose value is nowhere again, and loses it", async () => {
    const visitor = await opened()
    const { page } = visitor
    const dialog = await asks(visitor, "Change delivery")
    assert.include(await dialog.innerText(), "No custom headers are set.")
    assert.isFalse(await dialog.getByRole("button", { name: "Change delivery" }).isEnabled())
    await dialog.getByLabel("Header", { exact: true }).fill("Host")
    await dialog.getByLabel("Header value").fill(key)
    await dialog.getByRole("button", { name: "Change delivery" }).click()
    await dialog.getByText(/must not have Host, which belongs to the delivery/).first().waitFor()
    await dialog.getByLabel("Header", { exact: true }).fill("X-Api-Key")
    await confirm(dialog, "Change delivery")
    await page.getByText("Show as curl").click()
    assert.include(await page.getByLabel("curl command").innerText(), `"X-Api-Key":"…"`)
    assert.notInclude(await page.evaluate<string>("document.documentElement.outerHTML"), key)
    await close(visitor)
    assert.strictEqual((await delivery()).headers["x-api-key"], key)

    await asks(visitor, "Change delivery")
    assert.include(await dialog.innerText(), "Custom headers: X-Api-Key. Values are never shown.")
    assert.strictEqual(await dialog.getByLabel("Header value").inputValue(), "")
    await dialog.getByLabel("Header", { exact: true }).fill("x-api-key")
    await confirm(dialog, "Change delivery")
    await close(visitor)
    assert.notProperty((await delivery()).headers, "x-api-key")
    assert.deepStrictEqual((await endpoint())["header_names"] ?? [], [])
    assert.deepStrictEqual(visitor.wrong.filter((text) => !text.includes("422")), [])
  })

  it("is one at a time, in order, and as before again", async () => {
    const visitor = await opened()
    for (const isOrdered of [true, false]) {
      const dialog = await asks(visitor, "Change delivery")
      const check = dialog.getByLabel(/^Ordered/)
      await check.setChecked(isOrdered)
      await confirm(dialog, "Change delivery")
      await close(visitor)
      assert.strictEqual((await endpoint())["ordered"] ?? false, isOrdered)
    }
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("an endpoint that is resumed", () => {
  it("goes on from now where it is told to, and says how much that leaves out", async () => {
    const visitor = await opened()
    await confirm(await asks(visitor, "Pause"), "Pause")
    await close(visitor)
    const [first, second] = [await makeProduct(service), await makeProduct(service)]
    await eventually("both have a place in the feed", async () => {
      const ids = new Set((await service.feed("&event_type=product.created")).map(({ data }: Body) => data.id))
      return ids.has(first.id) && ids.has(second.id)
    })
    const dialog = await asks(visitor, "Resume")
    assert.include(await dialog.innerText(), "in order, oldest first")
    await dialog.getByLabel(/Skip the backlog/).click()
    assert.include(await dialog.innerText(), "Only new events are delivered")
    assert.include(await confirm(dialog, "Resume"), "2 events skipped.")
    await close(visitor)
    assert.include(await row(visitor).innerText(), "active")
    await delivery()
    assert.isUndefined(deliveryOf(first.id) ?? deliveryOf(second.id))
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe.each(["Send test", "Change delivery", "Resume"])("the dialog %s", (action) => {
  beforeAll(() => service.call("PATCH", `/api/v1/webhooks/${id}`, { body: { is_active: false } }))

  it.each(oneLook("dialogs of webhooks"))("fits and can be used by all: %s", async (look) => {
    const visitor = await opened(look)
    const dialog = await asks(visitor, action)
    await dialog.getByRole("button", { name: action, exact: true }).waitFor()
    const { outside, wider } = await visitor.look()
    assert.deepStrictEqual([wider, outside], [0, []])
    assert.strictEqual(
      await visitor.page.evaluate("getComputedStyle(document.querySelector('.dialog')).textAlign"),
      "start"
    )
    assert.deepStrictEqual(await visitor.axe(), [])
  })
})
