// The vendor's page says what happens to a license, by what happened at the provider: each cell of its table is a story that is told here.
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Provider } from "../../../../src/domain/sales/providers/Provider.ts"
import { wireTime } from "../../../../src/domain/sales/providers/SourceTime.ts"
import type { Holding, Planned } from "../../../../src/domain/sales/purchases/Command.ts"
import { fold } from "../../../../src/domain/sales/purchases/Fold.ts"
import type { Mapping } from "../../../../src/domain/sales/purchases/Mapping.ts"
import { planOf } from "../../../../src/domain/sales/purchases/Plan.ts"
import { root } from "../../../fixtures/Program.ts"
import { day } from "../../../fixtures/PurchaseLife.ts"
import { sellers } from "../../../fixtures/purchases/PaidLives.ts"
import { vendorStories } from "../../../fixtures/purchases/VendorStories.ts"
import { orders, read } from "../../../fixtures/ReadInOrders.ts"

const page = readFileSync(join(root, "docs/reference/payments.md"), "utf8")

const providers: Readonly<Record<string, Provider>> = {
  "Stripe": "stripe",
  "Paddle": "paddle",
  "Lemon Squeezy": "lemon_squeezy",
  "FastSpring": "fastspring",
  "Chargebee": "chargebee"
}

/** The cells of the table of the page under a heading. */
const tableUnder = (heading: string): ReadonlyArray<ReadonlyArray<string>> => {
  const section = page.split(/^(?=## )/m).find((part) => part.startsWith(`## ${heading}\n`))
  const lines = (section ?? assert.fail(`the page has no ${heading}`)).split("\n").filter((line) =>
    line.startsWith("|")
  )
  return lines.map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()))
}

const [heads = [], , ...rows] = tableUnder("What happens to the license")
const lines = rows.flatMap(([title = "", ...cells]) =>
  cells.slice(0, -1).map((said, index) => ({ title, said, provider: providers[heads[index + 1]!]! }))
)
const isTold = ({ said }: { readonly said: string }) => said !== "—"

/** What follows from a story: of each record its status, end and quantity, then what else is done and what waits. */
const followsFrom = (provider: Provider, title: string): ReadonlyArray<string> => {
  const { by, priceOf, purchase } = sellers.find((seller) => seller.provider === provider)!
  const story = vendorStories[provider][title]!
  const isOrder = story.purchase !== undefined
  const policies: Planned["policies"] = ["pol_a", "pol_b"].map((id) => ({
    id,
    product_id: "prod_1",
    license_type: isOrder ? "perpetual" : "subscription"
  }))
  const entry = (by: Mapping["prices"][number]["by"], value: string, policy_id: string) =>
    ({ by, value, policy_id, quantity: "seats" }) as const
  const mapping: Mapping = {
    prices: [
      entry(by, priceOf("basic"), "pol_a"),
      entry(by, priceOf("team"), "pol_b"),
      entry("payment_link", "plink_1", "pol_a")
    ]
  }
  const events = story.bodies.flatMap((body) => read(provider, provider === "fastspring" ? { events: [body] } : body))
  const name = story.purchase ?? purchase
  const state = fold(provider, name, events)
  for (const arrived of orders(events)) assert.deepStrictEqual(fold(provider, name, arrived), state)
  const holdings = state.slots.map(({ slot }): Holding => ({
    reference: { item: `${slot}.prod_1`, index: 0 },
    license: { id: `lic_${slot}`, policy_id: slot === 0 ? "pol_a" : "pol_b", product_id: "prod_1", status: "active" },
    is_own: true
  }))
  const { commands, holds } = planOf(state, mapping, { policies, holdings, adoptable: [] })
  return [
    ...commands.flatMap((command) => {
      switch (command.type) {
        case "subscription": {
          const { cancel_at_period_end, current_period_end, ended_at, quantity, status } = command.values
          const end = (ended_at ?? current_period_end)!.slice(0, 10)
          return [`${status} to ${end}, ${quantity}${cancel_at_period_end ? ", not renewed" : ""}`]
        }
        case "order":
          return [command.values.status]
        case "policy":
          return [`policy ${command.policy_id}`]
        case "stop":
          return [`stopped: ${command.reason}`]
        case "issue":
        case "adopt":
          return [command.type]
        default:
          return []
      }
    }),
    ...holds.map(({ code }) => `waits: ${code}`)
  ]
}

const until = (days: number): string => wireTime(day(days)).slice(0, 10)

/** What each line of the page means, as it is written of a license. */
const meanings: Readonly<Record<string, ReadonlyArray<string>>> = {
  "Bought": [`active to ${until(30)}, 5`],
  "Trial": [`trialing to ${until(14)}, 5`],
  "Renewal is paid": [`active to ${until(60)}, 5`],
  "Renewal fails": [`past_due to ${until(30)}, 5`],
  "Failed renewal is paid": [`active to ${until(60)}, 5`],
  "Unpaid for good": [`unpaid to ${until(30)}, 5`],
  "Seats are added": [`active to ${until(30)}, 8`],
  "Added seats are not paid": [`active to ${until(30)}, 5`, "waits: unpaid_change"],
  "Added seats are paid later": [`active to ${until(30)}, 8`],
  "Added seats are voided or written off": [`active to ${until(30)}, 5`],
  "Another plan": [`active to ${until(30)}, 5`, "policy pol_b"],
  "Items in another order": [`active to ${until(30)}, 5`, `active to ${until(30)}, 2`],
  "Item is removed": [`canceled to ${until(10)}, 5`, `active to ${until(30)}, 2`],
  "Canceled at the end of the period": [`active to ${until(30)}, 5, not renewed`],
  "Canceled at once": [`canceled to ${until(10)}, 5`],
  "Paused": [`paused to ${until(30)}, 5`],
  "Resumed": [`active to ${until(43)}, 5`],
  "Refund of all": [`canceled to ${until(5)}, 5`],
  "Refund of a part": [`active to ${until(30)}, 5`],
  "Refund of an earlier period": [`active to ${until(60)}, 5`],
  "Refund of one of two payments": [`active to ${until(30)}, 5`],
  "Dispute is open": [`disputed to ${until(30)}, 5`],
  "Dispute is won": [`active to ${until(30)}, 5`],
  "Dispute is lost": [],
  "Invoice of a quote is paid": ["paid"],
  "Money of a one-time purchase is back": ["refunded", "stopped: refunded"]
}

describe("the vendor's page", () => {
  it("has a line for each meaning, and a story for each cell that says something", () => {
    assert.deepStrictEqual(heads.slice(1, -1), Object.keys(providers))
    assert.sameMembers(rows.map(([title]) => title), Object.keys(meanings))
    const cells = lines.filter(isTold).map(({ provider, title }) => `${provider}: ${title}`)
    const stories = Object.entries(vendorStories).flatMap(([provider, told]) =>
      Object.keys(told).map((title) => `${provider}: ${title}`)
    )
    assert.sameMembers(cells, stories)
  })

  it.each(lines.filter(isTold).map(({ provider, title }) => [title, provider] as const))(
    "%s, at %s",
    (title, provider) => {
      const found = followsFrom(provider, title)
      const meant = title === "Dispute is lost"
        ? [`canceled to ${until(provider === "stripe" ? 20 : 5)}, 5`]
        : meanings[title]
      assert.deepStrictEqual(found, meant)
    }
  )
})
