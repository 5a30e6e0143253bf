// What is entered and not saved, rendered in memory: kept over a reload for whoever entered it, and asked about before it is lost.
import { assert, describe, it } from "@effect/vitest"
import type { Answers } from "../../../fixtures/ConsoleAnswers.ts"
import { anyone, unreachable } from "../../../fixtures/ConsoleAnswers.ts"
import { openTab } from "../../../fixtures/ConsoleTab.ts"
import type { Tab } from "../../../fixtures/ConsoleTab.ts"
import { explanation, license } from "../../../fixtures/ConsoleVendor.ts"

const path = `/console/licenses/${license.id}`
const answers: Answers = {
  licenses: { explain: () => explanation(), get: () => license, rotateKey: unreachable, list: [license] }
}

/** Rotates the key with other hours, whose answer is lost where it is sent. */
const entered = async (): Promise<Tab> => {
  const tab = await openTab(path, { answers })
  await tab.press("Rotate key")
  await tab.fill("Overlap (hours)", "72", await tab.dialog("Rotate key"))
  return tab
}

const hours = async (tab: Tab) => (await tab.dialog("Rotate key")).getByLabelText("Overlap (hours)")

describe("a form that is not sent", () => {
  it("is open after a reload, with what was entered", async () => {
    const tab = await (await entered()).reload()
    assert.deepInclude(await hours(tab), { value: "72" })
    await tab.press("Cancel", "button", await tab.dialog("Rotate key"))
    const again = await tab.reload()
    await again.press("Rotate key")
    assert.deepInclude(await hours(again), { value: "24" }, "what was cancelled is not given back")
  })

  it("is given back to nobody else, and not at another page", async () => {
    const kept = (await entered()).kept()
    const other = await openTab(path, { answers, kept, who: { ...anyone, id: "key_2" } })
    await other.press("Rotate key")
    assert.deepInclude(await hours(other), { value: "24" })
    const elsewhere = await openTab(`/console/licenses/lic_${"2".repeat(26)}`, { answers, kept })
    await elsewhere.press("Rotate key")
    assert.deepInclude(await hours(elsewhere), { value: "24" })
  })

  it("is sent after a reload with the key of the attempt whose outcome nobody knows", async () => {
    const tab = await entered()
    await tab.press("Rotate key", "button", await tab.dialog("Rotate key"))
    await tab.shows("Cannot reach the service.")
    const again = await tab.reload()
    await again.press("Rotate key", "button", await again.dialog("Rotate key"))
    await again.shows("Cannot reach the service.")
    const keys = [tab, again].flatMap(({ service }) =>
      service.of("licenses.rotateKey").map(({ headers }) => headers["idempotency-key"])
    )
    assert.isAbove(keys.length, 2)
    assert.lengthOf([...new Set(keys)], 1)
  })

  it("is not taken where what is kept has another form", async () => {
    const kept = (await entered()).kept()
    const place = Object.keys(kept).find((name) => name.endsWith("overlap"))!
    for (const wrong of ["{", `null`, `{"by":"management_key ${anyone.id}","entered":{"hours":7}}`]) {
      const tab = await openTab(path, { answers, kept: { ...kept, [place]: wrong } })
      await tab.until("the page is there", () => tab.queryAllByRole("button", { name: "Rotate key" })[0])
      if (tab.queryAllByRole("dialog").length === 0) await tab.press("Rotate key")
      assert.deepInclude(await hours(tab), { value: "24" }, wrong)
    }
  })
})

describe("a page with something entered", () => {
  it("is left by a link once somebody has said so", async () => {
    const tab = await openTab("/console/licenses/new", {
      answers: { products: { list: [] }, licenses: { list: [license] } }
    })
    await tab.shows("No products yet")
    const dirty = await entered()
    tab.key("Escape")
    await dirty.press("Licenses", "link")
    const dialog = await dirty.dialog("Leave this page?")
    assert.strictEqual(dirty.address(), path)
    await dirty.press("Stay", "button", dialog)
    assert.deepInclude(await hours(dirty), { value: "72" })
    await dirty.press("Licenses", "link")
    await dirty.press("Leave", "button", await dirty.dialog("Leave this page?"))
    await dirty.until("the other page is open", () => dirty.address() === "/console/licenses")
  })
})
