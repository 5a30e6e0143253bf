import { assert, describe, it } from "@effect/vitest"
import type {
  BilledLine,
  Fact,
  Item,
  PaymentFact,
  RefundFact,
  SubscriptionFact
} from "../../../../src/domain/sales/providers/Fact.ts"
import type { Provider } from "../../../../src/domain/sales/providers/Provider.ts"
import type { TellingEvent } from "../../../../src/domain/sales/providers/ProviderEvent.ts"
import { fold } from "../../../../src/domain/sales/purchases/Fold.ts"
import type { SlotMoney } from "../../../../src/domain/sales/purchases/PurchaseState.ts"
import { day } from "../../../fixtures/PurchaseLife.ts"

/** An event of a day, of which nothing but what it says of the purchase is of interest. */
const event = (at: number, ...facts: ReadonlyArray<Fact>): TellingEvent => ({
  id: `evt_${at}_${JSON.stringify(facts[0])}`,
  occurred_at: day(at),
  facts
})

const item = (price: string, quantity: number, start: number, end: number): Item => ({
  id: `it_${price}`,
  price,
  quantity,
  period_start: day(start),
  period_end: day(end)
})

/** The item that is sold where nothing else is said. */
const team = item("team", 3, 0, 30)

/** The same where its provider says nothing of periods. */
const without = { ...team, period_start: undefined, period_end: undefined }

const told = (
  at: number,
  items: ReadonlyArray<Item> = [team],
  state: SubscriptionFact["state"] = "active",
  more: Partial<SubscriptionFact> = {}
): TellingEvent =>
  event(at, { kind: "subscription", about: "subscription/S1", rank: 1, state, said: state ?? "", items, ...more })

const due = (at: number, items: ReadonlyArray<Item> = [team]) => told(at, items, "past_due")

const line = (price: string, start: number, end: number, more: Partial<BilledLine> = {}): BilledLine => ({
  price,
  start: day(start),
  end: day(end),
  ...more
})

const billed = (state: PaymentFact["state"]) =>
(
  at: number,
  about: string,
  lines: ReadonlyArray<BilledLine> | undefined,
  more: Partial<PaymentFact> = {}
): TellingEvent =>
  event(
    at,
    { kind: "link", about: `invoice/${about}`, to: "subscription/S1" },
    { kind: "payment", about: `invoice/${about}`, state, lines, ...more }
  )
const paid = billed("paid")
const failed = billed("failed")
const givenUp = billed("uncollectible")

const refunded = (at: number, about: string, value: number, more: Partial<RefundFact> = {}): TellingEvent =>
  event(at, {
    kind: "refund",
    about: `invoice/${about}`,
    refund: `re_${at}`,
    state: "succeeded",
    amount: { value, currency: "eur" },
    ...more
  })

const disputed = (at: number, about: string, state: "open" | "won" | "lost"): TellingEvent =>
  event(at, { kind: "dispute", about: `invoice/${about}`, dispute: `dp_${about}`, state, said: state })

const folded = (provider: Provider, ...events: ReadonlyArray<TellingEvent>) => fold(provider, "subscription/S1", events)

/** The day of an instant, so that expectations can be read. */
const dayOf = (time: string | undefined): number | undefined =>
  time === undefined ? undefined : (Date.parse(time) - Date.parse(day(0))) / 86_400_000

const unpaidSince = (provider: Provider, ...events: ReadonlyArray<TellingEvent>) => {
  const { slots, unpaid_since } = folded(provider, ...events)
  return [dayOf(unpaid_since), ...slots.slice(1).map(({ money }) => dayOf(money?.unpaid_since))]
}

/** What the slots are paid as, in short: `-` of one that is not paid for, nothing where all of it is. */
const paidAs = (...events: ReadonlyArray<TellingEvent>) =>
  folded("stripe", ...events).slots.map(({ money }) => shown(money?.paid_as))
const shown = (as: SlotMoney["paid_as"]) => as === null ? "-" : as === undefined ? "" : `${as.price} ${as.quantity}`

const first = paid(0, "I1", [line("team", 0, 30)], { amount: { value: 1000, currency: "eur" } })

