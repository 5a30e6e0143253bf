// What is changed of a license on its page, in a real browser against a real service.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { generate } from "lean-qr"
import { onTestFinished } from "vitest"
import { openBrowser } from "../../fixtures/Browser.ts"
import type { Browser, Looking } from "../../fixtures/Browser.ts"
import { confirm, deskOrPhone, looks, visit } from "../../fixtures/Console.ts"
import type { Visitor } from "../../fixtures/Console.ts"
import type { Issued, Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

let browser: Browser
let service: Service

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
})
afterAll(() => browser.close())

const opened = async (path: string, look: Looking = looks.desk): Promise<Visitor> => {
  const visitor = await visit(browser, service, { path, look })
  onTestFinished(() => visitor.close())
  return visitor
}

const get = (id: string): Promise<Body> => service.data("GET", `/api/v1/licenses/${id}`)

const pageOf = ({ license }: Issued): string => `/console/licenses/${license.id}`

const activate = async ({ key }: Issued, names: ReadonlyArray<string>): Promise<void> => {
  for (const name of names) {
    const answer = await service.license("activate", key, { fingerprint: name, hostname: `${name}'s machine` })
    assert.strictEqual(answer.status, 200, answer.text)
  }
}

const press = ({ page }: Visitor, name: string) => page.getByRole("button", { name, exact: true }).first().click()

/** What went wrong beside the refusals that a test provokes, of which the browser tells too. */
const unexpected = ({ wrong }: Visitor) => wrong.filter((text) => !text.startsWith("Failed to load resource"))

describe.each(deskOrPhone("changes"))("at the %s", (_name, look) => {
  it("a policy is changed with a table of before and after, and the devices that stay are chosen", async () => {
    const issued = await service.issue({ policy: { max_activations: 3 }, license: { customer_name: "Grace Hopper" } })
    const office = await service.data("POST", `/api/v1/products/${issued.product.id}/policies`, {
      name: "Office",
      code: `office-${crypto.randomUUID()}`,
      license_type: issued.policy.license_type,
      max_activations: 2,
      allow_vm: false
    })
    await activate(issued, ["ada", "bo", "cy"])
    const visitor = await opened(pageOf(issued), look)
    const { page } = visitor
    await press(visitor, "Change policy")
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("New policy").selectOption({ label: "Office" })
    await visitor.shows("3 hardware seats taken, 2 in the policy")
    const send = dialog.getByRole("button", { name: "Change to Office" })
    assert.isFalse(await send.isEnabled(), "a change that would be refused cannot be sent")
    await dialog.getByLabel("Seats beyond the limit").selectOption("choose")
    await dialog.getByLabel("bo's machine").setChecked(false)
    await visitor.shows("3 in use: choose which stay")
    await visitor.settle()
    const table = dialog.getByRole("table", { name: "Before and after" })
    const rows = await table.innerText()
    for (const text of ["Device limit", "Virtual machines", "Refused from the next check", "Gives its seat back"]) {
      assert.include(rows, text)
    }
    assert.deepStrictEqual(await visitor.axe(), [])
    assert.deepStrictEqual((await visitor.look()).outside, [])
    await dialog.getByRole("button", { name: "Customer asked" }).click()
    await dialog.getByLabel("Reason (optional)").press("End")
    await dialog.getByLabel("Reason (optional)").pressSequentially(": smaller office")
    assert.include(await confirm(visitor, "Change to Office"), "The license is now under Office.")
    const license = await get(issued.license.id)
    assert.deepInclude(license, { policy_id: office.id, active_device_count: 2 })
    const devices: ReadonlyArray<Body> = await service.data("GET", `/api/v1/licenses/${license.id}/devices`)
    assert.deepStrictEqual(devices.filter(({ status }) => status === "reset").map(({ fingerprint }) => fingerprint), [
      "bo"
    ])
    const [event] = await service.feed(`&event_type=license.policy_changed&resource_id=${license.id}`)
    assert.strictEqual(event?.metadata.reason_given, "Customer asked: smaller office")
    assert.deepStrictEqual(unexpected(visitor), [])
  })
})

