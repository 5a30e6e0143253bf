// What a payment is for decides what units it gives: told here in the service's own words of facts, whatever provider says them.
import { assert, describe, it } from "@effect/vitest"
import type {
  BilledLine,
  Fact,
  Item,
  OrderFact,
  PaymentFact,
  SubscriptionFact
} from "../../../../src/domain/sales/providers/Fact.ts"
import type { TellingEvent } from "../../../../src/domain/sales/providers/ProviderEvent.ts"
import { wireTime } from "../../../../src/domain/sales/providers/SourceTime.ts"
import { fold } from "../../../../src/domain/sales/purchases/Fold.ts"
import type { Mapping } from "../../../../src/domain/sales/purchases/Mapping.ts"
import { unitsSold } from "../../../../src/domain/sales/selling/SoldUnits.ts"
import { day } from "../../../fixtures/PurchaseLife.ts"

const subscription = "subscription/sub_1"
const order = "order/or_1"

const event = (on: number, ...facts: ReadonlyArray<Fact>): TellingEvent => ({
  id: `evt_${on}_${JSON.stringify(facts).length}_${facts[0]!.about}`,
  occurred_at: day(on),
  facts
} as TellingEvent)

const item = (price: string, more: Partial<Item> = {}): Item => ({
  id: `si_${price}`,
  price,
  quantity: 5,
  period_start: day(0),
  period_end: day(30),
  ...more
})

const is = (on: number, items: ReadonlyArray<Item>, more: Partial<SubscriptionFact> = {}) =>
  event(on, { kind: "subscription", about: subscription, rank: 1, state: "active", said: "active", items, ...more })

const paid = (on: number, lines?: ReadonlyArray<BilledLine>, more: Partial<PaymentFact> = {}, bill = `in_${on}`) =>
  event(
    on,
    { kind: "link", about: `invoice/${bill}`, to: subscription },
    { kind: "payment", about: `invoice/${bill}`, state: "paid", ...(lines === undefined ? {} : { lines }), ...more }
  )

const monthOf = (start: number): Pick<BilledLine, "start" | "end"> => ({ start: day(start), end: day(start + 30) })

const byPrice = (...prices: ReadonlyArray<string>): Mapping => ({
  prices: [],
  units: prices.map((value) => ({
    by: "price",
    value,
    feature_id: `feat_${value}`,
    amount: 10,
    ends_with_period: true
  }))
})

const dayOf = (time: string | undefined) => time === undefined ? "" : wireTime(time).slice(5, 10)

/** The units that some events sell: how many of what, by which part of which bill, paid when, and until when. */
const units = (
  events: ReadonlyArray<TellingEvent>,
  mapping = byPrice("a"),
  purchase: "subscription/sub_1" | "order/or_1" = subscription
) => {
  const found = unitsSold(fold("stripe", purchase, events), purchase, events, mapping)
  return {
    ...found,
    sold: found.sold.map(({ amount, bill, ends_at, is_back, paid_at, part }) =>
      [amount, bill, part, dayOf(paid_at), dayOf(ends_at), ...is_back ? ["back"] : []].join(" ").trim()
    )
  }
}

const [d0, d1, d30, d60] = [0, 1, 30, 60].map((number) => dayOf(day(number)))