describe("since when a subscription is not paid", () => {
  const next = [item("team", 3, 30, 60)]

  it("is told while it is due, or was canceled before all of it was paid", () => {
    const unpaid = failed(30, "I2", [line("team", 30, 60)])
    assert.deepStrictEqual(unpaidSince("chargebee", told(0), first, due(30, next), unpaid), [30])
    assert.deepStrictEqual(unpaidSince("chargebee", told(0), first, told(30, next, "unpaid"), unpaid), [30])
    assert.deepStrictEqual(unpaidSince("chargebee", told(0), first, told(30, next), unpaid), [undefined])
    assert.deepStrictEqual(unpaidSince("chargebee", told(0), first, told(30, next, "canceled"), unpaid), [30])
    assert.deepStrictEqual(unpaidSince("chargebee", told(0), first, told(20, [team], "canceled")), [undefined])
    const second = paid(30, "I2", [line("team", 30, 60)])
    assert.deepStrictEqual(unpaidSince("chargebee", first, second, told(40, next, "canceled")), [undefined])
    // What is not known to be paid was announced, or asked for.
    assert.deepStrictEqual(unpaidSince("chargebee", told(0), first, told(30, next, "canceled")), [30])
    assert.deepStrictEqual(unpaidSince("chargebee", told(0, [without]), first, told(20, [without], "canceled")), [30])
    const never = failed(0, "I1", [line("team", 0, 30)])
    assert.deepStrictEqual(unpaidSince("chargebee", told(0), never, told(20, [team], "canceled")), [0])
    // A trial that nobody has paid, and no bill is known of, owes nothing.
    assert.deepStrictEqual(unpaidSince("stripe", told(0), told(20, [team], "canceled")), [undefined])
  })

  it("is the start of the first period that is not paid, and never before the end of what is", () => {
    const of = (...events: ReadonlyArray<TellingEvent>) => unpaidSince("chargebee", told(0), due(90, [team]), ...events)
    const second = paid(30, "I2", [line("team", 30, 60)])
    assert.deepStrictEqual(of(first, failed(30, "I2", [line("team", 30, 60)])), [30])
    assert.deepStrictEqual(of(first, failed(35, "I2", [line("team", 35, 65)])), [35])
    // What was asked for earlier, and is paid for or over by now, is no debt any more.
    assert.deepStrictEqual(
      of(failed(0, "I0", [line("team", 0, 30)]), second, failed(90, "I4", [line("team", 90, 120)])),
      [
        90
      ]
    )
    assert.deepStrictEqual(
      of(second, failed(30, "I3", [line("team", 30, 60)]), failed(90, "I4", [line("team", 90, 120)])),
      [
        90
      ]
    )
    assert.deepStrictEqual(of(first, failed(10, "I2", [line("team", 10, 40)])), [30])
    // What is beside a period is no debt of one.
    assert.deepStrictEqual(of(first, failed(40, "I2", [line("team", 40, 70)], { aside: true })), [30])
    // A bill that does not say where its period begins.
    assert.deepStrictEqual(of(first, failed(40, "I2", [{ price: "team", end: day(60) }])), [30])
    // Of two debts, the first.
    assert.deepStrictEqual(
      of(first, failed(70, "I3", [line("team", 70, 90)]), failed(40, "I2", [line("team", 40, 60)])),
      [40]
    )
  })

  it("goes by the debts for its own price where there are any, else by all", () => {
    const of = (...lines: ReadonlyArray<BilledLine>) =>
      unpaidSince("chargebee", told(0), first, due(40), failed(40, "I2", lines))
    assert.deepStrictEqual(of(line("team", 35, 65), line("other", 32, 62)), [35])
    assert.deepStrictEqual(of(line("other", 32, 62)), [32])
    // A line that names nothing is for all that is sold.
    assert.deepStrictEqual(of({ start: day(35), end: day(65) }, line("other", 32, 62)), [35])
  })

  it("is where a provider has begun the period already, of those who do so before it is paid", () => {
    const late = [item("team", 3, 31, 61)]
    assert.deepStrictEqual(unpaidSince("stripe", told(0), first, due(32, late)), [31])
    assert.deepStrictEqual(unpaidSince("chargebee", told(0), first, due(32, late)), [30])
    assert.deepStrictEqual(unpaidSince("stripe", told(0), due(5)), [0])
  })

  /** The events of a bill that was not paid, and given up. */
  const lost = (...lines: ReadonlyArray<BilledLine>) => [failed(30, "I2", lines), givenUp(31, "I2", lines)]

  it("is the end of a period whose bill was given up, where what is due is for something beside it", () => {
    const second = lost(line("team", 30, 60))
    const beside = failed(35, "I3", [line("team", 35, 60, { proration: true })], { aside: true })
    const of = (...events: ReadonlyArray<ReadonlyArray<TellingEvent>>) =>
      unpaidSince("stripe", told(0), first, due(35, next), ...events.flat())
    assert.deepStrictEqual(of(second, [beside]), [60])
    assert.deepStrictEqual(of(second), [30])
    assert.deepStrictEqual(of(lost({ start: day(30), end: day(60) }), [beside]), [60])
    assert.deepStrictEqual(of([beside]), [30])
    assert.deepStrictEqual(of([failed(30, "I2", [line("team", 30, 60)]), beside]), [30])
    assert.deepStrictEqual(of(lost(line("other", 30, 90)), [beside]), [30])
    // It was asked for before that bill, and is not settled by giving that up; or it was paid itself.
    const before = failed(20, "I3", [line("team", 20, 30, { proration: true })], { aside: true })
    assert.deepStrictEqual(of(second, [before]), [60])
    const settled = paid(35, "I3", [line("team", 35, 60, { proration: true })], { aside: true })
    assert.deepStrictEqual(of(second, [settled]), [30])
  })

  it("is told by bills that name no period: what is not settled since, at most until the period that was announced", () => {
    const of = (end: number, ...events: ReadonlyArray<TellingEvent>) =>
      unpaidSince("fastspring", due(65, [item("team", 3, 0, end)]), ...events)
    const [one, two] = [paid(1, "I1", undefined), paid(31, "I2", undefined)]
    const third = failed(61, "I3", undefined)
    assert.deepStrictEqual(of(90, one, third), [61])
    assert.deepStrictEqual(of(90, failed(0, "I0", undefined), one, third), [61])
    assert.deepStrictEqual(of(90, failed(1, "I0", undefined), one, third), [61])
    assert.deepStrictEqual(of(90, third), [61])
    assert.deepStrictEqual(of(30, one, third), [30])
    assert.deepStrictEqual(of(30, third), [30])
    // Another one was paid since the end that was announced.
    assert.deepStrictEqual(of(30, two, third), [61])
    assert.deepStrictEqual(of(31, two, third), [61])
    // Nobody told of a bill: by its own word, or as long as its last period.
    assert.deepStrictEqual(of(90, one), [65])
    assert.deepStrictEqual(of(30, two), [30])
    // A change that was paid in between says nothing of what is due.
    const later = (...events: ReadonlyArray<TellingEvent>) =>
      unpaidSince("fastspring", told(0), one, due(35, [item("team", 3, 30, 60)]), ...events)
    assert.deepStrictEqual(later(), [35])
    assert.deepStrictEqual(later(paid(10, "I4", undefined, { aside: true })), [35])
    // What is beside a period, or a part of one, is no period.
    assert.deepStrictEqual(of(90, one, failed(20, "I4", undefined, { aside: true }), third), [61])
    assert.deepStrictEqual(of(90, one, failed(20, "I4", [line("team", 20, 30, { proration: true })])), [65])
  })

  it("is the end of the period before a change that is not paid, which may have begun one of its own", () => {
    const change = failed(10, "I2", undefined, { aside: true })
    const of = (...told: ReadonlyArray<TellingEvent>) =>
      unpaidSince("fastspring", paid(0, "I1", undefined), change, ...told)
    const changed = item("pro", 3, 10, 40)
    assert.deepStrictEqual(of(told(0), due(10, [changed])), [30])
    // One that was billed before what is paid for by now counts no more.
    assert.deepStrictEqual(of(told(0), due(35, [changed]), paid(31, "I3", undefined)), [35])
    assert.deepStrictEqual(of(told(0), due(35, [changed]), paid(10, "I3", undefined)), [35])
    assert.deepStrictEqual(of(told(0, [without]), due(10, [changed])), [40])
    assert.deepStrictEqual(of(told(0, [without]), due(12, [{ ...without, quantity: 5 }])), [12])
  })
})

