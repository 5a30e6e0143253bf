// API keys in the console: made for a use, limited, shown once, found again, replaced and revoked.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { onTestFinished } from "vitest"
import { openBrowser } from "../../fixtures/Browser.ts"
import type { Browser } from "../../fixtures/Browser.ts"
import { makeProduct } from "../../fixtures/Commerce.ts"
import { deskOrPhone, visit } from "../../fixtures/Console.ts"
import type { Visitor } from "../../fixtures/Console.ts"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { session } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"
import { countHands } from "../../fixtures/Walk.ts"

takeTurns()

let browser: Browser
let service: Service

const path = "/console/keys"

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService({ altered: ["api_key created_at"] }), openBrowser()])
})
afterAll(() => browser.close())

const opened = async (options: Parameters<typeof visit>[2] = {}): Promise<Visitor> => {
  const visitor = await visit(browser, service, { path, ...options })
  onTestFinished(() => visitor.close())
  await visitor.settle()
  return visitor
}

const keyOf = (members: object): Promise<Body> => service.data("POST", "/api/v1/api-keys", { name: "k", ...members })
const dialogOf = ({ page }: Visitor) => page.getByRole("dialog")
const rowOf = ({ page }: Visitor, name: string) =>
  page.getByRole("table", { name: "API keys" }).getByRole("row").filter({ hasText: name })
const statusOf = async (token: string): Promise<number> =>
  (await service.call("GET", "/api/v1/whoami", { token })).status

/** The token that the dialog shows, and what its command asks. */
const shownKey = async (visitor: Visitor): Promise<string> => {
  const command = await dialogOf(visitor).getByLabel("curl command with the key").innerText()
  const [, url, token = ""] = /^curl (\S+) -H "Authorization: Bearer (\S+)"$/.exec(command) ?? assert.fail(command)
  assert.strictEqual(url, `${service.url}/api/v1/whoami`)
  return token
}

