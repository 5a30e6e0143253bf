import { assert, describe, it } from "@effect/vitest"
import type { Provider } from "../../../../src/domain/sales/providers/Provider.ts"
import { wireTime } from "../../../../src/domain/sales/providers/SourceTime.ts"
import type { UnitsOfPurchase } from "../../../../src/domain/sales/selling/SoldUnits.ts"
import { soldKey } from "../../../../src/domain/sales/selling/UnitsPlan.ts"
import { orders, read } from "../../../fixtures/ReadInOrders.ts"
import { begins, unitLife, unitMapping, unitsOf } from "../../../fixtures/SoldUnits.ts"
import { bodyOf, paidOnce } from "../../../fixtures/StripeShop.ts"

const providers: ReadonlyArray<Provider> = ["stripe", "paddle", "lemon_squeezy", "fastspring", "chargebee"]

/** The day after the beginning on which something is. */
const dayOf = (time: string | undefined): number | undefined =>
  time === undefined ? undefined : Math.round((Date.parse(wireTime(time)) / 1000 - begins) / 86_400)

const shown = ({ sold }: UnitsOfPurchase) =>
  sold.map(({ amount, ends_at, is_back }) => ({ amount, ends: dayOf(ends_at), is_back })).toSorted((a, b) =>
    (a.ends ?? 0) - (b.ends ?? 0)
  )

describe("a subscription that sells units gives them for each paid period, in whatever order it is told of", () => {
  it.each(providers)("%s", (provider) => {
    const life = unitLife(provider)
    const mapping = unitMapping(life, { ends_with_period: true })
    const first = unitsOf(provider, life.purchase, life.bought, mapping)
    assert.deepStrictEqual(shown(first), [{ amount: 500, ends: 30, is_back: false }])
    const events = [...life.bought, ...life.renewed]
    const both = unitsOf(provider, life.purchase, events, mapping)
    assert.lengthOf(both.sold, 2)
    assert.deepStrictEqual(shown(both).map(({ ends, is_back }) => [ends, is_back]), [[30, false], [60, false]])
    const all = [...events, ...life.refunded]
    const back = unitsOf(provider, life.purchase, all, mapping)
    assert.deepStrictEqual(shown(back).map(({ ends, is_back }) => [ends, is_back]), [[30, false], [60, true]])
    assert.deepStrictEqual(back.sold.map(soldKey), both.sold.map(soldKey), "a payment keeps its name")
    assert.include(both.sold.map(soldKey), soldKey(first.sold[0]!))
    for (const arrived of orders(all)) {
      assert.deepStrictEqual(unitsOf(provider, life.purchase, [...arrived, ...arrived], mapping), back)
    }
  })
})

describe("what is paid once and sells units", () => {
  const bought = paidOnce("plink_1")
  const body = bodyOf(true)
  const told = (...events: ReadonlyArray<typeof bought.paid>) => events.flatMap((event) => read("stripe", body(event)))
  const mapping = unitMapping({ by: "price", soldAs: "" })
  const byLink = { ...mapping, units: [{ ...mapping.units![0]!, by: "payment_link" as const, value: "plink_1" }] }
  const of = (...events: ReadonlyArray<typeof bought.paid>) =>
    unitsOf("stripe", `order/${bought.id}`, told(...events), byLink)

  it("gives them once, and says when the money is back and when it is not in the end", () => {
    const isBack = ({ sold }: UnitsOfPurchase) => sold.map(({ amount, is_back }) => [amount, is_back])
    assert.deepStrictEqual(isBack(of(bought.paid, bought.paid)), [[100, false]])
    assert.deepStrictEqual(isBack(of(bought.refunded, bought.paid)), [[100, true]])
    assert.deepStrictEqual(isBack(of(bought.refunded, bought.refundFailed, bought.paid)), [[100, false]])
  })

  it("gives none while it is not paid, and says so", () => {
    const pending = { ...bought.paid, object: { ...bought.paid.object, payment_status: "unpaid" } }
    assert.deepStrictEqual(of(pending), { sold: [], awaitsPayment: true, awaitsPeriod: false })
  })
})
