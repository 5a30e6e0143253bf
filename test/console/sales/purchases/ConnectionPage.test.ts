// The page of a connection, rendered in memory: which steps are done, and how the buyer gets the key.
import { assert, describe, it } from "@effect/vitest"
import type { BillingConnection as Shown, Policy } from "../../../../src/client/api/index.ts"
import { Policy as PolicySchema } from "../../../../src/domain/catalog/Policy.ts"
import { exampleOf } from "../../../../src/domain/ground/wire/Fields.ts"
import { BillingConnection } from "../../../../src/domain/sales/billing/BillingConnection.ts"
import { openTab } from "../../../fixtures/ConsoleTab.ts"

const connection = exampleOf(BillingConnection) as unknown as Shown
const policy = exampleOf(PolicySchema) as Policy

const opened = async (isConfigured: boolean, mails: Array<"license_issued" | "license_expiring">) => {
  const tab = await openTab(`/console/purchases/connections/${connection.id}`, {
    answers: {
      billingConnections: { get: connection, listReconciliations: [] },
      policies: { get: { ...policy, name: "Pro", mails } },
      settings: { getMail: { is_configured: isConfigured, is_portal_on: false, queued: 0 } }
    }
  })
  await tab.shows("3. Deliver the key")
  return tab
}

describe("the step that delivers the key", () => {
  it("is done where a mail server is named and each policy that is sold mails its key", async () => {
    const tab = await opened(true, ["license_issued"])
    await tab.shows("3. Deliver the key (done)")
    assert.isNull(tab.queryByText(/send no mail with the key/))
  })

  it("leads to the policy that mails no key, and says what else has to deliver it", async () => {
    const tab = await opened(true, ["license_expiring"])
    await tab.shows("Policies that send no mail with the key.")
    assert.include(
      tab.getByRole("link", { name: "Pro" }).getAttribute("href"),
      `/console/products/${policy.product_id}/policies/${policy.id}`
    )
    assert.isNull(tab.queryByText(/No mail server/))
    assert.isNull(tab.queryByText(/3. Deliver the key \(done\)/))
  })

  it("says that no mail server is named", async () => {
    const tab = await opened(false, ["license_issued"])
    await tab.shows("No mail server is named: a buyer gets no key from Countersign.")
    assert.isNull(tab.queryByText(/3. Deliver the key \(done\)/))
  })
})
