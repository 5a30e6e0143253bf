// The vendor's page says what happens to units that are sold, by what happened at the provider: each line is told here by each provider.
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Provider } from "../../../../src/domain/sales/providers/Provider.ts"
import { wireTime } from "../../../../src/domain/sales/providers/SourceTime.ts"
import { root } from "../../../fixtures/Program.ts"
import { day } from "../../../fixtures/PurchaseLife.ts"
import { sellers } from "../../../fixtures/purchases/PaidLives.ts"
import { vendorStories } from "../../../fixtures/purchases/VendorStories.ts"
import { orders, read } from "../../../fixtures/ReadInOrders.ts"
import { unitMapping, unitsOf } from "../../../fixtures/SoldUnits.ts"

const page = readFileSync(join(root, "docs/reference/payments.md"), "utf8")
const section = page.split(/^(?=## )/m).find((part) => part.startsWith("## What happens to units\n")) ??
  assert.fail("the page has no such section")
const titles = section.split("\n").filter((line) => line.startsWith("| ")).slice(2).map((line) =>
  line.split("|")[1]!.trim()
)

const providers: ReadonlyArray<Provider> = ["stripe", "paddle", "lemon_squeezy", "fastspring", "chargebee"]

/** The units that follow from a story, period by period. */
const followsFrom = (provider: Provider, title: string): ReadonlyArray<string> => {
  const { by, priceOf, purchase } = sellers.find((seller) => seller.provider === provider)!
  const story = vendorStories[provider][title]!
  const units = ["basic", "team"].flatMap((plan) =>
    unitMapping({ by: by as "price", soldAs: priceOf(plan as "basic") }, { amount: 10, ends_with_period: true }).units!
  )
  const byLink = { ...units[0]!, by: "payment_link" as const, value: "plink_1" }
  const mapping = { prices: [], units: [...units, byLink] }
  const events = story.bodies.flatMap((body) => read(provider, provider === "fastspring" ? { events: [body] } : body))
  const name = story.purchase ?? purchase
  const found = unitsOf(provider, name, events, mapping)
  for (const arrived of orders(events)) assert.deepStrictEqual(unitsOf(provider, name, arrived, mapping), found)
  return found.sold.map(({ amount, ends_at, is_back, is_open }) => {
    const end = ends_at === undefined ? "" : ` to ${wireTime(ends_at).slice(0, 10)}`
    return `${amount}${end}${is_back ? ", back" : ""}${is_open ? ", disputed" : ""}`
  }).toSorted()
}

const to = (days: number): string => `50 to ${wireTime(day(days)).slice(0, 10)}`

const meanings: Readonly<Record<string, ReadonlyArray<string>>> = {
  "Bought": [to(30)],
  "Trial": [],
  "Renewal is paid": [to(30), to(60)],
  "Renewal fails": [to(30)],
  "Failed renewal is paid": [to(30), to(60)],
  "Seats are added": [to(30)],
  "Added seats are paid later": [to(30)],
  "Canceled at once": [to(30)],
  "Refund of all": [`${to(30)}, back`],
  "Refund of a part": [to(30)],
  "Refund of an earlier period": [`${to(30)}, back`, to(60)],
  "Dispute is open": [`${to(30)}, disputed`],
  "Dispute is won": [to(30)],
  "Dispute is lost": [`${to(30)}, back`],
  "Money of a one-time purchase is back": ["10, back"]
}

describe("the units of the vendor's page", () => {
  it("have a line for each meaning", () => {
    assert.sameMembers(titles, Object.keys(meanings))
  })

  const cells = Object.keys(meanings).flatMap((title) =>
    providers.flatMap((provider) => vendorStories[provider][title] === undefined ? [] : [[title, provider] as const])
  )

  it.each(cells)("%s, at %s", (title, provider) => {
    assert.deepStrictEqual(followsFrom(provider, title), meanings[title])
  })
})
