// What people lose by a slip in other consoles: a secret that is shown once, what they have typed, what they have chosen.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { onTestFinished } from "vitest"
import { openBrowser } from "../../fixtures/Browser.ts"
import type { Browser, Page } from "../../fixtures/Browser.ts"
import { deskOrPhone, openPlace, visit } from "../../fixtures/Console.ts"
import type { Visitor } from "../../fixtures/Console.ts"
import { startReceiver } from "../../fixtures/Receiver.ts"
import type { Receiver } from "../../fixtures/Receiver.ts"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

let browser: Browser
let service: Service
let receiver: Receiver

beforeAll(async () => {
  ;[service, browser, receiver] = await Promise.all([
    startService(),
    openBrowser(),
    startReceiver()
  ])
})
afterAll(() => browser.close())

const opened = async (options: Parameters<typeof visit>[2] = {}): Promise<Visitor> => {
  const visitor = await visit(browser, service, options)
  onTestFinished(() => visitor.close())
  return visitor
}

/** A license that ends, so that it can be renewed. */
const issue = async (customer_name: string) =>
  (await service.issue({ license: { customer_name, expires_at: "2999-01-01T00:00:00Z" } })).license

/** Opens the page of a license from the list, as people do; one goes back to the list. */
const openLicense = async (visitor: Visitor, id: string): Promise<void> => {
  await visitor.goto("/console/licenses")
  await visitor.page.locator(`a.lead[href$="${id}"]`).click()
  await visitor.page.getByRole("button", { name: "Transfer", exact: true }).waitFor()
}

/** Opens the page of webhooks from the one that was opened first. */
const openWebhooks = async (visitor: Visitor): Promise<void> => {
  const { page, settle } = visitor
  await openPlace(visitor, "Operations")
  await openPlace(visitor, "Webhooks")
  await page.getByRole("button", { name: "New endpoint", exact: true }).waitFor()
  await settle()
}

const tokenWith = (scopes: ReadonlyArray<string>): Promise<Body> =>
  service.data("POST", "/api/v1/api-keys", { name: "of a test", scopes })

const supporter = ["license:read", "license:write", "device:write", "report:read"]

/** What went wrong beside the refusals that a test provokes, of which the browser tells too. */
const unexpected = ({ wrong }: Visitor) => wrong.filter((text) => !text.startsWith("Failed to load resource"))

/** The button of a dialog that does what it asks for. */
const confirm = (page: Page, name: string) => page.getByRole("dialog").getByRole("button", { name, exact: true })

/** Signs in over the page with another token, and says that the page is one's own. */
const goOnWith = async (visitor: Visitor, token: string): Promise<void> => {
  await visitor.signIn(token)
  await confirm(visitor.page, "Continue").click()
  await visitor.settle()
}

/** Where each secret comes from that the console shows once: the page, what opens the dialog, and how the secret is called. */
const secrets = [
  ["a license key", async (page: Page, visitor: Visitor) => {
    await openLicense(visitor, (await issue("Rotated")).id)
    await page.getByRole("button", { name: "Rotate key", exact: true }).click()
    await confirm(page, "Rotate key").click()
    return "New license key"
  }],
  ["the secret of a new endpoint", async (page: Page, visitor: Visitor) => {
    await openWebhooks(visitor)
    await page.getByRole("button", { name: "New endpoint", exact: true }).click()
    await page.getByRole("dialog").getByLabel("Name").fill("Billing")
    await page.getByRole("dialog").getByLabel("URL", { exact: true }).fill(receiver.url)
    await confirm(page, "New endpoint").click()
    return "Signing secret"
  }],
  ["a secret that was rotated", async (page: Page, visitor: Visitor) => {
    await service.data("POST", "/api/v1/webhooks", { name: "Rotated", url: receiver.url })
    await openWebhooks(visitor)
    await page.getByRole("button", { name: "Rotate secret", exact: true }).first().click()
    await confirm(page, "Rotate secret").click()
    return "Signing secret"
  }]
] as const