describe("what a subscription is paid as while a change of it is not", () => {
  const more = item("team", 5, 0, 30)
  const change = failed(10, "I2", [line("team", 10, 30, { quantity: 5, proration: true })], { aside: true })

  it("is what it was before the change, while it is due", () => {
    assert.deepStrictEqual(paidAs(told(0), first, due(10, [more]), change), ["team 3"])
    assert.deepStrictEqual(paidAs(told(0), first, told(10, [more]), change), [""])
    assert.deepStrictEqual(paidAs(told(0), first, told(10, [more], "unpaid"), change), ["team 3"])
    // A period was paid since, with it.
    const second = paid(30, "I3", [line("team", 30, 60)])
    assert.deepStrictEqual(paidAs(told(0), first, due(31, [more]), change, second), [""])
    // Giving up the bill for a period pays for no change before it.
    const lost = [failed(30, "I3", [line("team", 30, 60)]), givenUp(31, "I3", [line("team", 30, 60)])]
    assert.deepStrictEqual(paidAs(told(0), first, due(10, [more]), change, ...lost), ["team 3"])
    // One bill fails at the instant at which another is paid.
    const atOnce = failed(0, "I2", [line("team", 0, 30, { quantity: 5, proration: true })], { aside: true })
    assert.deepStrictEqual(paidAs(told(-1), first, due(0, [more]), atOnce), ["team 3"])
  })

  it("is that before the first of some changes", () => {
    const again = failed(15, "A3", [line("team", 15, 30, { quantity: 8, proration: true })], { aside: true })
    const most = item("team", 8, 0, 30)
    assert.deepStrictEqual(paidAs(told(0), first, due(10, [more]), change, due(15, [most]), again), ["team 3"])
  })

  it("is told by a bill that is for what is within the period that is paid, although it does not say that it is beside it", () => {
    const of = (start: number, end: number, at = 10) =>
      paidAs(told(0), first, due(10, [more]), failed(at, "I2", [line("team", start, end, { quantity: 5 })]))
    assert.deepStrictEqual(of(10, 30), ["team 3"])
    assert.deepStrictEqual(of(10, 20), ["team 3"])
    assert.deepStrictEqual(of(10, 31), [""])
    const several = (...lines: ReadonlyArray<BilledLine>) =>
      paidAs(told(0), first, due(10, [more]), failed(10, "I2", [line("team", 10, 30, { quantity: 5 }), ...lines]))
    assert.deepStrictEqual(several(line("team", 10, 40)), [""])
    assert.deepStrictEqual(several({ price: "team", start: day(10) }), ["team 3"])
    // A slot that was added in the middle of it, until when its bill says alone.
    const seats = [1, 3].map((quantity) => [team, item("seat", quantity, 0, 30)])
    const added = paid(10, "I2", [{ price: "seat", end: day(30), proration: true }], { aside: true })
    const asked = failed(15, "I3", [line("seat", 15, 30, { quantity: 3 })])
    assert.deepStrictEqual(paidAs(told(0), first, told(10, seats[0]), added, due(15, seats[1]), asked), [
      "team 3",
      "seat 1"
    ])
    // For the period before.
    assert.deepStrictEqual(of(-30, 0), [""])
    // The vendor gave up the bill for the period, which is not owed then: what is asked for in its middle is a change.
    const never = [failed(0, "I1", [line("team", 0, 30)]), givenUp(1, "I1", [line("team", 0, 30)])]
    const within = failed(10, "I2", [line("team", 10, 30, { quantity: 5 })])
    assert.deepStrictEqual(paidAs(told(0), ...never, due(10, [more]), within), ["team 3"])
    // For nothing that is named, within what is paid, and after it.
    const unsaid = (at: number) => paidAs(told(0), first, due(10, [more]), failed(at, "I2", []))
    assert.deepStrictEqual(unsaid(10), ["team 3"])
    assert.deepStrictEqual(unsaid(30), [""])
  })

  it("is told by a bill for a period of another price, which begins before the one that is paid is over", () => {
    const yearly = (start: number) => [item("yearly", 3, start, start + 365)]
    const bill = (start: number) => failed(start, "I2", [line("yearly", start, start + 365, { quantity: 3 })])
    const named = paid(0, "I1", [line("team", 0, 30, { quantity: 3 })])
    assert.deepStrictEqual(paidAs(told(0), named, due(10, yearly(10)), bill(10)), ["team 3"])
    const unnamed = failed(10, "I2", [{ start: day(10), end: day(375) }])
    assert.deepStrictEqual(paidAs(told(0), named, due(10, yearly(10)), unnamed), ["team 3"])
    assert.deepStrictEqual(paidAs(told(0), named, due(10, yearly(10)), failed(10, "I2", [])), ["team 3"])
    // It asks for another item as well.
    const both = ["yearly", "seat"].map((price, index) => line(price, 10, 375, { quantity: 3 - index }))
    const added = [{ ...yearly(10)[0]!, id: team.id }, item("seat", 2, 10, 375)]
    assert.deepStrictEqual(paidAs(told(0), named, due(10, added), failed(10, "I2", both)), ["team 3", "-"])
    // A renewal, from which on it is sold as something else.
    assert.deepStrictEqual(paidAs(told(0), named, due(30, yearly(30)), bill(30)), [""])
    // The same price, whose next period begins early.
    const early = failed(10, "I2", [line("team", 10, 40, { quantity: 3 })])
    assert.deepStrictEqual(paidAs(told(0), named, due(10, [item("team", 3, 10, 40)]), early), [""])
    // A bill for something else.
    const other = failed(10, "I2", [line("other", 10, 375, { quantity: 1 })])
    assert.deepStrictEqual(paidAs(told(0), named, due(10, yearly(10)), other), [""])
  })

  it("is told by being due in the middle of what is paid, where nobody tells of a bill", () => {
    assert.deepStrictEqual(paidAs(told(0), first, told(10, [more]), due(12, [more])), ["team 3"])
    assert.deepStrictEqual(paidAs(told(0), first, told(10, [more]), due(30, [more])), [""])
    assert.deepStrictEqual(paidAs(told(0), first, told(10, [more]), due(12, [more]), givenUp(12, "I2", [])), [""])
    // An earlier change was paid.
    const five = [told(5, [more]), paid(5, "I2", [line("team", 5, 30, { proration: true })], { aside: true })]
    const most = item("team", 8, 0, 30)
    assert.deepStrictEqual(paidAs(told(0), first, ...five, told(10, [most]), due(12, [most])), ["team 5"])
    // Where bills name no period, it is paid to the end that was announced then.
    const unnamed = paid(0, "I1", undefined)
    assert.deepStrictEqual(paidAs(told(0), unnamed, told(10, [more]), due(12, [more])), ["team 3"])
    assert.deepStrictEqual(paidAs(told(0), unnamed, told(10, [more]), due(30, [more])), [""])
    assert.deepStrictEqual(paidAs(told(0, [without]), unnamed, told(10, [more]), due(12, [more])), [""])
    assert.deepStrictEqual(paidAs(unnamed, told(10, [more]), due(12, [more])), [""])
    // What is told of one payment comes within a minute.
    const minute = 1 / 1440
    const toldAfter = (at: number) => paidAs(unnamed, told(at), told(10, [more]), due(12, [more]))
    assert.deepStrictEqual(toldAfter(minute), ["team 3"])
    assert.deepStrictEqual(toldAfter(2 * minute), [""])
    // The event that announced the period which is paid was lost: it is paid to its end all the same.
    const second = [paid(30, "I2", [line("team", 30, 60)]), told(40, [item("team", 5, 30, 60)])]
    assert.deepStrictEqual(paidAs(told(0), first, ...second, due(42, [item("team", 5, 30, 60)])), ["team 3"])
    // A bill that was given up before the payment is none for the change; an older debt that is open is what is due.
    const renewed = paid(30, "I3", [line("team", 30, 60)])
    const later = item("team", 5, 30, 60)
    const of = (before: TellingEvent) =>
      paidAs(told(0), first, before, told(30, [item("team", 3, 30, 60)]), renewed, told(40, [later]), due(42, [later]))
    assert.deepStrictEqual(of(givenUp(5, "I2", [])), ["team 3"])
    assert.deepStrictEqual(of(failed(5, "I2", [], { aside: true })), [""])
  })

  it("is told by a bill that says nothing of what it is for, where it failed within what is paid", () => {
    const of = (at: number) =>
      folded("fastspring", told(0), paid(0, "I1", undefined), due(at, [more]), failed(at, "I2", undefined)).slots
        .map(({ money }) => [shown(money?.paid_as), dayOf(money?.unpaid_since)])
    assert.deepStrictEqual(of(10), [["team 3", 30]])
    assert.deepStrictEqual(of(30), [["", 30]])
    // A year was changed for a month, which its credit pays for: the next month is a renewal.
    const year = [told(0, [item("yearly", 3, 0, 365)]), paid(0, "I1", undefined)]
    const month = (start: number) => [{ ...item("team", 3, start, start + 30), id: "it_yearly" }]
    const later = (at: number) =>
      paidAs(...year, told(13, month(13)), due(at, month(at < 43 ? 13 : 43)), failed(at, "I2", undefined))
    assert.deepStrictEqual(later(43), [""])
    assert.deepStrictEqual(later(20), ["yearly 3"])
  })

  it("is told by what was paid where no event is known of before the change", () => {
    const asked = failed(10, "I2", [line("team", 10, 30, { quantity: 5 })], { aside: true })
    const named = paid(0, "I1", [line("team", 0, 30, { quantity: 2 })])
    assert.deepStrictEqual(paidAs(due(10, [more]), named, asked), ["team 2"])
    // Where its bill says nothing, by what was told by then.
    assert.deepStrictEqual(paidAs(due(10, [more]), paid(0, "I1", undefined), asked), ["team 5"])
    assert.deepStrictEqual(paidAs(due(10, [more]), asked), [""])
    const added = item("seat", 1, 0, 30)
    assert.deepStrictEqual(paidAs(told(0, [more]), paid(0, "I1", undefined), due(10, [more, added]), asked), [
      "team 5",
      "-"
    ])
  })

  it("is nothing of a slot that came with it", () => {
    const added = item("seat", 1, 0, 30)
    const asked = failed(10, "I2", [line("seat", 10, 30, { quantity: 1, proration: true })], { aside: true })
    assert.deepStrictEqual(paidAs(told(0), first, due(10, [team, added]), asked), ["team 3", "-"])
  })

  it("leaves a slot that others came in the place of, until these are paid", () => {
    const [one, two] = [item("one", 1, 0, 30), item("two", 1, 0, 30)]
    const asked = (state: PaymentFact["state"]) =>
      billed(state)(10, "I2", [line("one", 10, 30, { quantity: 1 }), line("two", 10, 30, { quantity: 1 })], {
        aside: true
      })
    const of = (...events: ReadonlyArray<TellingEvent>) => {
      const seat = item("seat", 1, 0, 30)
      const { slots } = folded("stripe", told(-2, [team, seat]), told(-1), first, ...events)
      return slots.map(({ dropped_at, money, price }) =>
        `${price} ${dayOf(dropped_at) ?? "held"} ${shown(money?.paid_as)}`
      )
    }
    assert.deepStrictEqual(of(due(10, [one, two]), asked("failed")), [
      "team held team 3",
      "seat -1 ",
      "one held -",
      "two held -"
    ])
    assert.deepStrictEqual(of(told(10, [one, two]), asked("paid")), ["team 10 ", "seat -1 ", "one held ", "two held "])
    // One more is asked for later, in the place of none.
    const third = item("three", 1, 0, 30)
    const later = failed(15, "I3", [line("three", 15, 30, { quantity: 1 })], { aside: true })
    assert.deepStrictEqual(of(due(10, [one, two]), asked("failed"), due(15, [one, two, third]), later), [
      "team held team 3",
      "seat -1 ",
      "one held -",
      "two held -",
      "three held -"
    ])
  })
})

