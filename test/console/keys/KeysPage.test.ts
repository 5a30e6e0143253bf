// The page of API keys, rendered in memory: what is listed and asked for, what a new key is made of, and what is shown once.
import { assert, describe, it } from "@effect/vitest"
import type { ApiKey } from "../../../src/client/api/index.ts"
import { anyone, Refused } from "../../fixtures/ConsoleAnswers.ts"
import type { Answers } from "../../fixtures/ConsoleAnswers.ts"
import { openTab, read } from "../../fixtures/ConsoleTab.ts"
import type { Tab } from "../../fixtures/ConsoleTab.ts"
import { product } from "../../fixtures/ConsoleVendor.ts"

const key = (more: Partial<ApiKey> = {}): ApiKey => ({
  id: `key_${"1".repeat(26)}`,
  name: "Web shop",
  key_prefix: "csk_aaaa",
  scopes: ["license:read", "license:write"],
  allowed_cidrs: [],
  is_active: true,
  created_at: "2026-03-01T10:00:00.000Z",
  ...more
})

const token = "csk_shown-once-and-never-again"
const made = { api_key: key(), token }

const opened = async (keys: Answers["apiKeys"] = {}, path = "/console/keys"): Promise<Tab> => {
  const tab = await openTab(path, { answers: { apiKeys: keys, products: { list: [product] } } })
  await tab.role("heading", "API keys")
  return tab
}

const isBlocked = (button: HTMLElement) => button.hasAttribute("disabled")

describe("a new key", () => {
  it("is made of a name and a use, limited and for 90 days, and its token is shown once with a command", async () => {
    const tab = await opened({ create: made })
    await tab.press("New key")
    const dialog = await tab.dialog("New key")
    const send = dialog.getByRole("button", { name: "New key" })
    assert.isTrue(isBlocked(send), "a key needs a name")
    assert.isTrue(dialog.getByLabelText("Name").hasAttribute("autofocus"))
    await tab.fill("Name", " Web shop ", dialog)
    dialog.getByText("Only these").click()
    await tab.until("a product is wanted", () => isBlocked(send))
    await tab.press(product.name, "checkbox", dialog)
    await tab.until("it can be sent", () => !isBlocked(send))
    assert.include(
      read(dialog.element),
      "The key may see products and purchases, issue and change licenses, change customers."
    )
    await tab.press("New key", "button", dialog)
    await tab.shows(token)
    const [asked] = tab.service.of("apiKeys.create")
    const { expires_at, ...body } = Object(asked?.body)
    assert.deepStrictEqual(body, {
      name: "Web shop",
      scopes: ["product:read", "license:write", "customer:write"],
      allowed_cidrs: [],
      product_ids: [product.id]
    })
    assert.closeTo((Date.parse(expires_at) - Date.now()) / 86_400_000, 90, 0.1)
    assert.strictEqual(
      (await tab.dialog()).getByLabelText("curl command with the key").textContent,
      `curl http://console.test/api/v1/whoami -H "Authorization: Bearer ${token}"`
    )
    tab.key("Escape")
    assert.include(tab.text(), token)
    await tab.press("I saved it")
    await tab.until("the list is loaded anew", () => tab.service.of("apiKeys.list").length > 1)
    assert.notInclude(tab.document.documentElement.outerHTML, token)
    assert.notInclude(JSON.stringify(tab.kept()), token)
  })

  it("has a choice of its own for each area, addresses that are refused beside their field, and no end", async () => {
    const answers = [
      new Refused("VALIDATION_ERROR", {
        fields: [{ path: "allowed_cidrs.0", message: "Must be an address range" }]
      }),
      made
    ]
    const tab = await opened({ create: () => answers.shift() ?? made })
    await tab.press("New key")
    const dialog = await tab.dialog("New key")
    await tab.fill("Name", "Nightly", dialog)
    dialog.getByText("Own choice").click()
    const send = dialog.getByRole("button", { name: "New key" })
    await tab.until("nothing is chosen yet", () => isBlocked(send))
    for (const [area, level] of [["Licenses", "See"], ["Reports", "Export"]] as const) {
      const group = await tab.role("radiogroup", area, dialog)
      const choice = [...group.querySelectorAll("label")].find((label) => read(label) === level)
      choice?.click()
    }
    await tab.fill("Addresses (optional)", "somewhere", dialog)
    await tab.choose("Ends", "never", dialog)
    await tab.press("New key", "button", dialog)
    await tab.shows("Must be an address range")
    const field = dialog.getByLabelText("Addresses (optional)")
    assert.strictEqual(field.getAttribute("aria-invalid"), "true")
    await tab.until("the field has the focus", () => tab.document.activeElement === field)
    await tab.fill("Addresses (optional)", "127.0.0.0/8, ::1/128", dialog)
    await tab.press("New key", "button", dialog)
    await tab.shows(token)
    assert.deepStrictEqual(tab.bodies("apiKeys.create").at(-1), {
      name: "Nightly",
      scopes: ["license:read", "report:read", "report:export"],
      allowed_cidrs: ["127.0.0.0/8", "::1/128"]
    })
  })
})

