// The first minute of a vendor's developer, in a real browser against a real service that delivers to real receivers: are
// my webhooks arriving?
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { onTestFinished } from "vitest"
import { verifyDelivery } from "../../../src/client/verify/index.ts"
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
let good: Receiver
let broken: Receiver
let token = ""

/** Names are shown as they are, whatever they hold. */
const hostile = `Broken <img src=x onerror="document.title='taken'">`

beforeAll(async () => {
  ;[service, browser, good, broken] = await Promise.all([
    startService(),
    openBrowser(),
    startReceiver(),
    startReceiver()
  ])
  broken.respond = (response) => response.writeHead(500).end()
  token = (await service.data("POST", "/api/v1/api-keys", {
    name: "Developer",
    scopes: ["webhook:write", "ops:read"]
  })).token
})
afterAll(() => browser.close())

const opened = async (options: Parameters<typeof visit>[2] = {}): Promise<Visitor> => {
  const visitor = await visit(browser, service, { token, ...options })
  onTestFinished(() => visitor.close())
  return visitor
}

const endpoint = (id: string): Promise<Body> => service.data("GET", `/api/v1/webhooks/${id}`)

/** The row of an endpoint. */
const row = ({ page }: Visitor, name: string): Locator =>
  page.getByRole("table", { name: "Endpoints" }).getByRole("row").filter({ hasText: name })

/** The dialog's own button, which does what the dialog asks. */
const confirm = async ({ page }: Visitor, name: string) => {
  await page.getByRole("dialog").getByRole("button", { name, exact: true }).click()
  await page.getByRole("dialog").getByText("Done", { exact: true }).waitFor()
}

const close = async (visitor: Visitor, name = "Close") => {
  await visitor.page.getByRole("dialog").getByRole("button", { name }).click()
  await visitor.settle()
}

/** What arrives of a product that is made now. */
const delivery = async (): Promise<Received> => {
  const { id } = await makeProduct(service)
  return eventually("it is delivered", () => good.received.find(({ body }) => JSON.parse(body).data.id === id))
}

/** Whether a delivery is signed with a secret. */
const isSignedWith = (secret: string, { body, headers }: Received): Promise<boolean> =>
  verifyDelivery(body, headers, secret).then(() => true, () => false)

const subscribed = async (
  name: string,
  { url }: Receiver
): Promise<{ readonly id: string; readonly secret: string }> => {
  const { secret, webhook } = await service.data("POST", "/api/v1/webhooks", {
    name,
    url,
    event_types: ["product.created"]
  })
  return { id: webhook.id, secret }
}

