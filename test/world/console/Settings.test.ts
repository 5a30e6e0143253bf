// The settings of a vendor in the console: where a reason is required, how people sign in, a brand, and the words of mails.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { onTestFinished } from "vitest"
import { openBrowser } from "../../fixtures/Browser.ts"
import type { Browser } from "../../fixtures/Browser.ts"
import { confirm, looks, visit } from "../../fixtures/Console.ts"
import type { Visitor } from "../../fixtures/Console.ts"
import { decodedSubject, MailServer } from "../../fixtures/MailServer.ts"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import { eventually } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"
import { signInAs } from "../../fixtures/SignedIn.ts"
import type { SignedIn } from "../../fixtures/SignedIn.ts"

takeTurns()

const server = await new MailServer().start()

let browser: Browser
let service: Service
let owner: SignedIn

beforeAll(async () => {
  const environment = { COUNTERSIGN_SMTP_URL: server.url, COUNTERSIGN_MAIL_FROM: "Acme <licenses@acme.example>" }
  ;[service, browser] = await Promise.all([startService({ environment }), openBrowser()])
  owner = await signInAs(service, "Ada Owner", ["owner"])
})
afterAll(() => browser.close())

/** A PNG of one pixel. */
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64"
)

/** Whether the logo of the page was loaded, and is an image. */
const hasLogo = ({ page }: Visitor): Promise<boolean> =>
  page.evaluate("(document.querySelector('.brand img')?.naturalWidth ?? 0) > 0")

const opened = async (path: string, look: Parameters<typeof visit>[2] = {}): Promise<Visitor> => {
  const visitor = await visit(browser, service, { person: owner, path, ...look })
  onTestFinished(() => visitor.close())
  await visitor.settle()
  return visitor
}

const clean = async (visitor: Visitor): Promise<void> => {
  assert.deepStrictEqual(await visitor.look(), { headings: 1, wider: 0, outside: [] })
  assert.deepStrictEqual(await visitor.axe(), [])
}

