// Opting out of notices by the link in one: whatever looks at links changes nothing, and no other text opens the page.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { axeFindings } from "../../fixtures/Axe.ts"
import { openBrowser } from "../../fixtures/Browser.ts"
import { freePort } from "../../fixtures/FreePort.ts"
import { headerOf, MailServer, plainOf } from "../../fixtures/MailServer.ts"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually } from "../../fixtures/Session.ts"
import { inTestOf, testDatabaseOf } from "../../fixtures/TestEnvironment.ts"

const server = await new MailServer().start()
const publicUrl = "https://licenses.acme.example"
const form = { "content-type": "application/x-www-form-urlencoded" }

let service: Service
let test: Service
/** Where the link of the first notice leads. */
let path: string
let license: Body

const unsigned = (method: string, at: string, options: { readonly raw?: string; readonly headers?: object } = {}) =>
  service.call(method, at, { token: null, ...options, headers: { ...options.headers } })

const suppressions = (): Promise<ReadonlyArray<Body>> => test.data("GET", "/api/v1/settings/mail/suppressions")

/** A license that expires, and what became of its mails. */
const expired = async (customer_email: string): Promise<Body> => {
  const { now } = await test.data("GET", "/api/v1/environment")
  const made = await test.issue({
    policy: { mails: ["license_issued", "license_expired"] },
    license: { customer_email, expires_at: new Date(Date.parse(now) + 3_600_000).toISOString() }
  })
  await test.data("PUT", "/api/v1/environment/clock", { advance: "PT2H" })
  return made.license
}

const mailsOf = ({ id }: Body): Promise<ReadonlyArray<Body>> =>
  eventually(`two mails of ${id} are settled`, async () => {
    const events = await test.feed(`&event_type=mail.*&resource_id=${id}`)
    return events.length >= 2 ? events : undefined
  })

beforeAll(async () => {
  service = await startService({
    environment: {
      PORT: String(await freePort()),
      COUNTERSIGN_PUBLIC_URL: publicUrl,
      COUNTERSIGN_SMTP_URL: server.url,
      COUNTERSIGN_MAIL_FROM: "Acme Licenses <licenses@acme.example>",
      COUNTERSIGN_MAIL_TEST_ADDRESSES: "Ada@example.com"
    }
  })
  test = inTestOf(service, testDatabaseOf(service))
  license = await expired("Ada@example.com")
  const mails = await server.to("Ada@example.com", 2)
  // Keys and notices have lanes of their own.
  const issued = mails.find((mail) => headerOf(mail, "Message-ID")!.includes("license_issued"))
  const notice = mails.find((mail) => mail !== issued)
  assert.isUndefined(headerOf(issued!, "List-Unsubscribe"), "a key is no notice")
  const [, link = ""] = /^<(.*)>$/.exec(headerOf(notice!, "List-Unsubscribe") ?? "") ?? []
  assert.strictEqual(headerOf(notice!, "List-Unsubscribe-Post"), "List-Unsubscribe=One-Click")
  const unfolded = plainOf(notice!)
  assert.include(unfolded, `Stop these notices: ${link}`)
  assert.include(unfolded, `<a href="${link}"`)
  assert.isTrue(link.startsWith(`${publicUrl}/test/unsubscribe/`), link)
  assert.notInclude(link, "example.com/")
  path = link.slice(publicUrl.length)
})