describe("webhooks at the console", () => {
  it("are shown with what to do first where there is none", async () => {
    const visitor = await opened()
    // It is the first page that this token may see.
    assert.strictEqual(await visitor.page.title(), "Webhooks · Countersign")
    const all = await visitor.shows("No endpoints yet")
    assert.include(all, "No attempts in the last hour.")
    assert.include(all, "webhooks listen --forward-to")
    assert.deepStrictEqual(await visitor.axe(), [])
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("are made, with a word about what is wrong, and a secret that verifies", async () => {
    const visitor = await opened()
    const { page } = visitor
    await page.getByRole("button", { name: "New endpoint" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Name").fill("Made here")
    await dialog.getByLabel("URL", { exact: true }).fill(good.url)
    await dialog.getByLabel("Event types").fill("product.create")
    await dialog.getByRole("button", { name: "New endpoint" }).click()
    await dialog.getByText(/event_types/).first().waitFor()
    assert.strictEqual(await dialog.getByLabel("URL", { exact: true }).inputValue(), good.url)
    await dialog.getByLabel("Event types").fill("product.created, license.*")
    await confirm(visitor, "New endpoint")
    const secret = await dialog.getByLabel("Signing secret").innerText()
    await close(visitor, "I saved it")
    assert.include(await row(visitor, "Made here").innerText(), "product.created, license.*")
    const [made] = await service.data("GET", "/api/v1/webhooks")
    assert.deepInclude(made, { name: "Made here", url: good.url, event_types: ["product.created", "license.*"] })
    assert.isTrue(await isSignedWith(secret, await delivery()))
    await service.call("DELETE", `/api/v1/webhooks/${made.id}`)
    // The refusal is told by the browser too.
    assert.deepStrictEqual(visitor.wrong.filter((text) => !text.includes("422")), [])
  })
})

describe("an endpoint that fails", () => {
  let failing = ""
  let works = ""
  let secret = ""
  beforeAll(async () => {
    ;({ id: works, secret } = await subscribed("Billing", good))
    failing = (await subscribed(hostile, broken)).id
    await delivery()
    await eventually("it fails", async () => (await endpoint(failing)).failing_since)
    await eventually("health tells it", async () => {
      const { minutes, worst } = await service.data("GET", "/api/v1/ops/webhook-health")
      return worst.some((lane: Body) => lane.webhook_id === failing && lane.last_outcome === "500") &&
        minutes.length > 0
    })
  })

  it("is named as such before anything else, with its answer, beside one that works", async () => {
    const visitor = await opened()
    const { page } = visitor
    const all = await visitor.shows("1 endpoint is failing")
    assert.include(all, `${hostile}: HTTP 500; 1 pending event`)
    const bad = await row(visitor, "Broken").innerText()
    assert.match(bad, /failing|breaker open/)
    assert.include(bad, "HTTP 500")
    assert.match(bad, /failing since/)
    assert.match(bad, /next attempt/)
    const fine = await row(visitor, "Billing").innerText()
    assert.match(fine, /active[^]*Delivered[^]*nothing/)
    // Trouble first, and what was tried as a chart whose figures are those of the service.
    assert.include((await page.getByRole("table", { name: "Endpoints" }).getByRole("row").allInnerTexts())[1], "Broken")
    const chart = page.getByRole("figure", { name: /Attempts per minute/ })
    await chart.waitFor()
    await eventually("the chart shows what the service counted", async () => {
      const drawn = await chart.getByRole("row").allInnerTexts()
      const { last_1h } = await service.data("GET", "/api/v1/ops/webhook-health")
      const sums = drawn.slice(1).map((text) => text.trim().split(/\s+/).slice(1).map(Number))
        .reduce(([a = 0, b = 0], [c = 0, d = 0]) => [a + c, b + d], [0, 0])
      assert.strictEqual(drawn.length, 61)
      assert.isAtLeast(last_1h.failed_attempts, sums[1]!)
      return sums[0] === last_1h.delivered && sums[1]! > 0
    })
    assert.strictEqual(await page.title(), "Webhooks · Countersign")
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("is paused and resumed, and stays in its place meanwhile", async () => {
    const visitor = await opened()
    const bad = row(visitor, "Broken")
    await bad.getByRole("button", { name: "Pause" }).click()
    await confirm(visitor, "Pause")
    await visitor.shows(`${hostile} paused.`)
    assert.deepInclude(await endpoint(failing), { status: "paused", is_active: false })
    const { page } = visitor
    await page.getByText("Show as curl").click()
    assert.include(await page.getByLabel("curl command").innerText(), `-X PATCH '${service.url}/api/v1/webhooks/`)
    await close(visitor)
    await bad.getByRole("button", { name: "Resume" }).waitFor()
    assert.include(await bad.innerText(), "paused")
    assert.notInclude(await visitor.shows("Endpoints"), "is failing")
    assert.include((await page.getByRole("table", { name: "Endpoints" }).getByRole("row").allInnerTexts())[1], "Broken")
    await bad.getByRole("button", { name: "Resume" }).click()
    await confirm(visitor, "Resume")
    assert.deepInclude(await endpoint(failing), { status: "active", is_active: true })
    await close(visitor)
    await bad.getByRole("button", { name: "Pause" }).waitFor()
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("gets a new secret, with which deliveries are signed, and the old one no longer", async () => {
    assert.isTrue(await isSignedWith(secret, await delivery()))
    const visitor = await opened()
    const { page } = visitor
    await row(visitor, "Billing").getByRole("button", { name: "Rotate secret" }).click()
    const dialog = page.getByRole("dialog")
    const minutes = dialog.getByLabel("Overlap (minutes)")
    await minutes.fill("50000")
    await dialog.getByText(/30 days/).waitFor()
    assert.isFalse(await dialog.getByRole("button", { name: "Rotate secret" }).isEnabled())
    await minutes.fill("0")
    await confirm(visitor, "Rotate secret")
    const made = await dialog.getByLabel("Signing secret").innerText()
    assert.notStrictEqual(made, secret)
    await close(visitor, "I saved it")
    assert.isTrue(made.startsWith((await endpoint(works)).secret_prefix))
    const arrived = await eventually("a delivery is signed with it", async () => {
      const next = await delivery()
      return await isSignedWith(made, next) ? next : undefined
    })
    assert.isFalse(await isSignedWith(secret, arrived))
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("is seen by a token that may not see health, and by none that may not see webhooks", async () => {
    const { token } = await service.data("POST", "/api/v1/api-keys", { name: randomUUID(), scopes: ["webhook:write"] })
    const visitor = await opened({ token })
    const all = await visitor.shows("1 endpoint is failing")
    assert.notInclude(all, "Deliveries, all endpoints")
    assert.notInclude(all, "Backlog")
    assert.isFalse(visitor.requests.some(({ url }) => url.includes("webhook-health")))
    const watcher = await service.data("POST", "/api/v1/api-keys", { name: randomUUID(), scopes: ["ops:read"] })
    const other = await opened({ token: watcher.token, path: "/console/webhooks" })
    const seen = await other.shows("Deliveries, all endpoints")
    assert.notInclude(seen, "New endpoint")
    assert.strictEqual(await other.page.getByRole("table", { name: "Endpoints" }).count(), 0)
    assert.isFalse(other.requests.some(({ url }) => url.includes("/api/v1/webhooks")))
    assert.deepStrictEqual([...visitor.wrong, ...other.wrong], [])
  })

  it.each(oneLook("webhooks"))("fits and can be used by all: %s", async (look) => {
    const visitor = await opened({ look: looks[look] })
    await visitor.shows("is failing")
    assert.deepStrictEqual(await visitor.look(), { headings: 1, wider: 0, outside: [] })
    assert.deepStrictEqual(await visitor.axe(), [])
  })
})