describe("the terms of one license", () => {
  it("are changed over the page, and a colleague's change meanwhile is shown and not reverted", async () => {
    const issued = await service.issue({ policy: { max_activations: 3, grace_period_days: 7 } })
    const path = `/api/v1/licenses/${issued.license.id}`
    await service.data("PATCH", path, { overrides: { max_activations: 4, grace_period_days: 9 } })
    const visitor = await opened(pageOf(issued))
    const { page } = visitor
    const dialog = page.getByRole("dialog")
    await press(visitor, "Edit terms")
    await dialog.getByRole("textbox", { name: "Device limit" }).fill("25")
    await dialog.getByLabel("Add a term").selectOption({ label: "Transfer limit" })
    await dialog.getByRole("textbox", { name: "Transfer limit" }).fill("9")
    await service.data("PATCH", path, { overrides: { max_activations: 6, grace_period_days: 14 } })
    await dialog.getByRole("button", { name: "Save 2 changes" }).click()
    await visitor.shows("Changed meanwhile")
    const said = (await dialog.getByRole("table", { name: "Changed meanwhile" }).innerText()).replaceAll(/\s+/g, " ")
    assert.include(said, "Device limit 4 6 25")
    assert.include(said, "Grace period 9 days 14 days –")
    assert.deepInclude((await get(issued.license.id)).overrides, { max_activations: 6 }, "nothing is written unasked")
    await confirm(visitor, /^Save \d changes$/)
    assert.deepStrictEqual((await get(issued.license.id)).overrides, {
      max_activations: 25,
      grace_period_days: 14,
      max_transfers: 9
    })
    await press(visitor, "Edit terms")
    await dialog.getByRole("button", { name: "Use policy: Device limit" }).click()
    await confirm(visitor, "Save 1 change")
    assert.notProperty((await get(issued.license.id)).overrides, "max_activations")
    assert.deepStrictEqual(unexpected(visitor), [])
  })
})