describe("a bill whose lines name what they are for", () => {
  const held = is(0, [item("a")])
  const of = (...lines: ReadonlyArray<BilledLine>) => units([held, paid(0, lines)]).sold

  it("gives the units of each line, times its quantity", () => {
    assert.deepStrictEqual(of({ price: "a", quantity: 3, ...monthOf(0) }), [`30 invoice/in_0 a ${d0} ${d30}`])
  })

  it("gives those of the quantity that is held, where the line says none, and of one where nothing is", () => {
    assert.deepStrictEqual(of({ price: "a", ...monthOf(0) }), [`50 invoice/in_0 a ${d0} ${d30}`])
    const other = [is(0, [item("b")]), paid(0, [{ price: "a", ...monthOf(0) }])]
    assert.deepStrictEqual(units(other).sold, [`10 invoice/in_0 a ${d0} ${d30}`])
  })

  it("counts lines of one price together, and those of another one apart", () => {
    const two = { price: "a", quantity: 2, ...monthOf(0) }
    const lines = [two, { ...two, quantity: 3 }]
    const other = { price: "b", quantity: 1, ...monthOf(0) }
    assert.deepStrictEqual(units([held, paid(0, [...lines, other])], byPrice("a", "b")).sold, [
      `50 invoice/in_0 a ${d0} ${d30}`,
      `10 invoice/in_0 b ${d0} ${d30}`
    ])
  })

  it("gives nothing for a change in the middle of a period, named or not", () => {
    assert.deepStrictEqual(of({ price: "a", quantity: 3, proration: true, ...monthOf(0) }), [])
    assert.deepStrictEqual(of({ proration: true, ...monthOf(0) }), [])
  })

  it("knows a line by its product, where no price is named, and a price before its product", () => {
    const byProduct: Mapping = {
      prices: [],
      units: [{ by: "product", value: "p", feature_id: "feat_p", amount: 10 }]
    }
    const tried = is(0, [{ product: "p", quantity: 4 }])
    assert.deepStrictEqual(units([tried, paid(0, [{ product: "p", ...monthOf(0) }])], byProduct).sold, [
      `40 invoice/in_0 p ${d0}`
    ])
    // The line says its product, and no item that is held does.
    assert.deepStrictEqual(units([held, paid(0, [{ price: "b", product: "p", quantity: 1 }])], byProduct).sold, [
      `10 invoice/in_0 b ${d0}`
    ])
    // The item says it, and the line does not.
    const whole = is(0, [item("a", { product: "p" })])
    assert.deepStrictEqual(units([whole, paid(0, [{ price: "a", quantity: 1 }])], byProduct).sold, [
      `10 invoice/in_0 a ${d0}`
    ])
  })

  it("is one payment although it names no period", () => {
    assert.deepStrictEqual(of({ price: "a", quantity: 1 }), [`10 invoice/in_0 a ${d0}`])
  })
})

describe("a bill that names its period, and nothing of what it is for", () => {
  const two = is(0, [item("a"), item("b", { quantity: 2 })])

  it("is for what was held then, by its own quantity where it says one", () => {
    const mapping = byPrice("a", "b")
    assert.deepStrictEqual(units([two, paid(0, [monthOf(0)])], mapping).sold, [
      `50 invoice/in_0 0 ${d0} ${d30}`,
      `20 invoice/in_0 1 ${d0} ${d30}`
    ])
    assert.deepStrictEqual(units([is(0, [item("a")]), paid(0, [{ ...monthOf(0), quantity: 7 }])]).sold, [
      `70 invoice/in_0 0 ${d0} ${d30}`
    ])
  })

  it("is not for what came later", () => {
    assert.deepStrictEqual(units([is(0, [item("b")]), paid(0, [monthOf(0)]), is(9, [item("b"), item("a")])]).sold, [])
  })

  it("is for the first period that it names, whatever else it has", () => {
    const lines = [{ quantity: 9 }, { proration: true, ...monthOf(60) }, monthOf(0), monthOf(30)]
    assert.deepStrictEqual(units([is(0, [item("a")]), paid(0, lines)]).sold, [`50 invoice/in_0 0 ${d0} ${d30}`])
  })
})