describe("the money of a subscription", () => {
  const two = [team, item("seat", 1, 0, 30)]
  const both = paid(0, "I1", [line("team", 0, 30), line("seat", 0, 30)], { amount: { value: 1000, currency: "eur" } })
  const moneyOf = (...events: ReadonlyArray<TellingEvent>) => {
    const { dispute, disputed_at, paid, paid_through, refund, refunded, refunded_at, slots } = folded(
      "stripe",
      ...events
    )
    const own = slots.map(({ money }) => [money?.refund, dayOf(money?.refunded_at), dayOf(money?.lost_at)])
    return {
      paid: paid?.value,
      through: dayOf(paid_through),
      refund: [refund, dayOf(refunded_at), refunded?.value],
      dispute: [dispute, dayOf(disputed_at)],
      own
    }
  }

  it("is given back by the bills of the period that it is in: in part from the first part on, else once it is all", () => {
    const half = paid(0, "I2", [line("team", 0, 30)], { amount: { value: 500, currency: "eur" } })
    const of = (...events: ReadonlyArray<TellingEvent>) => moneyOf(told(0), first, half, ...events).refund
    assert.deepStrictEqual(of(), ["none", undefined, undefined])
    assert.deepStrictEqual(of(refunded(5, "I1", 300)), ["partial", 5, 300])
    assert.deepStrictEqual(of(refunded(5, "I1", 300), refunded(4, "I2", 200)), ["partial", 4, 500])
    assert.deepStrictEqual(of(refunded(5, "I1", 300), refunded(7, "I2", 500)), ["full", 7, 800])
    assert.deepStrictEqual(of(refunded(8, "I1", 1000), refunded(7, "I2", 500)), ["full", 7, 1500])
    // What is given back of an earlier period ends nothing.
    const second = paid(30, "I3", [line("team", 30, 60)], { amount: { value: 1000, currency: "eur" } })
    assert.deepStrictEqual(of(refunded(35, "I1", 1000), second), ["none", undefined, undefined])
  })

  it("is given back as a whole once it is of each slot, and in part from the first on", () => {
    const one = paid(0, "I1", [line("team", 0, 30)], { amount: { value: 1000, currency: "eur" } })
    const other = paid(1, "I2", [line("seat", 0, 30)], { amount: { value: 100, currency: "eur" } })
    const of = (...events: ReadonlyArray<TellingEvent>) => moneyOf(told(0, two), one, other, ...events)
    assert.deepInclude(of(refunded(9, "I1", 1000)), {
      refund: ["partial", 9, 1000],
      own: [["full", 9, undefined], ["none", undefined, undefined]]
    })
    assert.deepInclude(of(refunded(9, "I1", 1000), refunded(8, "I2", 50)), {
      refund: ["partial", 8, 1050],
      own: [["full", 9, undefined], ["partial", 8, undefined]]
    })
    assert.deepInclude(of(refunded(9, "I1", 1000), refunded(12, "I2", 100)), { refund: ["full", 9, 1100] })
    // One bill for both is given back once.
    assert.deepInclude(moneyOf(told(0, two), both, refunded(9, "I1", 400)), { refund: ["partial", 9, 400] })
  })

  it("is lost once a dispute about each slot is, and disputed while one is open", () => {
    const other = paid(1, "I2", [line("seat", 0, 30)])
    const of = (...events: ReadonlyArray<TellingEvent>) => moneyOf(told(0, two), first, other, ...events)
    assert.deepInclude(of(), { dispute: ["none", undefined] })
    assert.deepInclude(of(disputed(9, "I1", "open"), disputed(8, "I2", "open")), { dispute: ["open", 8] })
    assert.deepInclude(of(disputed(9, "I1", "lost")), {
      dispute: ["none", undefined],
      own: [["none", undefined, 9], ["none", undefined, undefined]]
    })
    assert.deepInclude(of(disputed(9, "I1", "lost"), disputed(8, "I2", "open")), { dispute: ["open", 8] })
    assert.deepInclude(of(disputed(9, "I1", "lost"), disputed(8, "I2", "lost")), { dispute: ["lost", 8] })
  })

  it("is paid until the last period ends, by the last bill for a period", () => {
    const second = paid(30, "A2", [line("team", 30, 60)], { amount: { value: 2000 } })
    const aside = paid(40, "I3", [line("team", 40, 60, { proration: true })], { aside: true, amount: { value: 500 } })
    assert.deepInclude(moneyOf(told(0), first), { paid: 1000, through: 30 })
    assert.deepInclude(moneyOf(told(0), second, first, aside), { paid: 2000, through: 60 })
    assert.deepInclude(moneyOf(told(0), failed(60, "I4", [line("team", 60, 90)], { amount: { value: 7 } }), first), {
      paid: 1000,
      through: 30,
      own: [["none", undefined, undefined]]
    })
    // A bill that does not say how much it was.
    assert.deepInclude(moneyOf(told(0), first, paid(30, "I4", [line("team", 30, 60)])), { paid: 1000, through: 60 })
    const [one, other] = ["I5", "I6"].map((name, at) =>
      paid(0, name, [line("team", 0, 30)], { amount: { value: at + 1 } })
    )
    assert.deepInclude(moneyOf(told(0), other!, one!), { paid: 2 })
    assert.deepInclude(moneyOf(told(0, two), first, paid(0, "I2", [line("seat", 0, 365)])), { through: 365 })
  })

  it("is that of the whole purchase while nothing is known to be paid, or nothing is held", () => {
    const back = refunded(9, "I1", 400, { paid: 1000 })
    assert.deepInclude(moneyOf(told(0), givenUp(1, "I1", [line("team", 0, 30)]), back), {
      refund: ["partial", 9, 400],
      own: [[undefined, undefined, undefined]]
    })
    assert.deepInclude(moneyOf(told(0), told(5, []), first, refunded(9, "I1", 1000)), {
      through: 30,
      refund: ["full", 9, 1000],
      own: [[undefined, undefined, undefined]]
    })
    const beside = paid(3, "I1", [line("team", 3, 30, { proration: true })], { aside: true, amount: { value: 5 } })
    assert.deepInclude(moneyOf(told(0), beside), { paid: undefined, own: [[undefined, undefined, undefined]] })
    assert.deepStrictEqual(folded("stripe", told(0, two), told(5)).slots.map((slot) => "money" in slot), [false, false])
    // It says what a slot owes all the same.
    const { slots } = folded("stripe", told(0), due(5), failed(0, "I1", [line("team", 0, 30)]))
    assert.deepStrictEqual(slots.map(({ money }) => money), [{ unpaid_since: day(0) }])
    const aside = failed(3, "I1", [line("team", 3, 30, { quantity: 5 })], { aside: true })
    const waiting = folded("stripe", told(0), due(3, [item("team", 5, 0, 30)]), aside)
    assert.deepStrictEqual(waiting.slots.map(({ money }) => shown(money?.paid_as)), ["team 3"])
    // Nobody says since when, nor names a period.
    const [own, seat] = [{ ...without, quantity: 5 }, { ...without, id: "it_seat", price: "seat" }]
    const changed = folded(
      "chargebee",
      told(0, [without], "active", { is_due: true }),
      told(3, [own, seat], "active", { is_due: true }),
      failed(3, "I1", [{ price: "team", quantity: 5, proration: true }, { price: "seat", proration: true }], {
        aside: true
      })
    )
    assert.deepStrictEqual(changed.slots.map(({ money }) => shown(money?.paid_as)), ["team 3", "-"])
    assert.deepStrictEqual(changed.slots.map(({ money }) => money?.unpaid_since), [undefined, undefined])
  })

  it("announces the period that is paid where no event has", () => {
    const of = (...events: ReadonlyArray<TellingEvent>) =>
      folded("stripe", ...events).slots.map(({ period_end, period_start }) => [dayOf(period_start), dayOf(period_end)])
    const second = paid(30, "I2", [line("team", 30, 60)])
    assert.deepStrictEqual(of(told(0), first, second), [[30, 60]])
    assert.deepStrictEqual(of(told(0), first, paid(31, "I2", [line("team", 31, 61)])), [[31, 61]])
    assert.deepStrictEqual(of(told(0), first), [[0, 30]])
    assert.deepStrictEqual(of(told(0), paid(10, "I2", [line("team", 10, 40)])), [[0, 30]])
    // A bill that says where its period ends, and was told of later.
    const late = [30, 35].map((at) => paid(at, "I2", [{ price: "team", end: day(30) }]))
    assert.deepStrictEqual(late.map((bill) => of(told(0), bill)), [[[0, 30]], [[0, 30]]])
    assert.deepStrictEqual(of(told(0, [without]), second), [[undefined, undefined]])
    assert.deepStrictEqual(of(told(0), paid(0, "I1", undefined)), [[0, 30]])
  })

  it("says of several slots since when the first of them is not paid", () => {
    const monthly = [item("team", 3, 30, 60), item("seat", 1, 0, 365)]
    const yearly = paid(0, "I2", [line("seat", 0, 365)])
    const unpaid = failed(30, "I3", [line("team", 30, 60)])
    assert.deepStrictEqual(unpaidSince("stripe", told(0, two), first, yearly, due(30, monthly), unpaid), [30, 365])
  })
})