describe("the license page", () => {
  it("says how soon an app stops, and keeps the reason", async () => {
    const issued = await service.issue({ policy: { validation_interval_minutes: 180, offline_grace_days: 5 } })
    const visitor = await opened(pageOf(issued))
    await press(visitor, "Suspend")
    await visitor.shows("The app stops at its next check-in, at most 3 h from now.")
    await visitor.shows("A device without network may continue for up to 5 days.")
    const dialog = visitor.page.getByRole("dialog")
    await dialog.getByRole("button", { name: "Refund" }).click()
    await dialog.getByRole("button", { name: "Chargeback" }).click()
    await confirm(visitor, "Suspend")
    const [event] = await service.feed(`&event_type=license.suspended&resource_id=${issued.license.id}`)
    assert.strictEqual(event?.metadata.reason_given, "Chargeback")
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("adds credits, reports usage once, corrects the owner, and hands the license to a customer who is searched", async () => {
    const issued = await service.issue({ license: { customer_name: "Grace" } })
    const feature = await service.data("POST", `/api/v1/products/${issued.product.id}/features`, {
      name: "Renders",
      code: "render"
    })
    await service.data("POST", `/api/v1/products/${issued.product.id}/policies/${issued.policy.id}/features`, {
      feature_id: feature.id,
      max_consumptions: 100
    })
    const storage = await service.data("POST", `/api/v1/products/${issued.product.id}/features`, {
      name: "Storage",
      code: "storage",
      decimals: 2
    })
    await service.data("POST", `/api/v1/products/${issued.product.id}/policies/${issued.policy.id}/features`, {
      feature_id: storage.id
    })
    const customer = await service.data("POST", "/api/v1/customers", {
      name: "Žofie Dvořák",
      code: "dvorak",
      email: "zofie@firma.example"
    })
    const visitor = await opened(pageOf(issued))
    const { page } = visitor
    const dialog = page.getByRole("dialog")
    await press(visitor, "Add credits")
    await dialog.getByLabel("Credits to add").fill("50")
    await visitor.shows("The quota goes from 100 to 150.")
    assert.include(await confirm(visitor, "Add credits"), "The quota of Renders is 150 now.")
    await press(visitor, "Report usage")
    await dialog.getByLabel("Feature").selectOption({ label: "Renders" })
    await dialog.getByLabel("Amount").fill("151")
    await visitor.shows("Renders: 150 are left, and the usage takes 151.")
    await dialog.getByRole("button", { name: "Report usage" }).click()
    await visitor.shows("FEATURE_QUOTA_EXCEEDED")
    await dialog.getByLabel("Amount").fill("3")
    await dialog.getByLabel("Event ID").fill("invoice-7")
    assert.include(await confirm(visitor, "Report usage"), "3 of Renders were counted.")
    await press(visitor, "Report usage")
    await dialog.getByLabel("Feature").selectOption({ label: "Renders" })
    await dialog.getByLabel("Amount").fill("3")
    await dialog.getByLabel("Event ID").fill("invoice-7")
    assert.include(await confirm(visitor, "Report usage"), "This event had been counted before")
    await press(visitor, "Report usage")
    await dialog.getByLabel("Feature").selectOption({ label: "Storage" })
    await dialog.getByLabel("Amount").fill("2.5")
    assert.include(await confirm(visitor, "Report usage"), "2.50 of Storage were counted.")
    const entries: Body = await service.data(
      "GET",
      `/api/v1/reports/usage-ledger?license_id=${issued.license.id}&action=license.usage_recorded`
    )
    assert.deepStrictEqual(
      entries.map(({ amount, feature_code, total_consumptions }: Body) => [feature_code, amount, total_consumptions]),
      [["storage", 250, 250], ["render", 3, 3]]
    )
    await press(visitor, "Edit details")
    await dialog.getByLabel("Owner's name").fill("Grace Hopper")
    await confirm(visitor, "Save 1 change")
    await page.getByRole("heading", { level: 1, name: "Grace Hopper" }).waitFor()
    await press(visitor, "Transfer")
    await dialog.getByRole("combobox", { name: "Customer" }).fill("dvorak")
    await page.getByRole("option").filter({ hasText: "Dvořák" }).waitFor()
    await page.keyboard.press("Enter")
    await dialog.getByText("Žofie Dvořák").waitFor()
    assert.include(await confirm(visitor, "Transfer"), "Transferred to Žofie Dvořák.")
    assert.deepInclude(await get(issued.license.id), { customer_id: customer.id, times_transferred: 1 })
    await page.getByRole("heading", { level: 1, name: "Žofie Dvořák" }).waitFor()
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("shows a new key once, also as a mail and as a QR code that has this key", async () => {
    const issued = await service.issue({ license: { customer_name: "Grace Hopper" } })
    const visitor = await opened(pageOf(issued))
    const { page } = visitor
    await press(visitor, "Rotate key")
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("button", { name: "Rotate key", exact: true }).click()
    const key = await dialog.getByLabel("New license key", { exact: true }).innerText()
    await dialog.getByRole("button", { name: "Copy as mail" }).waitFor()
    await dialog.getByRole("button", { name: "QR code" }).click()
    const drawn = dialog.getByRole("img", { name: "QR code: New license key" })
    await drawn.waitFor()
    const code = generate(key)
    const dark = Array.from({ length: code.size }, (_, y) => y).flatMap((y) =>
      Array.from({ length: code.size }, (_, x) => code.get(x, y) ? [`M${x} ${y}h1v1h-1z`] : []).flat()
    )
    assert.strictEqual(await drawn.locator("path").getAttribute("d"), dark.join(""))
    assert.deepStrictEqual(await visitor.axe(), [])
    await dialog.getByRole("button", { name: "I saved it" }).click()
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("finds a device among many by a part of its name", async () => {
    const issued = await service.issue({ policy: { max_activations: 20 } })
    await activate(issued, Array.from({ length: 12 }, (_, at) => `device-${at}`))
    const visitor = await opened(pageOf(issued))
    const { page } = visitor
    const names = () => page.getByRole("table", { name: "Devices" }).innerText()
    assert.include(await names(), "device-11's machine")
    await page.getByLabel("Device name or fingerprint").fill("DEVICE-7")
    await eventually("the others are gone", async () => !(await names()).includes("device-11's machine"))
    assert.include(await names(), "device-7's machine")
    await page.getByLabel("Device name or fingerprint").fill("nowhere")
    await visitor.shows("No matching devices")
    assert.deepStrictEqual(visitor.wrong, [])
  })
})