describe("the link in a notice", () => {
  it("opts out by one click of a mail program, after scanners have looked, and keys still arrive; and back", async () => {
    for (const method of ["HEAD", "GET", "GET", "HEAD"]) {
      const { headers, status } = await unsigned(method, path)
      assert.strictEqual(status, 200)
      assert.include(headers["content-security-policy"], "script-src 'none'")
      assert.strictEqual(headers["cache-control"], "no-store")
    }
    assert.deepStrictEqual(await suppressions(), [], "a look changes nothing")
    const body = new FormData()
    body.set("List-Unsubscribe", "One-Click")
    const clicked = await fetch(service.url + path, { method: "POST", body, redirect: "manual" })
    assert.strictEqual(clicked.status, 200)
    assert.include(await clicked.text(), "You will get no more notices.")
    const [made, ...more] = await suppressions()
    assert.lengthOf(more, 0)
    assert.deepInclude(made, {
      address: "Ada@example.com",
      reason: "opted_out",
      covers: "notices",
      created_by: { type: "customer", id: license.id }
    })
    const again = await mailsOf(await expired("ada@example.com"))
    assert.sameDeepMembers(again.map(({ data, event_type }) => [event_type, data.kind, data.reason]), [
      ["mail.sent", "license_issued", undefined],
      ["mail.failed", "license_expired", "opted_out"]
    ])
    assert.strictEqual((await unsigned("POST", path, { raw: "List-Unsubscribe=One-Click", headers: form })).status, 200)
    assert.lengthOf(await suppressions(), 1, "a second click changes nothing")
    const back = await unsigned("POST", path, { raw: "resume=1", headers: { ...form, "accept-language": "de" } })
    assert.include(back.text, "Sie erhalten wieder Benachrichtigungen.")
    assert.deepStrictEqual(await suppressions(), [])
    const kinds = (await test.feed("&event_type=mail_suppression.*")).map(({ actor_type, event_type }) =>
      `${event_type} ${actor_type}`
    )
    assert.deepStrictEqual(kinds, ["mail_suppression.created customer", "mail_suppression.lifted customer"])
  })

  it("is read by the keyboard alone, at each width, and works in a browser", async () => {
    const browser = await openBrowser()
    const context = await browser.newContext({
      viewport: { width: 390, height: 844 },
      colorScheme: "light",
      locale: "en-US"
    })
    const shown = await context.newPage()
    const judged = async (name: string) => {
      for (const [colorScheme, width] of [["light", 390], ["dark", 1280]] as const) {
        await shown.setViewportSize({ width, height: 844 })
        await shown.emulateMedia({ colorScheme })
        assert.deepStrictEqual(await axeFindings(context, shown, ["minor", "moderate", "serious", "critical"]), [])
        assert.isTrue(await shown.evaluate("document.documentElement.scrollWidth <= innerWidth"), `${name}: too wide`)
        const folder = process.env["PORTAL_PICTURES"]
        if (folder !== undefined) await shown.screenshot({ path: `${folder}/${name}-${width}.png`, fullPage: true })
      }
    }
    await shown.goto(service.url + path)
    await judged("unsubscribe")
    for (const key of ["Tab", "Enter"]) await shown.keyboard.press(key)
    await shown.getByText("You will get no more notices.").waitFor()
    await judged("unsubscribed")
    for (const key of ["Tab", "Enter"]) await shown.keyboard.press(key)
    await shown.getByText("You will get notices again.").waitFor()
    await browser.close()
    assert.deepStrictEqual(await suppressions(), [])
  })

  it("is nothing where it was changed, cut, or taken to the other environment, and guesses are limited", async () => {
    const token = path.slice(path.lastIndexOf("/") + 1)
    const changed = (at: number) => `${token.slice(0, at)}${token[at] === "A" ? "B" : "A"}${token.slice(at + 1)}`
    const texts = [changed(40), changed(token.length - 9), token.slice(0, -1), `${token}A`, token.split(".")[0]!, "x"]
    // Refusals are pages, for people.
    const statusOf = async (method: string, at: string) => {
      const response = await fetch(service.url + at, { method })
      await response.text()
      return response.status
    }
    for (const at of [...texts.map((text) => `/test/unsubscribe/${text}`), `/unsubscribe/${token}`]) {
      assert.strictEqual(await statusOf("POST", at), 404, at)
    }
    const outcomes: Array<number> = []
    for (let guess = 0; guess < 400; guess++) {
      outcomes.push(await statusOf("GET", `/test/unsubscribe/${changed(31 + guess % 80)}`))
    }
    assert.include(outcomes, 429)
    assert.notInclude(outcomes, 200)
    assert.deepStrictEqual(await suppressions(), [])
  })
})
