// What needs a second person in the console: set for a role, asked for at a desk, approved on a phone, and the secret of it taken.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { onTestFinished } from "vitest"
import { openBrowser } from "../../fixtures/Browser.ts"
import type { Browser } from "../../fixtures/Browser.ts"
import { looks, visit } from "../../fixtures/Console.ts"
import type { Visitor } from "../../fixtures/Console.ts"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

let browser: Browser
let service: Service

const approvals = "/console/people/approvals"
const whole = { headings: 1, wider: 0, outside: [] }

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
})
afterAll(() => browser.close())

/** A person who is signed in to a browser. */
const entered = async (
  name: string,
  roles: ReadonlyArray<string>,
  look: Parameters<typeof visit>[2] = {}
): Promise<Visitor> => {
  const { id }: Body = await service.data("POST", "/api/v1/people", { name, roles })
  const { invitation }: Body = await service.data("POST", `/api/v1/people/${id}/invite`)
  const visitor = await visit(browser, service, { ...look, token: null, path: "/console" })
  onTestFinished(() => visitor.close())
  const body = JSON.stringify(JSON.stringify({ invitation }))
  const status = await visitor.page.evaluate<number>(`fetch("/api/v1/sign-in", {
    method: "POST", headers: { "content-type": "application/json" }, body: ${body}
  }).then(({ status }) => status)`)
  assert.strictEqual(status, 201)
  return visitor
}

const dialogOf = ({ page }: Visitor) => page.getByRole("dialog")

/** Asks for something of a license at its page, with a reason. */
const askAt = async (visitor: Visitor, action: string, typed?: string): Promise<string> => {
  await visitor.page.getByRole("button", { name: action, exact: true }).click()
  const dialog = dialogOf(visitor)
  if (typed !== undefined) await dialog.getByLabel(`Type ${typed} to confirm`).fill(typed)
  const ask = dialog.getByRole("button", { name: "Ask for approval" })
  assert.isFalse(await ask.isEnabled(), "the second person needs a reason")
  await dialog.getByLabel("Reason", { exact: true }).fill("Chargeback of order 4711")
  await ask.click()
  await dialog.getByText(/Waiting for a second person, until (today|tomorrow) \d\d:\d\d/).waitFor()
  const text = await dialog.innerText()
  await dialog.getByRole("button", { name: "Close" }).first().click()
  return text
}

describe("an action that needs a second person", () => {
  it("is set for a role, asked for at a desk, and done when another person approves it on a phone", async () => {
    const admin = await visit(browser, service, { path: "/console/people/roles" })
    onTestFinished(() => admin.close())
    await admin.settle()
    const support = admin.page.locator("section").filter({
      has: admin.page.getByRole("heading", { name: "Support", exact: true })
    })
    await support.getByRole("button", { name: "Second person" }).click()
    for (const action of ["revoke licenses", "rotate license keys"]) await dialogOf(admin).getByText(action).click()
    await dialogOf(admin).getByRole("button", { name: "Second person" }).click()
    await dialogOf(admin).getByText("changed.").waitFor()
    assert.sameMembers(
      (await service.data("GET", "/api/v1/roles/support")).second_look,
      ["revoke_license", "rotate_license_key"]
    )

    const { license } = await service.issue()
    const jun = await entered("Jun Sato", ["support"])
    await jun.goto(`/console/licenses/${license.id}`)
    assert.include(await askAt(jun, "Revoke", license.license_key_last4), "Asked")
    await jun.shows(/Waiting for a second person, until/)
    await askAt(jun, "Rotate key")
    assert.strictEqual((await service.data("GET", `/api/v1/licenses/${license.id}`)).status, "active")

    const ada = await entered("Ada Lovelace", ["owner"], { look: looks.phoneAtNight })
    await ada.goto(approvals)
    const text = await ada.shows("Rotate a license key")
    assert.include(text, "Jun Sato")
    assert.include(text, "Chargeback of order 4711")
    assert.deepStrictEqual(await ada.look(), whole)
    assert.deepStrictEqual(await ada.axe(), [])
    for (const what of ["Rotate a license key", "Revoke a license"]) {
      const card = ada.page.locator("section").filter({ hasText: what })
      await card.getByRole("button", { name: "Approve" }).click()
      const dialog = dialogOf(ada)
      await dialog.getByLabel("Reason", { exact: true }).fill("Checked with finance")
      await dialog.getByRole("button", { name: "Approve" }).click()
      await dialog.getByText("Approved and done.").waitFor()
      await dialog.getByRole("button", { name: "Close" }).first().click()
      await ada.settle()
    }
    await ada.shows("No request waits for you")
    assert.strictEqual((await service.data("GET", `/api/v1/licenses/${license.id}`)).status, "revoked")

    await jun.goto(approvals)
    await jun.shows("Checked with finance")
    assert.deepStrictEqual(await jun.look(), whole)
    await jun.page.getByRole("button", { name: "Show the secret" }).click()
    assert.match(await jun.page.getByLabel("New license key").innerText(), /^CS-/)
    for (const visitor of [admin, ada]) assert.deepStrictEqual(visitor.wrong, [])
  }, 120_000)

  it("is asked for by an invitation, also where the role began to ask for it while the page was open", async () => {
    const name = "Clerks"
    const { id } = await service.data("POST", "/api/v1/roles", { name, scopes: ["people:write", "license:read"] })
    const kim = await entered("Kim Lee", [id])
    const { page } = kim
    await kim.goto("/console/people")
    await service.data("PATCH", `/api/v1/roles/${id}`, { second_look: ["revoke_license"] })
    await page.getByRole("button", { name: "Invite" }).click()
    const dialog = dialogOf(kim)
    await dialog.getByLabel("Email").fill("mia@example.com")
    await dialog.getByLabel(name).click()
    await dialog.getByRole("button", { name: "Invite" }).click()
    await dialog.getByText("Your role needs a second person for this.").waitFor()
    await dialog.getByLabel("Reason", { exact: true }).fill("Joins the desk")
    await dialog.getByRole("button", { name: "Ask for approval" }).click()
    await dialog.getByText("Once it is approved, make the invitation link on the person's page.").waitFor()
    const waiting = await service.data("GET", "/api/v1/approvals?state=pending")
    assert.deepInclude(waiting[0], { operation: "createPerson", reason: "Joins the desk" })
    assert.deepInclude(waiting[0].body, { email: "mia@example.com", roles: [id] })
  })
})