describe.each(deskOrPhone("losing"))("at the %s", (_name, look) => {
  it.each(secrets)("%s that is shown once goes by one button alone, however one slips", async (_what, make) => {
    const visitor = await opened({ look })
    const { page } = visitor
    const label = await make(page, visitor)
    const shown = page.getByLabel(label, { exact: true })
    const secret = await shown.innerText()
    assert.match(secret, /^(CS-|whsec_)/)
    const address = page.url()
    const isThere = async (after: string) => {
      await visitor.settle()
      assert.isTrue(await page.getByRole("dialog").isVisible(), after)
      assert.strictEqual(await shown.innerText(), secret, after)
      assert.strictEqual(page.url(), address, after)
    }
    await isThere("it is shown")
    await page.mouse.click(3, 3)
    await isThere("a click beside it")
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press("Escape")
    await isThere("Escape")
    for (let presses = 0; presses < 2; presses++) await page.keyboard.press("Enter")
    await isThere("the Enter that sent it, pressed twice")
    await page.evaluate("history.back()")
    await isThere("Back")
    await page.evaluate("history.back()")
    await isThere("Back once more")
    assert.isTrue(
      await page.evaluate<boolean>("!dispatchEvent(new Event('beforeunload', { cancelable: true }))"),
      "the browser asks before it loads the page anew"
    )
    await visitor.shows("Store it safely before you close this dialog.")
    assert.deepStrictEqual(await visitor.look(), { headings: 1, wider: 0, outside: [] })
    assert.deepStrictEqual(await visitor.axe(), [])
    await page.getByRole("dialog").getByRole("button", { name: "Copy", exact: true }).click()
    await visitor.shows("Copied. Store it safely")
    await confirm(page, "I saved it").click()
    await page.getByRole("dialog").waitFor({ state: "hidden" })
    await visitor.settle()
    assert.notStrictEqual(await visitor.focus(), "body")
    // From here on one goes back as ever.
    await page.goBack()
    await eventually("Back leads back", () => page.url() !== address)
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("a form outlives the session: who signs in over it goes on, and nothing is done twice", async () => {
    const license = await issue("Grace Hopper")
    const { api_key, token } = await tokenWith(supporter)
    const visitor = await opened({ look, token })
    const { page } = visitor
    await openLicense(visitor, license.id)
    await page.getByRole("button", { name: "Transfer", exact: true }).click()
    const typed = {
      "New owner's name": "Katherine Johnson",
      "New owner's email": "katherine@example.com",
      "Reason (optional)": "She has taken over"
    }
    for (const [field, text] of Object.entries(typed)) await page.getByLabel(field, { exact: true }).fill(text)
    await service.data("DELETE", `/api/v1/api-keys/${api_key.id}`)
    const keys: Array<string> = []
    await page.route(/\/transfer$/, async (route) => {
      keys.push(route.request().headers()["idempotency-key"] ?? "")
      await route.continue()
    })
    await confirm(page, "Transfer").click()
    const over = page.getByRole("dialog", { name: "Sign in again" })
    await over.waitFor()
    const isWhole = async () => {
      for (const [field, text] of Object.entries(typed)) {
        assert.strictEqual(await page.getByLabel(field, { exact: true }).inputValue(), text)
      }
      assert.isTrue(await over.isVisible())
      assert.strictEqual(await page.getByRole("heading", { level: 1 }).first().innerText(), "Grace Hopper\nactive")
    }
    await visitor.shows("You were signed out")
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press("Escape")
    await page.mouse.click(3, 3)
    await page.evaluate("history.back()")
    await visitor.settle()
    await isWhole()
    // The tab keeps what was typed, and no token.
    assert.deepStrictEqual(
      await page.evaluate<ReadonlyArray<string>>(
        "Object.keys(sessionStorage).filter((name) => /^countersign\\.(token|known)\\./.test(name))"
      ),
      []
    )
    assert.deepStrictEqual(await visitor.look(), { headings: 1, wider: 0, outside: [] })
    assert.deepStrictEqual(await visitor.axe(), [])
    // Nor does a token that is none lose anything.
    await over.getByLabel("Token").fill("csk_none")
    await over.getByRole("button", { name: "Sign in", exact: true }).click()
    await over.getByText("UNAUTHENTICATED").waitFor()
    await isWhole()
    assert.strictEqual(await over.getByLabel("Token").inputValue(), "csk_none")
    await goOnWith(visitor, (await tokenWith(supporter)).token)
    await visitor.shows("Transferred to Katherine Johnson")
    assert.isAtLeast(keys.length, 2)
    assert.lengthOf([...new Set(keys)], 1)
    const { customer_name, times_transferred } = await service.data("GET", `/api/v1/licenses/${license.id}`)
    assert.deepStrictEqual({ customer_name, times_transferred }, {
      customer_name: "Katherine Johnson",
      times_transferred: 1
    })
    assert.deepStrictEqual(unexpected(visitor), [])
  })
})

describe("a session that ends", () => {
  it("can be left for good, and then nothing of it is shown", async () => {
    const license = await issue("Left")
    const { api_key, token } = await tokenWith(supporter)
    const visitor = await opened({ token })
    const { page } = visitor
    await visitor.goto(`/console/licenses/${license.id}`)
    await service.data("DELETE", `/api/v1/api-keys/${api_key.id}`)
    await page.getByRole("button", { name: "Suspend", exact: true }).click()
    await confirm(page, "Suspend").click()
    await page.getByRole("button", { name: "Leave page", exact: true }).click()
    await page.getByRole("heading", { name: "Sign in with a token", level: 1 }).waitFor()
    assert.notInclude(await page.evaluate<string>("document.body.innerText"), "Left")
    assert.deepStrictEqual(unexpected(visitor), [])
  })

  it("keeps what was typed for who goes on with a token that may less, and says what it lacks", async () => {
    const license = await issue("Lesser")
    const { api_key, token } = await tokenWith(supporter)
    const visitor = await opened({ token })
    const { page } = visitor
    await visitor.goto(`/console/licenses/${license.id}`)
    await page.getByRole("button", { name: "Transfer", exact: true }).click()
    const name = page.getByLabel("New owner's name")
    await name.fill("Mary Jackson")
    await service.data("DELETE", `/api/v1/api-keys/${api_key.id}`)
    await confirm(page, "Transfer").click()
    await goOnWith(visitor, (await tokenWith(["license:read"])).token)
    await visitor.shows("TOKEN_SCOPE_DENIED")
    assert.strictEqual(await name.inputValue(), "Mary Jackson")
    assert.deepStrictEqual(unexpected(visitor), [])
  })

  it("shows another person nothing of it, and does nothing of it in their name", async () => {
    const license = await issue("Private Person")
    const { api_key, token } = await tokenWith(supporter)
    const visitor = await opened({ token })
    const { page } = visitor
    await openLicense(visitor, license.id)
    await page.getByRole("button", { name: "Transfer", exact: true }).click()
    await page.getByLabel("New owner's name", { exact: true }).fill("Nobody Else")
    await service.data("DELETE", `/api/v1/api-keys/${api_key.id}`)
    await confirm(page, "Transfer").click()
    const over = page.getByRole("dialog", { name: "Sign in again" })
    await over.getByLabel("Token").fill((await tokenWith(["report:read"])).token)
    const sent = () => visitor.requests.filter(({ url }) => url.endsWith("/transfer")).length
    const before = sent()
    await over.getByLabel("Token").press("Enter")
    await over.getByRole("button", { name: "Start over", exact: true }).waitFor()
    await page.keyboard.press("Enter")
    await page.keyboard.press("Escape")
    await visitor.settle()
    await visitor.shows("This page was opened with another token: of a test")
    assert.deepStrictEqual(await visitor.axe(), [])
    await over.getByRole("button", { name: "Start over", exact: true }).click()
    await over.waitFor({ state: "hidden" })
    const isClean = async () => {
      await visitor.settle()
      const text = await page.evaluate<string>("document.body.innerText")
      assert.notInclude(text, "Private Person")
      assert.notInclude(text, "Nobody Else")
    }
    await isClean()
    await page.goBack()
    await isClean()
    assert.strictEqual(sent(), before)
    const { times_transferred } = await service.data("GET", `/api/v1/licenses/${license.id}`)
    assert.strictEqual(times_transferred, 0)
    assert.deepStrictEqual(unexpected(visitor), [])
  })

  it("does not take away the secret that is shown", async () => {
    await service.data("POST", "/api/v1/webhooks", { name: "Session", url: receiver.url })
    const { api_key, token } = await tokenWith(["webhook:write"])
    const visitor = await opened({ token, path: "/console/webhooks" })
    const { page } = visitor
    await page.getByRole("button", { name: "Rotate secret", exact: true }).first().click()
    await confirm(page, "Rotate secret").click()
    const secret = await page.getByLabel("Signing secret", { exact: true }).innerText()
    await service.data("DELETE", `/api/v1/api-keys/${api_key.id}`)
    // The page asks again by itself.
    await page.getByRole("dialog", { name: "Sign in again" }).waitFor()
    assert.strictEqual(await page.getByLabel("Signing secret", { exact: true }).innerText(), secret)
    await goOnWith(visitor, (await tokenWith(["webhook:write"])).token)
    assert.strictEqual(await page.getByLabel("Signing secret", { exact: true }).innerText(), secret)
    await confirm(page, "I saved it").click()
    assert.deepStrictEqual(unexpected(visitor), [])
  })
})

describe("a dialog with entered values", () => {
  it("is open again after a reload, keeps them when it is closed by a slip, and asks once before the page is left", async () => {
    const license = await issue("Kept")
    const visitor = await opened()
    const { page } = visitor
    await openLicense(visitor, license.id)
    const address = page.url()
    const name = page.getByLabel("New owner's name", { exact: true })
    const reason = page.getByLabel("Reason (optional)", { exact: true })
    const open = () => page.getByRole("button", { name: "Transfer", exact: true }).click()
    await open()
    await name.fill("Dorothy Vaughan")
    await reason.fill("She has taken over")
    await page.reload()
    await name.waitFor()
    assert.deepStrictEqual([await name.inputValue(), await reason.inputValue()], [
      "Dorothy Vaughan",
      "She has taken over"
    ])
    await visitor.settle()
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "hidden" })
    await open()
    assert.strictEqual(await name.inputValue(), "Dorothy Vaughan")
    await page.evaluate("history.back()")
    const leave = page.getByRole("dialog", { name: "Leave this page?" })
    await leave.getByRole("button", { name: "Stay" }).click()
    assert.strictEqual(page.url(), address)
    await page.evaluate("history.back()")
    await leave.getByRole("button", { name: "Leave" }).click()
    await eventually("the page is left", () => page.url() === `${service.url}/console/licenses`)
    await page.goForward()
    await open()
    assert.strictEqual(await name.inputValue(), "Dorothy Vaughan")
    await confirm(page, "Cancel").click()
    await open()
    assert.deepStrictEqual([await name.inputValue(), await reason.inputValue()], ["", ""])
    await name.fill("Annie Easley")
    await confirm(page, "Transfer").click()
    await visitor.shows("Transferred to Annie Easley")
    await page.reload()
    await visitor.settle()
    assert.strictEqual(await page.getByRole("dialog").count(), 0)
    await open()
    assert.strictEqual(await name.inputValue(), "", "what is sent is not given back")
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("a dialog of an endpoint", () => {
  it("keeps an overlap through a reload, and says that a header with its secret value is lost", async () => {
    await service.data("POST", "/api/v1/webhooks", { name: "Drafted", url: receiver.url })
    const visitor = await opened()
    await openWebhooks(visitor)
    const { page } = visitor
    const minutes = page.getByLabel("Overlap (minutes)")
    await page.getByRole("button", { name: "Rotate secret", exact: true }).first().click()
    await minutes.fill("5")
    await page.reload()
    await minutes.waitFor()
    assert.strictEqual(await minutes.inputValue(), "5")
    await confirm(page, "Cancel").click()
    await page.getByRole("button", { name: "Change delivery", exact: true }).first().click()
    await page.getByLabel("Header", { exact: true }).fill("X-Api-Key")
    await page.evaluate("history.back()")
    const leave = page.getByRole("dialog", { name: "Leave this page?" })
    await leave.getByText("are lost when you leave").waitFor()
    await leave.getByRole("button", { name: "Stay" }).click()
    assert.strictEqual(await page.getByLabel("Header", { exact: true }).inputValue(), "X-Api-Key")
    assert.deepStrictEqual(unexpected(visitor), [])
  })
})

describe("an input method", () => {
  it("keeps the keys that it takes: its Enter opens nothing, its arrows go nowhere", async () => {
    const { id } = await issue("山田太郎")
    await issue("山田花子")
    const visitor = await opened({ path: "/console/licenses" })
    const { page } = visitor
    const protocol = await visitor.protocol()
    const press = async (key: string, composing: boolean) => {
      const windowsVirtualKeyCode = composing ? 229 : { Enter: 13, Escape: 27, ArrowDown: 40 }[key]
      await protocol.send("Input.dispatchKeyEvent", { type: "rawKeyDown", key, code: key, windowsVirtualKeyCode })
      await protocol.send("Input.dispatchKeyEvent", { type: "keyUp", key, code: key, windowsVirtualKeyCode })
    }
    const before = page.url()
    await page.keyboard.press("/")
    await protocol.send("Input.imeSetComposition", { text: "山田", selectionStart: 2, selectionEnd: 2 })
    const options = page.getByRole("option")
    await options.filter({ hasText: "山田花子" }).waitFor()
    const chosen = () => page.evaluate<string | null>("document.activeElement.getAttribute('aria-activedescendant')")
    const first = await chosen()
    for (const key of ["Enter", "ArrowDown"]) {
      await press(key, true)
      await visitor.settle()
      assert.strictEqual(page.url(), before, key)
      assert.strictEqual(await chosen(), first, key)
      assert.strictEqual(await visitor.focus(), "input: Search", key)
    }
    // WebKit ends the composition first: only the code tells.
    await protocol.send("Input.insertText", { text: "山田太郎" })
    await options.filter({ hasText: "山田太郎" }).waitFor()
    await eventually("the other one is gone", async () => await options.filter({ hasText: "山田花子" }).count() === 0)
    await press("Enter", true)
    await visitor.settle()
    assert.strictEqual(page.url(), before)
    // Others end it first, and then tell of an Enter like any other.
    await page.evaluate(`{
      const field = document.activeElement
      field.dispatchEvent(new CompositionEvent("compositionend", { bubbles: true }))
      field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", keyCode: 13, bubbles: true, cancelable: true }))
    }`)
    await visitor.settle()
    assert.strictEqual(page.url(), before)
    const composed = await page.evaluate<number>("performance.now()")
    await eventually(
      "the Enter belongs to the person",
      async () => await page.evaluate<number>("performance.now()") - composed > 100
    )
    await press("Enter", false)
    await eventually("the license is opened", () => page.url() === `${service.url}/console/licenses/${id}`)
    await visitor.settle()
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("a number", () => {
  it.each([
    ["Renew", "Days to add", "365", "0", "Enter a whole number from 1 to 99,999"],
    ["Rotate key", "Overlap (hours)", "24", "9999", "Enter a whole number from 0 to 2,160"]
  ])("of %s stays as it was typed under the wheel, and is judged where it stands", async (action, label, ...values) => {
    const [usual, wrong, why] = values
    const visitor = await opened()
    const { page } = visitor
    await visitor.goto(`/console/licenses/${(await issue("Wheel")).id}`)
    await page.getByRole("button", { name: action, exact: true }).click()
    const field = page.getByLabel(label, { exact: true })
    assert.strictEqual(await field.inputValue(), usual)
    await field.focus()
    await field.hover()
    for (let turns = 0; turns < 3; turns++) await page.mouse.wheel(0, 120)
    await page.keyboard.press("ArrowUp")
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
    assert.strictEqual(await field.inputValue(), usual)
    assert.strictEqual(await field.getAttribute("inputmode"), "numeric")
    for (const text of [wrong!, "12a", "1.5", "-3"]) {
      await field.fill(text)
      await visitor.shows(why!)
      assert.isFalse(await confirm(page, action).isEnabled(), text)
    }
    await field.fill(" 7 ")
    assert.isTrue(await confirm(page, action).isEnabled())
    assert.deepStrictEqual(await visitor.axe(), [])
    assert.deepStrictEqual(visitor.wrong, [])
  })
})
