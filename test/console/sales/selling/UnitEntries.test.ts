// The units that prices of a connection give, rendered in memory: what is shown, and what a change of them sends.
import { assert, describe, it } from "@effect/vitest"
import { within } from "@testing-library/dom"
import type {
  BillingConnection as Shown,
  Feature,
  Policy,
  Product,
  UnitMapping
} from "../../../../src/client/api/index.ts"
import { Feature as FeatureSchema } from "../../../../src/domain/catalog/Feature.ts"
import { Policy as PolicySchema } from "../../../../src/domain/catalog/Policy.ts"
import { Product as ProductSchema } from "../../../../src/domain/catalog/Product.ts"
import { exampleOf } from "../../../../src/domain/ground/wire/Fields.ts"
import { BillingConnection } from "../../../../src/domain/sales/billing/BillingConnection.ts"
import { cells, openTab } from "../../../fixtures/ConsoleTab.ts"

const product = exampleOf(ProductSchema) as Product
const feature: Feature = {
  ...exampleOf(FeatureSchema) as Feature,
  product_id: product.id,
  name: "Exports",
  decimals: 2
}
const { units: _, ...mapping } = (exampleOf(BillingConnection) as unknown as Shown).mapping

const pack: UnitMapping = {
  by: "price",
  value: "price_pack",
  name: "Pack",
  feature_id: feature.id,
  amount: 50_000,
  expires_after: "P1Y",
  priority: 7,
  since: "2026-01-02T00:00:00.000Z"
}

const opened = async (units: ReadonlyArray<UnitMapping>) => {
  const connection: Shown = {
    ...exampleOf(BillingConnection) as unknown as Shown,
    mapping: { ...mapping, ...(units.length === 0 ? {} : { units: [...units] }) }
  }
  const tab = await openTab(`/console/purchases/connections/${connection.id}`, {
    answers: {
      billingConnections: { get: connection, listReconciliations: [], update: connection },
      policies: { get: exampleOf(PolicySchema) as Policy },
      products: { list: [product] },
      features: { get: feature, list: [feature] },
      settings: { getMail: { is_configured: true, is_portal_on: false, queued: 0 } }
    }
  })
  await tab.shows("Units that are sold")
  return tab
}

describe("the units that a connection sells", () => {
  it("say what was bought, how many units it gives of which feature, to whom, and when they end", async () => {
    const tab = await opened([pack, {
      ...pack,
      value: "price_month",
      name: "Month",
      to: "customer",
      ends_with_period: true
    }])
    await tab.until("the name of the feature", () => tab.queryAllByText("Exports")[0])
    const rows = cells(tab.getByRole("table", { name: "Units that are sold" }))
    assert.deepStrictEqual(rows.slice(1).map((row) => row.slice(1, 5)), [
      ["500.00", "Exports", "the license", "1 year after the payment"],
      ["500.00", "Exports", "the customer", "1 year after the payment"]
    ])
  })

  it("are added with a price, a feature and an end, and nothing else of the mapping is changed", async () => {
    const tab = await opened([])
    await tab.press("Add units")
    const dialog = await tab.dialog("Add units")
    await tab.fill("ID", "price_month", dialog)
    await tab.choose("Feature", feature.id, dialog)
    await tab.fill("Units", "1.5", dialog)
    await tab.choose("To", "customer", dialog)
    await tab.fill("Most per license", "1", dialog)
    await tab.choose("End", "period", dialog)
    await tab.press("Add units", "button", dialog)
    const { body } = await tab.sent("billingConnections.update")
    assert.deepStrictEqual(body, {
      mapping: {
        ...mapping,
        units: [{
          by: "price",
          value: "price_month",
          feature_id: feature.id,
          amount: 150,
          to: "customer",
          max_per_license: 100,
          ends_with_period: true
        }]
      }
    })
  })

  it("are changed with all that the form does not show, and are not sent while their number is none", async () => {
    const tab = await opened([pack])
    await tab.press("Change")
    const dialog = await tab.dialog("Change")
    await tab.fill("Units", "0", dialog)
    assert.isTrue((dialog.getByRole("button", { name: "Change" }) as HTMLButtonElement).disabled)
    await tab.fill("Units", "700", dialog)
    await tab.choose("End", "never", dialog)
    await tab.press("Change", "button", dialog)
    const { expires_after: __, ...others } = pack
    assert.deepStrictEqual((await tab.sent("billingConnections.update")).body, {
      mapping: { ...mapping, units: [{ ...others, amount: 70_000, to: "license" }] }
    })
  })

  it("are taken away, the last ones with the list", async () => {
    const tab = await opened([pack])
    const table = await tab.until("the table", () => tab.queryByRole("table", { name: "Units that are sold" }))
    const row = table.querySelector("tbody tr")
    assert.isNotNull(row)
    await tab.press("Remove", "button", within(row as HTMLElement))
    const dialog = await tab.dialog("Remove")
    await tab.press("Remove", "button", dialog)
    assert.deepStrictEqual((await tab.sent("billingConnections.update")).body, { mapping })
  })
})
