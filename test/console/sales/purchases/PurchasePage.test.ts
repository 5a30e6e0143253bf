// The page of a purchase that waits for a decision, rendered in memory: what can be decided, what is sent, and whom it asks.
import { assert, describe, it } from "@effect/vitest"
import type { PurchaseWithEvents as Shown } from "../../../../src/client/api/index.ts"
import { exampleOf } from "../../../../src/domain/ground/wire/Fields.ts"
import { PurchaseShown } from "../../../../src/domain/sales/billing/Purchase.ts"
import { openTab, read } from "../../../fixtures/ConsoleTab.ts"

const waiting = (code: string): Shown => ({
  ...exampleOf(PurchaseShown) as Shown,
  status: "waiting",
  holds: [{ code, message: `It waits: ${code}.` }]
})

const opened = async (code: string) => {
  const purchase = waiting(code)
  const tab = await openTab(`/console/purchases/${purchase.id}`, {
    answers: { purchases: { get: purchase, decideOwner: purchase }, activities: { list: [] } }
  })
  await tab.shows(`It waits: ${code}.`)
  return tab
}

describe("a purchase whose license belongs to another owner than who pays", () => {
  it("is decided in a form that says what follows, and asks a second person where the license would be handed over", async () => {
    const tab = await opened("owner_differs")
    await tab.press("Decide…")
    const dialog = await tab.dialog("Decide…")
    assert.include(read(dialog.element), "The license is transferred to this customer.")
    await tab.choose("Licenses of this purchase", "keep", dialog)
    await tab.shows("The owner keeps the license")
    await tab.press("Decide", "button", dialog)
    const { body } = await tab.sent("purchases.decideOwner")
    assert.deepStrictEqual(body, { owner: "keep" })
  })

  it("that is paid for twice can have another license, and nothing else", async () => {
    const tab = await opened("paid_twice")
    await tab.press("Decide…")
    const dialog = await tab.dialog("Decide…")
    assert.lengthOf(dialog.element.querySelectorAll("option"), 1)
    await tab.press("Decide", "button", dialog)
    assert.deepStrictEqual((await tab.sent("purchases.decideOwner")).body, { owner: "issue" })
  })

  it("of an ID that another site has can be said to be another one, and nothing else", async () => {
    const tab = await opened("sold_elsewhere")
    await tab.press("Decide…")
    const dialog = await tab.dialog("Decide…")
    assert.include(read(dialog.element), "this one gets its license")
    assert.lengthOf(dialog.element.querySelectorAll("option"), 1)
    await tab.press("Decide", "button", dialog)
    assert.deepStrictEqual((await tab.sent("purchases.decideOwner")).body, { owner: "issue" })
  })

  it("has no such form where it waits for something else", async () => {
    const tab = await opened("unmapped")
    assert.isNull(tab.queryByRole("button", { name: "Decide…" }))
  })
})