describe("a key for a reseller", () => {
  it("is limited to products, a tag and a number, and to what resellers may", async () => {
    const tab = await opened({ create: made })
    await tab.press("New key")
    const dialog = await tab.dialog("New key")
    const send = dialog.getByRole("button", { name: "New key" })
    await tab.fill("Name", "Northwind", dialog)
    dialog.getByText("Reseller").click()
    await tab.fill("Tag of its licenses", " northwind ", dialog)
    await tab.until("products are wanted", () => isBlocked(send))
    dialog.getByText("Only these").click()
    await tab.press(product.name, "checkbox", dialog)
    await tab.until("it can be sent", () => !isBlocked(send))
    await tab.fill("Most licenses (optional)", "none", dialog)
    await tab.until("a number is wanted", () => isBlocked(send))
    await tab.fill("Most licenses (optional)", "20", dialog)
    await tab.choose("Ends", "never", dialog)
    await tab.press("New key", "button", dialog)
    await tab.shows(token)
    assert.deepStrictEqual(tab.bodies("apiKeys.create").at(-1), {
      name: "Northwind",
      scopes: ["license:write", "device:write"],
      allowed_cidrs: [],
      product_ids: [product.id],
      license_tag: "northwind",
      max_licenses: 20
    })
  })
})

describe("the list of keys", () => {
  it("asks for the active ones, and for others and by a name when that is chosen", async () => {
    const tab = await opened({ list: [] })
    await tab.shows("No API keys")
    await tab.fill("Name or beginning of the key", "robot")
    await tab.shows("No matching keys")
    await tab.until(
      "the name is asked for",
      () => tab.service.of("apiKeys.list").some(({ query }) => query["q"] === "robot")
    )
    assert.include(tab.address(), "q=robot")
  })

  it("warns of a key that nobody has used for 90 days, and says what each may do", async () => {
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
    const tab = await opened({
      list: [
        key({ name: "forgotten", created_at: ago(91) }),
        key({ id: `key_${"2".repeat(26)}`, name: "fresh", created_at: ago(89) }),
        key({ id: `key_${"3".repeat(26)}`, name: "gone", is_active: false, created_at: ago(91) })
      ]
    })
    await tab.shows("forgotten")
    const row = (name: string) =>
      read([...tab.document.querySelectorAll("tbody tr")].find((each) => read(each).includes(name))!)
    assert.include(row("forgotten"), "unused for 90 days")
    assert.include(row("forgotten"), "issue and change licenses")
    assert.notInclude(row("fresh"), "unused for 90 days")
    assert.include(row("gone"), "revoked")
    assert.notInclude(row("gone"), "Rotate")
  })
})

describe("a key", () => {
  it("is replaced with an overlap, which its outcome says", async () => {
    const until = "2031-01-15T00:00:00.000Z"
    const answers = [{ ...made, previous: key({ expires_at: until }) }, {
      ...made,
      previous: key({ is_active: false })
    }]
    const tab = await opened({ list: [key()], rotate: () => answers.shift()! })
    for (
      const [overlap, says] of [["1440", /The previous key works until 15 Jan 2031/], [
        "0",
        /The previous key has ended\./
      ]] as const
    ) {
      await tab.press("Rotate")
      const dialog = await tab.dialog("Rotate")
      await tab.choose("The previous key ends", overlap, dialog)
      await tab.press("Rotate", "button", dialog)
      await tab.shows(says)
      await tab.press("I saved it")
      await tab.until("the dialog is closed", () => tab.queryAllByRole("dialog").length === 0)
    }
    assert.deepStrictEqual(tab.bodies("apiKeys.rotate"), [{ overlap_minutes: 1440 }, { overlap_minutes: 0 }])
  })

  it("is revoked once its beginning is typed, with a warning where it is the one that signed in", async () => {
    const tab = await opened({ list: [key({ id: anyone.id, name: "<b>Mine</b>" })], revoke: undefined })
    await tab.press("Revoke")
    const dialog = await tab.dialog("Revoke")
    assert.include(read(dialog.element), "<b>Mine</b>")
    assert.include(read(dialog.element), "You are signed in with this key.")
    assert.isTrue(isBlocked(dialog.getByRole("button", { name: "Revoke" })))
    await tab.fill("Type csk_aaaa to confirm", "csk_aaaa", dialog)
    await tab.press("Revoke", "button", dialog)
    await tab.shows(/<b>Mine<\/b> revoked\./)
    assert.deepStrictEqual(tab.service.of("apiKeys.revoke").map(({ params }) => params), [[anyone.id]])
  })
})