describe("a bill that names no period", () => {
  const months = [is(0, [item("a")]), is(30, [item("a", { period_start: day(30), period_end: day(60) })])]

  it("is for the period that ends next, each once, by the bill that was paid first", () => {
    const bills = [paid(1, undefined, {}, "z"), paid(2, undefined, {}, "b"), paid(31, undefined, {}, "a")]
    assert.deepStrictEqual(units([...months, ...bills]).sold, [
      `50 ${subscription} ${day(30)} ${d1} ${d30}`,
      `50 ${subscription} ${day(60)} ${dayOf(day(31))} ${d60}`
    ])
  })

  it("is for the next one within the last hour before it", () => {
    const near = (seconds: number) => ({ ...paid(29), occurred_at: day(30, -seconds) })
    assert.include(units([...months, near(3601)]).sold[0], day(30))
    assert.include(units([...months, near(3600)]).sold[0], day(60))
  })

  it("is for all that is held then, each known by its place", () => {
    const both = is(0, [item("a"), item("b", { quantity: 1 })])
    assert.deepStrictEqual(units([both, paid(1)], byPrice("a", "b")).sold, [
      `50 ${subscription} ${day(30)} ${d1} ${d30}`,
      `10 ${subscription} ${day(30)} 1 ${d1} ${d30}`
    ])
  })

  it("is for the nearer of two ends, in whatever order they were told", () => {
    const shorter = [is(0, [item("a", { period_end: day(60) })]), is(1, [item("a")])]
    assert.deepStrictEqual(units([...shorter, paid(2)]).sold, [
      `50 ${subscription} ${day(30)} ${dayOf(day(2))} ${d30}`
    ])
  })

  it("waits where nobody has told when its period ends", () => {
    const open = is(0, [item("a", { period_start: undefined, period_end: undefined })])
    assert.deepStrictEqual(units([open, paid(1)]), { sold: [], awaitsPayment: false, awaitsPeriod: true })
    assert.deepStrictEqual(units([open, paid(1)], byPrice("b")), {
      sold: [],
      awaitsPayment: false,
      awaitsPeriod: false
    })
    assert.isFalse(units([is(0, [item("a")]), paid(1)]).awaitsPeriod)
  })
})

describe("a trial", () => {
  const tried = is(0, [item("a")], { state: "trialing", trial_end: day(14) })

  it("is not paid for, whatever its bill says of a period that ends with it", () => {
    assert.deepStrictEqual(units([tried, paid(0, [{ price: "a", start: day(0), end: day(14) }])]).sold, [])
    assert.deepStrictEqual(units([tried, paid(1)]).sold, [])
  })

  it("ends where something is paid that reaches beyond it, or that is paid after it", () => {
    assert.lengthOf(units([tried, paid(1, [{ price: "a", ...monthOf(0) }])]).sold, 1)
    assert.lengthOf(units([tried, paid(14, [{ price: "a", start: day(0), end: day(14) }])]).sold, 1)
    assert.lengthOf(units([tried, paid(14)]).sold, 1)
  })
})

describe("what gives no units", () => {
  const held = is(0, [item("a")])
  const line = { price: "a", quantity: 1, ...monthOf(0) }

  it("is a bill that is not paid, is beside the period, or of no item at all", () => {
    assert.deepStrictEqual(units([held, paid(0, [line], { state: "failed" })]).sold, [])
    assert.deepStrictEqual(units([held, paid(0, [line], { aside: true })]).sold, [])
    assert.deepStrictEqual(units([held, paid(0, [{ ...line, quantity: 0 }])]).sold, [])
  })

  it("is a payment of something that no event has told of yet", () => {
    assert.deepStrictEqual(units([paid(0, [line])]).sold, [])
  })

  it("is a mapping that sells no units", () => {
    assert.deepStrictEqual(units([held, paid(0, [line])], { prices: [] }).sold, [])
    assert.deepStrictEqual(units([held, paid(0, [line])], byPrice("b")).sold, [])
  })
})

