// Why somebody does something, as the console asks for it and shows it, in a real browser against a real service.
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { onTestFinished } from "vitest"
import { openBrowser } from "../../fixtures/Browser.ts"
import type { Browser } from "../../fixtures/Browser.ts"
import { visit } from "../../fixtures/Console.ts"
import type { Visitor } from "../../fixtures/Console.ts"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"

let browser: Browser
let service: Service

beforeAll(async () => {
  ;[service, browser] = await Promise.all([startService(), openBrowser()])
})
afterAll(() => browser.close())

const opened = async (path: string): Promise<Visitor> => {
  const visitor = await visit(browser, service, { path })
  onTestFinished(() => visitor.close())
  return visitor
}

/** Presses a button of the page, says why in its dialog, has it done, and closes the dialog. */
const act = async (visitor: Visitor, name: string, why: string) => {
  const { page } = visitor
  await page.locator("main").getByRole("button", { name, exact: true }).first().click()
  const dialog = page.getByRole("dialog")
  const field = dialog.getByLabel("Reason (optional)")
  assert.strictEqual(await field.inputValue(), "", "what was said before is not said again")
  await field.fill(why)
  await dialog.getByRole("button", { name, exact: true }).click()
  await dialog.getByText("Done", { exact: true }).waitFor()
  await dialog.getByRole("button", { name: "Close" }).click()
  await visitor.settle()
}

const newest = async (kind: string, id: string): Promise<Body> =>
  (await service.feed(`&event_type=${kind}&resource_id=${id}`)).at(-1)

describe("the field Why of an action", () => {
  it("is sent with it, kept in the event, and shown in the story as text", async () => {
    const { license } = await service.issue({ license: { customer_name: "Asked" } })
    const visitor = await opened(`/console/licenses/${license.id}`)
    const why = "Mahnstufe 3, <b>漢字</b> & \"more\""
    await act(visitor, "Suspend", `  ${why}  `)
    assert.strictEqual((await newest("license.suspended", license.id)).metadata.reason_given, why)
    assert.include(await visitor.shows("suspended a license"), `Reason: ${why}`)
    await act(visitor, "Reinstate", "")
    assert.notProperty((await newest("license.reinstated", license.id)).metadata, "reason_given")
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("is kept of a floating seat that is taken back, beside what ended it", async () => {
    const { key, license } = await service.issue({ policy: { max_floating_users: 2 } })
    await service.license("floating/checkout", key, { fingerprint: "a" })
    const visitor = await opened(`/console/licenses/${license.id}`)
    await act(visitor, "Release", "she left the company")
    const { metadata } = (await service.feed("&event_type=lease.checked_in")).at(-1)
    assert.deepInclude(metadata, { reason: "released", reason_given: "she left the company" })
    assert.include(await visitor.shows("Reason:"), "Reason: she left the company")
    assert.deepStrictEqual(visitor.wrong, [])
  })

  it("takes no more than the service does", async () => {
    const { license } = await service.issue()
    const visitor = await opened(`/console/licenses/${license.id}`)
    const why = "x".repeat(500)
    await act(visitor, "Suspend", `${why}beyond`)
    assert.strictEqual((await newest("license.suspended", license.id)).metadata.reason_given, why)
    const { outside, wider } = await visitor.look()
    assert.deepStrictEqual([wider, outside], [0, []])
  })
})
