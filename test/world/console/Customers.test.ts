// Customers in the console: created, changed beside a colleague, erased, and what they have, in a real browser.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { onTestFinished } from "vitest"
import { openBrowser } from "../../fixtures/Browser.ts"
import type { Browser } from "../../fixtures/Browser.ts"
import { confirm, deskOrPhone, visit } from "../../fixtures/Console.ts"
import type { Visitor } from "../../fixtures/Console.ts"
import { MailServer } from "../../fixtures/MailServer.ts"
import { secretsOf } from "../../fixtures/PortalBrowser.ts"
import type { Service } from "../../fixtures/Service.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"
import { testDatabaseOf, testToken } from "../../fixtures/TestEnvironment.ts"

takeTurns()

let browser: Browser
let service: Service

const server = await new MailServer().start()
const environment = {
  COUNTERSIGN_PORTAL: "on",
  COUNTERSIGN_SMTP_URL: server.url,
  COUNTERSIGN_MAIL_FROM: "licenses@acme.example"
}

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService({ environment }), openBrowser()])
})
afterAll(() => browser.close())

const opened = async (options: Parameters<typeof visit>[2]): Promise<Visitor> => {
  const visitor = await visit(browser, service, options)
  onTestFinished(() => visitor.close())
  return visitor
}

const unexpected = ({ wrong }: Visitor) => wrong.filter((text) => !text.startsWith("Failed to load resource"))

const customer = (name: string): Promise<Body> =>
  service.data("POST", "/api/v1/customers", {
    name,
    code: crypto.randomUUID(),
    email: `${crypto.randomUUID()}@acme.example`
  })

describe.each(deskOrPhone("customers"))("at the %s", (_name, look) => {
  it("a customer is created, found by its domain and its ID in the billing system, and changed", async () => {
    const domain = `${crypto.randomUUID()}.example`
    const visitor = await opened({ path: "/console/customers", look })
    const { page } = visitor
    const dialog = page.getByRole("dialog")
    await page.getByRole("button", { name: "New customer", exact: true }).click()
    await dialog.getByLabel("Name", { exact: true }).fill("Žofie Dvořák")
    assert.strictEqual(await dialog.getByLabel("Code").inputValue(), "zofie-dvorak")
    await dialog.getByLabel("Code").fill(`zofie-${_name}`)
    await dialog.getByLabel("Email").fill(`zofie@${domain}`)
    await dialog.getByText("ID in a billing system").click()
    await dialog.getByLabel("System").fill("stripe")
    assert.isFalse(await dialog.getByRole("button", { name: "New customer" }).isEnabled(), "one of two IDs is none")
    await dialog.getByLabel("ID there").fill(`cus_${_name}`)
    assert.deepStrictEqual(await visitor.axe(), [])
    await confirm(visitor, "New customer")
    await page.getByRole("heading", { level: 1, name: "Žofie Dvořák" }).waitFor()
    const id = page.url().split("/").at(-1)!
    for (const text of [domain, `cus_${_name}`]) {
      await visitor.goto(`/console/customers?q=${text}`)
      await page.getByRole("link", { name: "Žofie Dvořák" }).waitFor()
    }
    await visitor.goto(`/console/customers/${id}`)
    await page.getByRole("button", { name: "Edit customer" }).click()
    await dialog.getByLabel("Name", { exact: true }).fill("Žofie Nová")
    await service.data("PATCH", `/api/v1/customers/${id}`, { email: `new@${domain}` })
    await dialog.getByRole("button", { name: "Save 1 change" }).click()
    await visitor.shows("Changed meanwhile")
    assert.deepStrictEqual((await visitor.look()).outside, [])
    await confirm(visitor, "Save 1 change")
    assert.deepInclude(await service.data("GET", `/api/v1/customers/${id}`), {
      name: "Žofie Nová",
      email: `new@${domain}`
    })
    await page.getByRole("heading", { level: 1, name: "Žofie Nová" }).waitFor()
    assert.deepStrictEqual(unexpected(visitor), [])
  })
})