describe("what is bought once", () => {
  const ordered = (on: number, state: OrderFact["state"], items = [{ price: "a", quantity: 2 }]) =>
    event(on, {
      kind: "order",
      about: order,
      state,
      said: state,
      items,
      amount: { value: 100, currency: "eur" }
    })
  const back = (value: number, on = 9) =>
    event(on, { kind: "refund", about: order, refund: "re_1", state: "succeeded", amount: { value } })
  const dispute = (state: "open" | "lost") =>
    event(9, { kind: "dispute", about: order, dispute: "dp_1", state, said: state })
  const of = (mapping: Partial<Mapping>, ...events: ReadonlyArray<TellingEvent>) =>
    units([ordered(1, "paid"), ...events], { ...byPrice("a"), ...mapping }, order).sold

  it("gives the units of each item once, from when it was paid", () => {
    assert.deepStrictEqual(of({}), [`20 ${order} 0 ${d1}`])
    const note = event(5, { kind: "note", about: order, note: "seen" })
    assert.deepStrictEqual(of({}, note, ordered(7, "paid")), [`20 ${order} 0 ${d1}`])
    const three = [{ price: "a", quantity: 2 }, { price: "b", quantity: 1 }, { price: "c", quantity: 0 }]
    assert.deepStrictEqual(units([ordered(1, "paid", three)], byPrice("a", "b", "c"), order).sold, [
      `20 ${order} 0 ${d1}`,
      `10 ${order} 1 ${d1}`
    ])
  })

  it("gives none while it is not paid, or once that failed", () => {
    assert.deepStrictEqual(units([ordered(1, "pending")], byPrice("a"), order), {
      sold: [],
      awaitsPayment: true,
      awaitsPeriod: false
    })
    assert.isFalse(units([ordered(1, "pending")], byPrice("b"), order).awaitsPayment)
    assert.deepStrictEqual(units([ordered(1, "failed")], byPrice("a"), order), {
      sold: [],
      awaitsPayment: false,
      awaitsPeriod: false
    })
  })

  it("loses them with the money: all of it, a part where the mapping says so, and by a dispute that was lost", () => {
    const gone = [`20 ${order} 0 ${d1}  back`]
    const kept = [`20 ${order} 0 ${d1}`]
    assert.deepStrictEqual(of({}, back(100)), gone)
    assert.deepStrictEqual(of({}, back(40)), kept)
    assert.deepStrictEqual(of({ partial_refund: "end" }, back(40)), gone)
    assert.deepStrictEqual(of({ partial_refund: "end" }), kept)
    assert.deepStrictEqual(of({}, dispute("lost")), gone)
    assert.deepStrictEqual(of({}, dispute("open")), kept)
  })

  it("gives none while its money is disputed", () => {
    const found = (...events: ReadonlyArray<TellingEvent>) => {
      const all = [ordered(1, "paid"), ...events]
      return unitsSold(fold("stripe", order, all), order, all, byPrice("a")).sold.map(({ is_open }) => is_open)
    }
    assert.deepStrictEqual([found(), found(dispute("open")), found(dispute("lost"))], [[false], [true], [false]])
  })
})

describe("the money of one bill of a subscription", () => {
  const months = [0, 30].map((start) =>
    paid(start, [{ price: "a", quantity: 1, ...monthOf(start) }], {
      amount: { value: 100 }
    })
  )
  const told = [is(0, [item("a")]), ...months]
  const back = (value: number) =>
    event(40, { kind: "refund", about: "invoice/in_0", refund: "re_1", state: "succeeded", amount: { value } })
  const lost = event(40, { kind: "dispute", about: "invoice/in_0", dispute: "dp_1", state: "lost", said: "lost" })
  const isBack = (mapping: Partial<Mapping>, ...events: ReadonlyArray<TellingEvent>) =>
    units([...told, ...events], { ...byPrice("a"), ...mapping }).sold.map((line) => line.endsWith("back"))

  it("takes back the units of that bill alone", () => {
    assert.deepStrictEqual(isBack({}), [false, false])
    assert.deepStrictEqual(isBack({}, back(100)), [true, false])
    assert.deepStrictEqual(isBack({}, back(40)), [false, false])
    assert.deepStrictEqual(isBack({ partial_refund: "end" }, back(40)), [true, false])
    assert.deepStrictEqual(isBack({ partial_refund: "end" }), [false, false])
    assert.deepStrictEqual(isBack({}, lost), [true, false])
  })
})