describe("a reason", () => {
  it("that an owner requires is asked for before anything is sent, with the suggestions of the owner", async () => {
    const { license } = await service.issue()
    const visitor = await opened("/console/settings", { look: looks.phoneAtNight })
    const { page } = visitor
    await clean(visitor)
    await page.getByRole("button", { name: "Change reasons" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("checkbox", { name: "License suspended" }).click()
    await dialog.getByLabel("Suggested reasons").fill("Refund\nPrank call")
    await clean(visitor)
    await confirm(visitor, "Save 2 changes")
    assert.deepInclude(await service.data("GET", "/api/v1/settings"), {
      required_reasons: ["license.suspended"],
      suggested_reasons: ["Refund", "Prank call"]
    })
    await visitor.goto(`/console/licenses/${license.id}`)
    await page.locator("main").getByRole("button", { name: "Suspend", exact: true }).first().click()
    const suspend = dialog.getByRole("button", { name: "Suspend", exact: true })
    await dialog.getByText("Required here").waitFor()
    assert.isFalse(await suspend.isEnabled())
    await dialog.getByRole("button", { name: "Prank call" }).click()
    assert.isTrue(await suspend.isEnabled())
    await confirm(visitor, "Suspend")
    const [event] = await service.feed(`&event_type=license.suspended&resource_id=${license.id}`)
    assert.strictEqual(event.metadata.reason_given, "Prank call")
    await service.call("PATCH", "/api/v1/settings", { body: { required_reasons: [] } })
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("the page of sign-in", () => {
  it("shows what the service was started with, and changes none of it", async () => {
    const visitor = await opened("/console/settings/sign-in", { look: looks.phone })
    await visitor.shows(/COUNTERSIGN_OIDC_ISSUER sets one/)
    await visitor.shows("12 hours after it began")
    await clean(visitor)
    assert.strictEqual(await visitor.page.locator("main input").count(), 0)
    assert.deepStrictEqual(visitor.wrong, [])
  })
})

describe("a brand", () => {
  it("is entered with its contrast shown, and stands on the sign-in page, in the head and in the title", async () => {
    const visitor = await opened("/console/settings/brand")
    const { page } = visitor
    await page.getByRole("button", { name: "Change brand" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Name").fill("Acme Keys")
    await dialog.getByLabel("Color").fill("#ffe9")
    await dialog.getByText("Enter # and six digits").waitFor()
    assert.isFalse(await dialog.getByRole("button", { name: /^Save/ }).isEnabled())
    await dialog.getByLabel("Color").fill("#FFE94A")
    assert.include(await dialog.getByRole("group", { name: "Contrast" }).innerText(), "Light 1.1:1 (hard to see)")
    const file = (buffer: Uint8Array) => ({ name: "logo.png", mimeType: "image/png", buffer })
    await dialog.getByLabel("Logo", { exact: true }).setInputFiles(file(Buffer.alloc(33_000)))
    await dialog.getByText("Choose an image of at most 32 KiB.").waitFor()
    await dialog.getByLabel("Logo", { exact: true }).setInputFiles(file(pixel))
    await dialog.getByRole("img", { name: "The logo" }).waitFor()
    await clean(visitor)
    await confirm(visitor, "Save 3 changes")
    let answer = () => {}
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route(/\/api\/v1\/settings$/, async (route) => {
      await isAnswered
      await route.continue()
    })
    await page.goto(`${service.url}/console/licenses`)
    await page.getByRole("heading", { level: 1, name: "Licenses" }).waitFor()
    assert.strictEqual(await page.title(), "Licenses")
    assert.strictEqual(await page.locator(".side .brand").innerText(), "", "no name is shown before the vendor's")
    answer()
    await visitor.shows("Acme Keys")
    await page.unroute(/\/api\/v1\/settings$/)
    await visitor.goto("/console/licenses")
    assert.isTrue(await hasLogo(visitor))
    assert.include(await page.locator(".side .brand").innerText(), "Acme Keys")
    assert.strictEqual(await page.title(), "Licenses · Acme Keys")
    const stranger = await visit(browser, service, { token: null })
    onTestFinished(() => stranger.close())
    await stranger.shows("Acme Keys")
    assert.isTrue(await hasLogo(stranger))
    assert.strictEqual(await stranger.page.title(), "Sign in · Acme Keys")
    assert.deepStrictEqual(await stranger.axe(), [])
    const { id } = await service.data("POST", "/api/v1/people", { name: "Jun Newcomer", roles: [] })
    const { invitation } = await service.data("POST", `/api/v1/people/${id}/invite`)
    await stranger.goto(`/console/join#${invitation}`)
    await stranger.shows("Join Acme Keys")
    assert.isTrue(await hasLogo(stranger))
    assert.deepStrictEqual([...visitor.wrong, ...stranger.wrong], [])
  })

  it("is no page of who is no owner, who reads whom to ask", async () => {
    const helper = await signInAs(service, "Sam Support", ["support"])
    const visitor = await opened("/console/settings/brand", { person: helper })
    await visitor.shows("You need admin for this.")
    await visitor.shows("Ada Owner can give it to you.")
    assert.strictEqual(await visitor.page.getByRole("link", { name: "Settings" }).count(), 0)
  })
})

describe("the words of mails", () => {
  it("are changed with a preview that runs nothing, kept once they can be rendered, sent to oneself, and reset", async () => {
    await service.data("PATCH", `/api/v1/people/${owner.id}`, { email: "ada@acme.example" })
    const visitor = await opened("/console/settings/mail", { look: looks.phoneAtNight })
    const { page } = visitor
    await visitor.shows("Acme <licenses@acme.example>")
    await clean(visitor)
    await page.getByRole("button", { name: "Suppress address" }).click()
    await page.getByRole("dialog").getByLabel("Address").fill("gone@example.com")
    await page.getByRole("dialog").getByLabel("Reason").selectOption("opted_out")
    await confirm(visitor, "Suppress address")
    await page.getByRole("table", { name: "Addresses without mails" }).getByText("gone@example.com").waitFor()
    const [suppressed] = await service.data("GET", "/api/v1/settings/mail/suppressions")
    assert.deepInclude(suppressed, { address: "gone@example.com", reason: "opted_out" })
    await visitor.settle()
    await clean(visitor)
    await page.getByRole("button", { name: "Lift" }).click()
    await confirm(visitor, "Lift")
    await page.getByText("Mailboxes that a mail server refuses are listed here").waitFor()
    await page.getByRole("link", { name: "License issued, with the key" }).click()
    await page.getByRole("link", { name: "German" }).click()
    const framed = (text: string) =>
      eventually(`the frame says ${text}`, async () => {
        const shown = await page.evaluate(
          "document.querySelector('iframe.mail')?.contentDocument?.body?.innerText ?? ''"
        )
        return String(shown).includes(text) ? true : undefined
      })
    await framed("Guten Tag Ada Lovelace,")
    await visitor.settle()
    await clean(visitor)
    assert.strictEqual(
      await page.evaluate("document.querySelector('iframe.mail').contentDocument.querySelector('div').style.maxWidth"),
      "576px"
    )
    const body = page.getByLabel("Body")
    await body.fill("Hallo {{ customer_name }}")
    await page.getByText("line 1: undefined variable: customer_name").waitFor()
    const save = page.getByRole("button", { name: "Save template" })
    assert.isFalse(await save.isEnabled())
    await body.fill("Hallo **{{ product }}** <script>alert(1)</script>")
    await framed("Hallo Acme Studio <script>alert(1)</script>")
    await save.click()
    await page.getByText("Your template").waitFor()
    assert.isTrue((await service.data("GET", "/api/v1/settings/mail/templates/license_issued/de")).is_own)
    await page.getByRole("button", { name: "Send to me" }).click()
    await page.getByText("The sample was sent").waitFor()
    const [mail] = await server.to("ada@acme.example")
    assert.strictEqual(decodedSubject(mail!), "[Sample] Ihr Lizenzschlüssel für Acme Studio")
    await clean(visitor)
    await page.getByRole("button", { name: "Reset template" }).click()
    await confirm(visitor, "Reset template")
    await page.getByText("Template that ships").waitFor()
    assert.deepStrictEqual(visitor.wrong.filter((text) => !text.includes("422")), [])
  })
})