describe("the page of a customer", () => {
  it("has tabs for its licenses, purchases, devices and activity", async () => {
    const { id } = await customer("ACME GmbH")
    const issued = await service.issue({ license: { customer_id: id }, policy: { max_activations: 2 } })
    await service.license("activate", issued.key, { fingerprint: "one", hostname: "Office PC" })
    // Newer ones that gave their seats back do not push it out.
    for (let at = 0; at < 51; at++) {
      await service.license("activate", issued.key, { fingerprint: `old-${at}`, hostname: `Old ${at}` })
      const [device] = await service.data("GET", `/api/v1/licenses/${issued.license.id}/devices?limit=1`)
      await service.data("POST", `/api/v1/licenses/${issued.license.id}/devices/${device.id}/reset`)
    }
    const visitor = await opened({ path: `/console/customers/${id}` })
    const { page } = visitor
    await page.getByRole("table", { name: "Licenses" }).waitFor()
    const tab = async (name: string) => {
      await page.getByRole("navigation", { name: "Customer" }).getByRole("link", { name }).click()
      await visitor.settle()
    }
    await tab("Devices")
    assert.notInclude(await visitor.shows("Office PC"), "Old 50")
    await tab("Purchases")
    await visitor.shows("No purchases")
    await tab("Activity")
    await page.getByRole("heading", { name: "Activity", level: 2 }).waitFor()
    assert.deepStrictEqual(await visitor.axe(), [])
    await page.goBack()
    await visitor.shows("No purchases")
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("says whom it belongs to, who belongs to it, and gives it to nobody again", async () => {
    const [group, company] = [await customer("Holding AG"), await customer("Tochter GmbH")]
    const visitor = await opened({ path: `/console/customers/${company.id}` })
    const { page } = visitor
    const dialog = page.getByRole("dialog")
    await page.getByRole("button", { name: "Edit customer" }).click()
    await dialog.getByRole("combobox", { name: "Belongs to" }).fill("Holding")
    await dialog.getByRole("option", { name: "Holding AG" }).click()
    assert.deepStrictEqual(await visitor.axe(), [])
    await confirm(visitor, "Save 1 change")
    await page.getByRole("link", { name: "Holding AG" }).click()
    await page.getByRole("heading", { level: 1, name: "Holding AG" }).waitFor()
    await page.getByRole("navigation", { name: "Customer" }).getByRole("link", { name: "Companies" }).click()
    await page.getByRole("link", { name: "Tochter GmbH" }).click()
    await page.getByRole("heading", { level: 1, name: "Tochter GmbH" }).waitFor()
    assert.strictEqual((await service.data("GET", `/api/v1/customers/${company.id}`)).parent_id, group.id)
    await page.getByRole("button", { name: "Edit customer" }).click()
    await dialog.getByText("Holding AG").waitFor()
    await dialog.getByRole("button", { name: "Remove" }).click()
    await confirm(visitor, "Save 1 change")
    assert.notProperty(await service.data("GET", `/api/v1/customers/${company.id}`), "parent_id")
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("sends a link into the portal, and erases with a dry run in words, after the code was typed", async () => {
    const made = await customer("Grace Hopper")
    await service.issue({ license: { customer_id: made.id } })
    const visitor = await opened({ path: `/console/customers/${made.id}` })
    const { page } = visitor
    const dialog = page.getByRole("dialog")
    await page.getByRole("button", { name: "Send portal link…" }).click()
    await visitor.shows("once, within 15 minutes")
    assert.deepStrictEqual(await visitor.axe(), [])
    assert.include(await confirm(visitor, "Send"), `A link is on its way to ${made.email}.`)
    secretsOf((await server.to(made.email))[0]!)
    await page.getByRole("button", { name: "Erase…" }).click()
    await visitor.shows(/1 license stays without the name and email; \d+ events? loses? personal data\./)
    await visitor.shows("the notes about it and its licenses are deleted")
    const send = dialog.getByRole("button", { name: "Erase", exact: true })
    assert.isFalse(await send.isEnabled())
    assert.strictEqual((await service.data("GET", `/api/v1/customers/${made.id}`)).name, "Grace Hopper")
    await dialog.getByLabel(`Type ${made.code} to confirm`).fill(made.code)
    await confirm(visitor, "Erase")
    const erased = await service.data("GET", `/api/v1/customers/${made.id}`)
    assert.notInclude(JSON.stringify(erased), "Grace")
    await eventually(
      "the page names nobody",
      async () => !(await page.evaluate<string>("document.body.innerText")).includes("Grace")
    )
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("says beforehand that no link can be sent where the portal or mails are off, and the service says it after", async () => {
    const { id } = await customer("Out of reach")
    testDatabaseOf(service)
    const tried = await service.data("POST", "/api/v1/customers", { name: "T", code: "t", email: "t@acme.example" }, {
      token: testToken
    })
    const mute = await startService({ databaseUrl: service.databaseUrl, environment: { COUNTERSIGN_PORTAL: "on" } })
    for (
      const [of, token, path, before, after] of [
        [mute, adminToken, `/console/customers/${id}`, "Mails are off: none is sent until", "Mails are off: GET"],
        [
          service,
          testToken,
          `/console/test/customers/${tried.id}`,
          "The portal is off: COUNTERSIGN_PORTAL=on switches it on, in the live environment.",
          "The portal is of the live environment."
        ]
      ] as const
    ) {
      const visitor = await visit(browser, of, { token })
      onTestFinished(() => visitor.close())
      await visitor.goto(path)
      await visitor.page.getByRole("button", { name: "Send portal link…" }).click()
      await visitor.shows(before)
      assert.deepStrictEqual(await visitor.axe(), [])
      await visitor.page.getByRole("dialog").getByRole("button", { name: "Send", exact: true }).click()
      await visitor.shows(after)
      assert.deepStrictEqual(unexpected(visitor), [])
    }
  })

  it("shows to who may only read what there is, and no button", async () => {
    const { id } = await customer("Read only")
    const { token } = await service.data("POST", "/api/v1/api-keys", {
      name: "reader",
      scopes: ["license:read", "customer:read"]
    })
    const visitor = await opened({ path: `/console/customers/${id}`, token })
    await visitor.shows("Read only")
    for (const name of ["Edit customer", "Send portal link…", "Erase…"]) {
      assert.strictEqual(await visitor.page.getByRole("button", { name }).count(), 0)
    }
    assert.deepStrictEqual(visitor.wrong, [])
  })
})