describe.each(deskOrPhone("keys"))("at the %s", (look, looked) => {
  it("a key that is limited to a product is made with four clicks and nine keys, and works at once", async () => {
    const product = await makeProduct(service)
    await service.data("PATCH", `/api/v1/products/${product.id}`, { name: `Studio at the ${look}` })
    const visitor = await opened({ look: looked })
    const { page } = visitor
    const hands = await countHands(page)
    await page.getByRole("button", { name: "New key" }).click()
    const dialog = dialogOf(visitor)
    await page.keyboard.type(look === "desk" ? "Web shop" : "App shop")
    await dialog.getByText("Only these").click()
    await dialog.getByLabel(`Studio at the ${look}`).click()
    assert.deepStrictEqual(await visitor.look(), { headings: 1, wider: 0, outside: [] })
    assert.deepStrictEqual(await visitor.axe(), [])
    await dialog.getByLabel("Name").press("Enter")
    await dialog.getByText("It is shown only once").waitFor()
    await dialog.getByRole("button", { name: "Copy" }).first().click()
    assert.deepStrictEqual(await hands(), { clicks: 4, keys: 9 })
    // Only its own button closes it.
    await page.keyboard.press("Escape")
    const token = await shownKey(visitor)
    assert.deepStrictEqual(await visitor.axe(), [])
    await dialog.getByRole("button", { name: "I saved it" }).click()
    await visitor.settle()
    const me = (await service.call("GET", "/api/v1/whoami", { token })).body.data
    assert.deepInclude(me, { scopes: ["product:read", "license:write", "customer:write"], product_ids: [product.id] })
    assert.closeTo((Date.parse(me.expires_at) - Date.now()) / 86_400_000, 90, 0.1)
    const row = await rowOf(visitor, look === "desk" ? "Web shop" : "App shop").innerText()
    assert.include(row, "issue and change licenses")
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("a new key", () => {
  it("has a choice of its own for each area, and addresses that are refused beside their field", async () => {
    const visitor = await opened()
    const { page } = visitor
    await page.getByRole("button", { name: "New key" }).click()
    const dialog = dialogOf(visitor)
    await dialog.getByLabel("Name").fill("Nightly")
    await dialog.getByText("Own choice").click()
    assert.isFalse(await dialog.getByRole("button", { name: "New key" }).isEnabled())
    await dialog.getByRole("radiogroup", { name: "Licenses" }).getByLabel("See").click()
    await dialog.getByRole("radiogroup", { name: "Reports" }).getByLabel("Export").click()
    await dialog.getByLabel("Addresses").fill("somewhere")
    await dialog.getByRole("button", { name: "New key" }).click()
    await dialog.getByText("Must be an address range").first().waitFor()
    assert.deepStrictEqual(await visitor.axe(), [])
    await dialog.getByLabel("Addresses").fill("127.0.0.0/8, ::1/128")
    await dialog.getByLabel("Ends").selectOption("never")
    await dialog.getByRole("button", { name: "New key" }).click()
    await dialog.getByText("It is shown only once").waitFor()
    const me = (await service.call("GET", "/api/v1/whoami", { token: await shownKey(visitor) })).body.data
    assert.deepInclude(me, {
      scopes: ["license:read", "report:read", "report:export"],
      allowed_cidrs: ["127.0.0.0/8", "::1/128"]
    })
    assert.notProperty(me, "expires_at")
  })
})

describe("the list of keys", () => {
  it("finds each of 120, by search and page after page", async () => {
    for (let batch = 0; batch < 6; batch++) {
      await Promise.all(Array.from({ length: 20 }, (_, at) => keyOf({ name: `robot ${batch * 20 + at}` })))
    }
    const visitor = await opened({ path: `${path}?q=robot` })
    const { page } = visitor
    const rows = page.getByRole("table", { name: "API keys" }).getByRole("row")
    assert.strictEqual(await rows.count(), 51)
    await page.getByRole("button", { name: "Load more" }).click()
    await rows.nth(100).waitFor()
    await page.getByLabel("Name or beginning of the key").fill("robot 119")
    await visitor.shows(/\b1 result\b/)
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("warns of a key that nobody has used for 90 days, and says who made each", async () => {
    const { api_key } = await keyOf({ name: "forgotten", scopes: ["ops:read"] })
    const sql = await session(service.databaseUrl)
    await sql.query("UPDATE management_keys SET created_at = now() - interval '91 days' WHERE id = $1", [api_key.id])
    const visitor = await opened({ path: `${path}?q=forgotten` })
    const text = await rowOf(visitor, "forgotten").innerText()
    assert.include(text, "unused for 90 days")
    assert.include(text, "Admin token")
  })

  it("is empty in words, and refused in words to who may not see it", async () => {
    const visitor = await opened({ path: `${path}?q=no-such-key` })
    await visitor.shows("No matching keys")
    const { token } = await keyOf({ scopes: ["ops:read"] })
    const other = await opened({ token, path: "/console/operations" })
    assert.strictEqual(await other.page.getByRole("link", { name: "API keys" }).count(), 0)
    await other.goto(path)
    await other.shows("does not have the required scope")
    assert.strictEqual(await other.page.getByRole("button", { name: "New key" }).count(), 0)
  })
})

describe("a key", () => {
  it("is replaced: both work until the overlap ends, which the dialog says", async () => {
    const { token } = await keyOf({ name: "to rotate", scopes: ["ops:read"] })
    const visitor = await opened({ path: `${path}?q=to+rotate` })
    await rowOf(visitor, "to rotate").getByRole("button", { name: "Rotate" }).click()
    const dialog = dialogOf(visitor)
    assert.deepStrictEqual(await visitor.axe(), [])
    await dialog.getByRole("button", { name: "Rotate" }).click()
    await dialog.getByText("The previous key works until").waitFor()
    const next = await shownKey(visitor)
    assert.deepStrictEqual([await statusOf(token), await statusOf(next)], [200, 200])
    await dialog.getByRole("button", { name: "I saved it" }).click()
    await visitor.shows(/\b2 results\b/)
    // One of both ends at once where that is chosen.
    await rowOf(visitor, "never").getByRole("button", { name: "Rotate" }).click()
    await dialog.getByLabel("The previous key ends").selectOption("0")
    await dialog.getByRole("button", { name: "Rotate" }).click()
    await dialog.getByText("The previous key has ended.").waitFor()
    assert.strictEqual(await statusOf(next), 401)
    assert.strictEqual(await statusOf(await shownKey(visitor)), 200)
  })

  it("is revoked once its beginning is typed, and its next call is refused", async () => {
    const name = `<b>Left</b> ${randomUUID()}`
    const { api_key: { key_prefix }, token } = await keyOf({ name, scopes: ["ops:read"] })
    assert.strictEqual(await statusOf(token), 200)
    const visitor = await opened({ path: `${path}?active=all` })
    const row = rowOf(visitor, name)
    assert.match(await row.innerText(), /see the health of the service[^]*(ago|just now)[^]*never/)
    await row.getByRole("button", { name: "Revoke" }).click()
    const dialog = dialogOf(visitor)
    assert.isFalse(await dialog.getByRole("button", { name: "Revoke" }).isEnabled())
    await dialog.getByLabel(`Type ${key_prefix} to confirm`).fill(key_prefix)
    await dialog.getByRole("button", { name: "Revoke" }).click()
    await dialog.getByRole("button", { name: "Close" }).click()
    await row.filter({ hasText: "revoked" }).waitFor()
    assert.strictEqual(await row.getByRole("button", { name: "Revoke" }).count(), 0)
    assert.strictEqual(await statusOf(token), 401)
    assert.deepStrictEqual(visitor.wrong, [])
  })
})
