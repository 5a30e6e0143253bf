import { assert, describe, it } from "@effect/vitest"
import type {
  BilledLine,
  DisputeFact,
  Item,
  Link,
  ObjectName,
  OrderFact,
  PaymentFact,
  RefundFact
} from "../../../../src/domain/sales/providers/Fact.ts"
import type { DatedFact } from "../../../../src/domain/sales/purchases/FactOrder.ts"
import { billsOf, isForSlot, periodLines, summed } from "../../../../src/domain/sales/purchases/Ledger.ts"
import type { Bill, MoneyFacts } from "../../../../src/domain/sales/purchases/Ledger.ts"
import type { Slot } from "../../../../src/domain/sales/purchases/PurchaseState.ts"
import { paidAs, restOf } from "../../../../src/domain/sales/purchases/Rest.ts"
import type { SlotsSince } from "../../../../src/domain/sales/purchases/Slots.ts"
import { day } from "../../../fixtures/PurchaseLife.ts"

const dated = <Fact>(at: number, fact: Fact): DatedFact<Fact> => ({ fact, at: day(at), event_id: `evt_${at}` })

const billed = (state: PaymentFact["state"]) =>
(
  at: number,
  about: ObjectName,
  lines?: ReadonlyArray<BilledLine>,
  more: Partial<PaymentFact> = {}
): DatedFact<PaymentFact> => dated(at, { kind: "payment", about, state, lines, ...more })
const paid = billed("paid")
const failed = billed("failed")
const givenUp = billed("uncollectible")

const refund = (at: number, about: ObjectName, more: Partial<RefundFact> = {}): DatedFact<RefundFact> =>
  dated(at, { kind: "refund", about, refund: `re_${at}`, state: "succeeded", ...more })

const dispute = (
  at: number,
  about: ObjectName,
  state: DisputeFact["state"],
  value?: number
): DatedFact<DisputeFact> =>
  dated(at, {
    kind: "dispute",
    about,
    dispute: `dp_${about}`,
    state,
    said: state,
    ...(value === undefined ? {} : { amount: { value } })
  })

const order = (at: number, state: OrderFact["state"], more: Partial<OrderFact> = {}): DatedFact<OrderFact> =>
  dated(at, { kind: "order", about: "order/O1", state, said: state, items: [], ...more })

/** Links as `payment/P1 invoice/I1`. */
const linksOf = (links: ReadonlyArray<string>): ReadonlyArray<Link> =>
  links.map((link) => {
    const [about, to] = link.split(" ") as [ObjectName, ObjectName]
    return { kind: "link", about, to }
  })

const bills = (
  { links = [], ...facts }: Partial<Omit<MoneyFacts, "links">> & { readonly links?: ReadonlyArray<string> }
) => billsOf({ payments: [], orders: [], refunds: [], disputes: [], ...facts, links: linksOf(links) })

const line = (price: string, start: number, end: number, more: Partial<BilledLine> = {}): BilledLine => ({
  price,
  start: day(start),
  end: day(end),
  ...more
})

/** A part of a period, which settles a change. */
const part = (price: string, start: number, end: number): BilledLine => line(price, start, end, { proration: true })

const whole = { amount: { value: 1000, currency: "eur" } }

describe("a bill", () => {
  const stripe = ["charge/C1 payment/P1", "payment/P1 invoice/I1", "invoice/I1 subscription/S1"]
  /** What is given back of the bills, in short. */
  const back = (facts: Parameters<typeof bills>[0]) =>
    bills(facts).map(({ about, back: { amount, at, extent } }) => [about, extent, at, amount?.value])

  it("is one, whatever objects tell of it, and an object that stands for nothing is its own", () => {
    const all = bills({
      links: stripe,
      payments: [paid(0, "invoice/I1"), paid(0, "payment/P1", undefined, whole)],
      refunds: [refund(5, "charge/C1", { amount: { value: 300 } })],
      disputes: [dispute(6, "charge/C1", "open")]
    })
    assert.deepStrictEqual(all.map(({ about, amount, back, open }) => [about, amount, back.amount?.value, open]), [
      ["invoice/I1", whole.amount, 300, day(6)]
    ])
    // The payment names its subscription as well, and the invoice is not known to be of it.
    const both = ["payment/P1 subscription/S1", "payment/P1 invoice/I1"]
    assert.deepStrictEqual(bills({ links: both, payments: [paid(0, "payment/P1")] }).map(({ about }) => about), [
      "invoice/I1"
    ])
    assert.deepStrictEqual(bills({ payments: [paid(0, "invoice/I1")] }).map(({ about }) => about), ["invoice/I1"])
    // One payment for two bills is that of the first.
    const two = ["payment/P1 invoice/I2", "payment/P1 invoice/I1"]
    assert.deepStrictEqual(bills({ links: two, payments: [paid(0, "payment/P1")] }).map(({ about }) => about), [
      "invoice/I1"
    ])
    const several = bills({ payments: [paid(0, "invoice/I2"), paid(1, "invoice/I1")] })
    assert.deepStrictEqual(several.map(({ about }) => about), ["invoice/I1", "invoice/I2"])
  })

  it("is of the instant at which it was paid, and was asked for when it was told of at first", () => {
    const [one] = bills({ payments: [failed(0, "invoice/I1"), paid(2, "invoice/I1"), paid(4, "invoice/I1")] })
    assert.deepInclude(one, { state: "paid", since: day(2), asked: day(0) })
    const [debt] = bills({ payments: [failed(1, "invoice/I1"), failed(3, "invoice/I1")] })
    assert.deepInclude(debt, { state: "failed", since: day(1), asked: day(1), amount: undefined })
    const [closed] = bills({ payments: [failed(1, "invoice/I1"), givenUp(3, "invoice/I1")] })
    assert.deepInclude(closed, { state: "closed", since: day(1) })
    const [sold] = bills({ orders: [order(1, "pending"), order(2, "paid", whole)] })
    assert.deepInclude(sold, { state: "paid", since: day(2), asked: day(2), isAside: false, ...whole })
  })

  it("is none while nobody says whether it was paid, unless money comes back that had been paid", () => {
    assert.deepStrictEqual(bills({ orders: [order(1, "pending"), order(2, "failed")] }), [])
    const about = "order/O1"
    const [refunds, disputes] = [[refund(5, about)], [dispute(6, about, "open")]]
    for (const facts of [{ refunds }, { disputes }, { refunds, disputes }]) {
      const [bill] = bills({ orders: [order(1, "pending")], ...facts })
      assert.deepInclude(bill, { state: "closed", since: "", asked: "", isAside: false })
    }
  })

  it("is beside a period where all that paid it is, and it belongs to no order", () => {
    const aside = { aside: true }
    const of = (...payments: ReadonlyArray<DatedFact<PaymentFact>>) => bills({ payments })[0]?.isAside
    assert.isTrue(of(paid(0, "invoice/I1", [], aside)))
    assert.isFalse(of(paid(0, "invoice/I1", [], aside), paid(1, "invoice/I1", [])))
    assert.isTrue(of(failed(0, "invoice/I1", []), paid(1, "invoice/I1", [], aside)))
    const [sold] = bills({ payments: [paid(0, "order/O1", [], aside)], orders: [order(0, "paid")] })
    assert.isFalse(sold!.isAside)
  })

  it("has the lines and the amount that were told last, else the period that was told in the place of lines", () => {
    const linesOf = (...payments: ReadonlyArray<DatedFact<PaymentFact>>) => bills({ payments })[0]!.lines
    const [first, second] = [[line("a", 0, 30)], [line("a", 0, 31)]]
    assert.deepStrictEqual(linesOf(paid(0, "invoice/I1", first), paid(1, "invoice/I1", second)), second)
    assert.deepStrictEqual(linesOf(paid(0, "invoice/I1", first), paid(1, "invoice/I1")), first)
    const [start, end] = [day(0), day(30)]
    assert.deepStrictEqual(
      linesOf(
        paid(0, "invoice/I1", undefined, { paid_through: end }),
        paid(1, "invoice/I1", undefined, { period_start: start }),
        paid(2, "invoice/I1")
      ),
      [{ start: undefined, end }, { start, end: undefined }]
    )
    const [bill] = bills({ payments: [paid(0, "invoice/I1", [], whole), paid(1, "invoice/I1", [])] })
    assert.deepInclude(bill, whole)
  })

  it("is given back by what is said of it, or of the payments that it was settled by", () => {
    const payments = [paid(0, "invoice/I1", [], whole)]
    const of = (...refunds: ReadonlyArray<DatedFact<RefundFact>>) =>
      back({ links: stripe, payments, refunds })[0]!.slice(1)
    // A charge and its payment are one, and the total of one is what the other says.
    assert.deepStrictEqual(
      of(
        refund(5, "charge/C1", { refund: undefined, amount: { value: 300 } }),
        refund(5, "payment/P1", { amount: { value: 300 } })
      ),
      ["partial", day(5), 300]
    )
    assert.deepStrictEqual(of(refund(5, "charge/C1", { amount: { value: 1000 } })), ["full", day(5), 1000])
    assert.deepStrictEqual(of(refund(5, "invoice/I1", { full: true })), ["full", day(5), 0])
    assert.deepStrictEqual(of(refund(5, "invoice/I1", { state: "failed" })), ["none", undefined, undefined])
    // A total says it before the refund does.
    const total = refund(4, "invoice/I1", { refund: undefined, amount: { value: 1000 } })
    assert.deepStrictEqual(of(total, refund(5, "invoice/I1", { amount: { value: 1000 } })), ["full", day(4), 1000])
    // Both say the same: the first that does.
    const [bill, charge] = [refund(5, "invoice/I1", { full: true }), refund(7, "charge/C1", { full: true })]
    assert.deepStrictEqual(of(bill, charge), ["full", day(5), 0])
    assert.deepStrictEqual(of(charge, bill), ["full", day(7), 0])
    const [some, less] = [300, 200].map((value, at) =>
      refund(at, at === 0 ? "invoice/I1" : "charge/C1", { amount: { value } })
    )
    assert.deepStrictEqual(of(some!, less!), ["partial", day(0), 300])
    assert.deepStrictEqual(of(less!, some!), ["partial", day(1), 200])
    // Of a payment that is the bill, its charge says it.
    assert.deepStrictEqual(
      back({
        links: ["charge/C1 payment/P1", "payment/P1 subscription/S1"],
        payments: [paid(0, "payment/P1", [], whole)],
        refunds: [refund(5, "charge/C1", { full: true })]
      }),
      [["payment/P1", "full", day(5), 0]]
    )
  })

  it("is not given back as a whole where it was of nothing", () => {
    const free = { amount: { value: 0 } }
    assert.deepStrictEqual(
      back({ payments: [paid(0, "invoice/I1", [], free)], refunds: [refund(5, "invoice/I1", free)] })[0]![1],
      "partial"
    )
  })

  it("is given back as a whole once all of its payments are, where nobody says how much it was", () => {
    const of = (links: ReadonlyArray<string>, ...refunds: ReadonlyArray<DatedFact<RefundFact>>) =>
      back({ links, payments: [paid(0, "invoice/I1")], refunds })[0]![1]
    const two = ["payment/P1 invoice/I1", "payment/P2 invoice/I1", "charge/C1 payment/P1"]
    const [first, second] = [refund(5, "payment/P1", { full: true }), refund(6, "payment/P2", { full: true })]
    assert.strictEqual(of(two, first), "partial")
    assert.strictEqual(of(two, first, second), "full")
    assert.strictEqual(of(["charge/C1 invoice/I1"], refund(5, "charge/C1", { full: true })), "full")
  })

  it("is lost by a dispute about all of it, and given back in part by one about a part", () => {
    const of = (
      amount: Partial<PaymentFact>,
      disputes: MoneyFacts["disputes"],
      refunds: MoneyFacts["refunds"] = []
    ) => {
      const [bill] = bills({ payments: [paid(0, "invoice/I1", [], amount)], disputes, refunds })
      return [bill!.lost, bill!.back.extent, bill!.back.amount?.value]
    }
    assert.deepStrictEqual(of(whole, [dispute(5, "invoice/I1", "lost")]), [day(5), "none", undefined])
    assert.deepStrictEqual(of(whole, [dispute(5, "invoice/I1", "lost", 1000)]), [day(5), "none", undefined])
    assert.deepStrictEqual(of({}, [dispute(5, "invoice/I1", "lost", 400)]), [day(5), "none", undefined])
    const lost = dispute(5, "invoice/I1", "lost", 400)
    assert.deepStrictEqual(of(whole, [lost]), [undefined, "partial", 400])
    assert.deepStrictEqual(of(whole, [lost], [refund(6, "invoice/I1", { amount: { value: 600 } })]), [
      undefined,
      "full",
      1000
    ])
    const won = dispute(5, "invoice/I1", "won")
    const [decided] = bills({ payments: [paid(0, "invoice/I1")], disputes: [won, dispute(5, "invoice/I1", "open")] })
    assert.isUndefined(decided!.open)
    assert.deepStrictEqual(of(whole, [won]), [undefined, "none", undefined])
  })
})

describe("a bill that does not say what it is for", () => {
  const unsaid = (facts: Parameters<typeof bills>[0]) => bills(facts).map(({ isUnsaid }) => isUnsaid)

  it("has neither lines nor a word that it is beside a period, and is of no order", () => {
    const one = paid(0, "payment/P1")
    const linked = ["payment/P1 invoice/I1", "payment/P2 invoice/I1"]
    assert.deepStrictEqual(unsaid({ payments: [one] }), [true])
    assert.deepStrictEqual(unsaid({ payments: [failed(0, "payment/P1")] }), [true])
    assert.deepStrictEqual(unsaid({ payments: [paid(0, "payment/P1", [line("a", 0, 30)])] }), [false])
    for (const aside of [true, false]) {
      const other = paid(1, "payment/P2", undefined, { aside })
      assert.deepStrictEqual(unsaid({ payments: [other] }), [false])
      assert.deepStrictEqual(unsaid({ links: linked, payments: [one, other] }), [false])
    }
    assert.deepStrictEqual(unsaid({ orders: [order(0, "paid")] }), [false])
    assert.deepStrictEqual(unsaid({ orders: [order(0, "paid")], payments: [paid(0, "order/O1")] }), [false])
    // What is told of money back alone says nothing of what was paid.
    assert.deepStrictEqual(unsaid({ refunds: [refund(5, "payment/P1")] }), [false])
  })
})

describe("what was charged for one period by several bills", () => {
  /** Two charges of a period, of 10 and of 20, with what became of them. */
  const both = (
    values: ReadonlyArray<number | undefined>,
    { disputes = [], refunds = [] }: Partial<Pick<MoneyFacts, "disputes" | "refunds">> = {}
  ) => {
    const payments = values.map((value, index) =>
      paid(index, `payment/P${index}`, undefined, value === undefined ? {} : { amount: { value, currency: "eur" } })
    )
    const { amount, back, lost, open } = summed(bills({ disputes, payments, refunds }))
    return { amount, back: [back.extent, back.at, back.amount?.value], lost, open }
  }
  const given = (at: number, of: number, value: number | undefined) =>
    refund(at, `payment/P${of}`, value === undefined ? { full: true } : { amount: { value, currency: "eur" } })

  it("is back as a whole once the sum is, and in part before", () => {
    const of = (...refunds: ReadonlyArray<DatedFact<RefundFact>>) => both([10, 20], { refunds })
    assert.deepInclude(of(), { amount: { value: 30, currency: "eur" }, back: ["none", undefined, undefined] })
    assert.deepStrictEqual(of(given(5, 1, 20)).back, ["partial", day(5), 20])
    assert.deepStrictEqual(of(given(5, 1, 20), given(6, 0, 9)).back, ["partial", day(5), 29])
    assert.deepStrictEqual(of(given(5, 1, 20), given(6, 0, 10)).back, ["full", day(6), 30])
    // Of one unit, that is all.
    assert.deepStrictEqual(both([0, 1], { refunds: [given(5, 1, 1)] }).back, ["full", day(5), 1])
  })

  it("is back once each charge is, where nobody says how much it was, or all were free", () => {
    for (const values of [[undefined, undefined], [10, undefined], [undefined, 10]]) {
      const of = (...refunds: ReadonlyArray<DatedFact<RefundFact>>) => both(values, { refunds })
      assert.isUndefined(of().amount)
      assert.deepStrictEqual(of(given(5, 0, undefined)).back[0], "partial")
      assert.deepStrictEqual(of(given(5, 0, undefined), given(6, 1, undefined)).back.slice(0, 2), ["full", day(6)])
    }
    assert.deepStrictEqual(both([0, 0], { refunds: [given(5, 0, undefined)] }).back[0], "partial")
    assert.deepStrictEqual(both([0, 0], { refunds: [given(5, 0, undefined), given(6, 1, undefined)] }).back[0], "full")
  })

  it("is lost once each charge is, from the last on, and disputed while one is", () => {
    const of = (...disputes: MoneyFacts["disputes"]) => both([10, 20], { disputes })
    const [first, second] = [dispute(5, "payment/P0", "lost"), dispute(7, "payment/P1", "lost")]
    assert.deepInclude(of(), { lost: undefined, open: undefined })
    assert.isUndefined(of(first).lost)
    assert.strictEqual(of(first, second).lost, day(7))
    assert.strictEqual(of(first, dispute(4, "payment/P1", "open")).open, day(4))
  })
})

describe("a line of a bill", () => {
  it("is for a period where it has one and is no part of it, which starts with its bill where that is not said", () => {
    const lines = [line("a", 0, 30), part("a", 5, 30), { end: day(31) }, { start: day(2) }, { price: "a" }]
    const found = periodLines(bills({ payments: [paid(1, "invoice/I1", lines)] }))
    assert.deepStrictEqual(found.map(({ start }) => start), [day(0), day(1), day(2)])
  })

  it("is for what is sold by its price, else by its item, and for all where it names neither", () => {
    const slot = { id: "it_1", price: "a" }
    assert.isTrue(isForSlot({ price: "a", item: "it_2" }, slot))
    assert.isFalse(isForSlot({ price: "b", item: "it_1" }, slot))
    assert.isTrue(isForSlot({ item: "it_1" }, slot))
    assert.isFalse(isForSlot({ item: "it_2" }, slot))
    assert.isTrue(isForSlot({}, slot))
  })
})

const slotOf = (slot: number, item: Partial<Item>, more: Partial<Slot> = {}): Slot => ({
  slot,
  position: slot,
  quantity: 1,
  since: day(0),
  sold_since: day(0),
  ...item,
  ...more
})

const period = (start: number, end: number) => ({ period_start: day(start), period_end: day(end) })

describe("what a slot was sold as by what was paid last", () => {
  const own = slotOf(0, { id: "it_1", price: "a", product: "p", variant: "v" })
  const other = slotOf(1, { id: "it_2", price: "b" })
  const soldAs = (
    lines: ReadonlyArray<BilledLine>,
    held: ReadonlyArray<Slot> = [own, other],
    before: SlotsSince = []
  ) => paidAs(bills({ payments: [paid(0, "invoice/I1", lines)] }), held[0]!, held, before)

  it("is told by the line of its item, else by that of its price", () => {
    const two = { price: "a", product: "p", variant: "v", quantity: 2 }
    assert.deepStrictEqual(soldAs([{ item: "it_1", price: "a", quantity: 2 }]), two)
    assert.isNull(soldAs([{ item: "it_2", price: "a", quantity: 2 }]))
    assert.deepStrictEqual(soldAs([{ price: "a", quantity: 2 }, { price: "b", quantity: 3 }]), two)
    assert.isNull(soldAs([{ price: "c", quantity: 2 }]))
    assert.isNull(soldAs([{ price: "b" }]))
    assert.deepStrictEqual(soldAs([{ item: "it_1", price: "c", product: "q", quantity: 2 }]), {
      price: "c",
      product: "q",
      quantity: 2
    })
    const unnumbered = [own, other].map(({ id: _id, ...slot }) => slot)
    assert.deepStrictEqual(soldAs([{ item: "it_9", price: "a", quantity: 2 }], unnumbered), two)
    // Neither names a price.
    const variants = [slotOf(0, { variant: "12" }), slotOf(1, { variant: "34" })]
    assert.isNull(soldAs([{ quantity: 2 }], variants))
  })

  it("is told by the item and the price that it had when it was billed, too", () => {
    const before = (item: Partial<Item>): SlotsSince => [{ at: day(0), slots: [slotOf(0, item)] }]
    const was = { price: "z", product: "q", quantity: 2 }
    assert.deepStrictEqual(soldAs([was], [own, other], before({ price: "z" })), was)
    assert.deepStrictEqual(soldAs([{ price: "a", quantity: 2 }], [own, other], before({ price: "z" }))?.quantity, 2)
    assert.deepStrictEqual(soldAs([{ item: "it_0", ...was }], [own, other], before({ id: "it_0", price: "y" })), was)
    assert.deepStrictEqual(soldAs([{ item: "it_1", ...was }], [own, other], before({ price: "y" })), was)
    assert.isNull(soldAs([{ item: "it_2", ...was }], [own, other], before({ price: "z" })))
  })

  it("is told of the only slot by whatever line there is, and by none that says neither price nor quantity", () => {
    assert.deepStrictEqual(soldAs([{ price: "c", product: "q", quantity: 2 }], [own]), {
      price: "c",
      product: "q",
      quantity: 2
    })
    assert.deepStrictEqual(soldAs([{ quantity: 4 }], [own])?.quantity, 4)
    assert.isNull(soldAs([{ quantity: 4 }]))
    assert.isUndefined(soldAs([{ end: day(30) }]))
    assert.isUndefined(soldAs([{ price: "a" }]))
    assert.isUndefined(soldAs([{ end: day(30) }, { price: "a" }], [own]))
  })

  it("is told by the last bill that was paid", () => {
    const of = (...payments: ReadonlyArray<DatedFact<PaymentFact>>) =>
      paidAs(bills({ payments }), own, [own, other], [])?.quantity
    const lines = (quantity: number) => [{ price: "a", quantity }]
    assert.strictEqual(of(paid(1, "invoice/I1", lines(2)), paid(0, "invoice/I2", lines(3))), 2)
    assert.strictEqual(of(paid(0, "invoice/I1", lines(2)), paid(1, "invoice/I2", lines(3))), 3)
    assert.strictEqual(of(paid(0, "invoice/I1", lines(2)), failed(1, "invoice/I2", lines(3))), 2)
  })
})

describe("the bills that a slot rests on", () => {
  const own = slotOf(0, { id: "it_1", price: "a", ...period(0, 30) })

  /** The bills, and their period, in short. */
  const rest = (
    payments: ReadonlyArray<DatedFact<PaymentFact>>,
    held: ReadonlyArray<Slot> = [own],
    since: SlotsSince = [],
    at = 0
  ) => shown(restOf(bills({ payments }), held[at], held, since))
  const shown = ({ begun, bills, through }: ReturnType<typeof restOf>) => [
    bills.map(({ about }: Bill) => about.slice("invoice/".length)).join(" "),
    daysOf(begun),
    daysOf(through)
  ]
  const daysOf = (time: string | undefined) =>
    time === undefined ? undefined : (Date.parse(time) - Date.parse(day(0))) / 86_400_000

  const first = paid(0, "invoice/I1", [line("a", 0, 30)])

  it("are those of the period that began last, as far as that reaches", () => {
    assert.deepStrictEqual(rest([first]), ["I1", 0, 30])
    assert.deepStrictEqual(rest([first, paid(30, "invoice/I2", [line("a", 30, 60)])]), ["I2", 30, 60])
    // One that reached further was for something that is no longer sold, or is for less.
    assert.deepStrictEqual(
      rest([paid(0, "invoice/I1", [line("a", 0, 90)]), paid(30, "invoice/I2", [line("a", 30, 60)])]),
      [
        "I2",
        30,
        60
      ]
    )
    assert.deepStrictEqual(rest([first, paid(0, "invoice/I2", [line("a", 0, 20)])]), ["I1", 0, 30])
    assert.deepStrictEqual(rest([first, paid(0, "invoice/I2", [line("a", 0, 30)])]), ["I1 I2", 0, 30])
    // What does not say its end.
    assert.deepStrictEqual(rest([first, paid(40, "invoice/I2", [{ price: "a", start: day(40) }])]), ["I1", 0, 30])
    assert.deepStrictEqual(rest([failed(0, "invoice/I1", [line("a", 0, 30)])]), ["", undefined, undefined])
  })

  it("are not those of a change in its middle, which does not say that it is one", () => {
    const change = paid(10, "invoice/I2", [line("a", 10, 30)])
    assert.deepStrictEqual(rest([first, change]), ["I1", 0, 30])
    assert.deepStrictEqual(rest([paid(-30, "invoice/I0", [line("a", -30, 0)]), first, change]), ["I1", 0, 30])
  })

  it("are those of a later period that was given up, for no money is behind it", () => {
    const second = (state: "failed" | "closed", start: number, end: number) => [
      failed(30, "invoice/I2", [line("a", start, end)]),
      ...(state === "closed" ? [givenUp(31, "invoice/I2", [line("a", start, end)])] : [])
    ]
    assert.deepStrictEqual(rest([first, ...second("closed", 30, 60)]), ["I2", 0, 30])
    assert.deepStrictEqual(shown(restOf(bills({ payments: [first, ...second("closed", 30, 60)] }))), ["I2", 0, 30])
    assert.deepStrictEqual(rest([first, ...second("failed", 30, 60)]), ["I1", 0, 30])
    assert.deepStrictEqual(rest([first, ...second("closed", -30, 0)]), ["I1", 0, 30])
    assert.deepStrictEqual(rest([first, ...second("closed", 0, 30)]), ["I1", 0, 30])
    // That of another slot is none of this one.
    const other = slotOf(1, { id: "it_2", price: "b", ...period(0, 60) })
    const closed = [failed(30, "invoice/I2", [line("b", 30, 60)]), givenUp(31, "invoice/I2", [])]
    const held = [own, other]
    const ofYear = slotOf(1, { id: "it_2", price: "y", ...period(0, 365) })
    const yearly = [failed(365, "invoice/I2", [line("y", 365, 730)]), givenUp(366, "invoice/I2", [])]
    assert.deepStrictEqual(rest([first, ...yearly], [own, ofYear]), ["I1", 0, 30])
    const ofOther = [first, paid(0, "invoice/I3", [line("b", 0, 30)]), ...closed]
    assert.deepStrictEqual(rest(ofOther, held, [], 1), ["I2", 0, 30])
  })

  it("are those of its own price where they reach its period, else of what is not for another slot", () => {
    const yearly = slotOf(1, { id: "it_2", price: "y", ...period(0, 365) })
    const ofYear = paid(0, "invoice/I2", [line("y", 0, 365)])
    assert.deepStrictEqual(rest([first, ofYear], [own, yearly]), ["I1", 0, 30])
    assert.deepStrictEqual(rest([first, ofYear], [own, yearly], [], 1), ["I2", 0, 365])
    // Sold as something else by now.
    const upgraded = { ...own, price: "a2" }
    assert.deepStrictEqual(rest([first, ofYear], [upgraded, yearly]), ["I1", 0, 30])
    assert.deepStrictEqual(rest([ofYear], [upgraded, yearly]), ["I2", 0, 365])
    const monthly = slotOf(1, { id: "it_2", price: "b", ...period(0, 30) })
    const both = [paid(0, "invoice/I1", [line("b", 0, 30)]), paid(0, "invoice/I2", [line("z", 0, 20)])]
    assert.deepStrictEqual(rest(both, [upgraded, monthly]), ["I1", 0, 30])
    // Its own line is of an earlier period.
    const renewed = { ...own, ...period(30, 60) }
    const next = paid(30, "invoice/I2", [line("z", 30, 60)])
    assert.deepStrictEqual(rest([first, next], [renewed]), ["I2", 30, 60])
    const unnamed = paid(0, "invoice/I1", [{ start: day(0), end: day(30) }])
    assert.deepStrictEqual(rest([unnamed, ofYear], [renewed, yearly]), ["I1", 0, 30])
    assert.deepStrictEqual(rest([unnamed, paid(0, "invoice/I2", [line("z", 0, 60)])]), ["I1", 0, 30])
    // Nothing is known of its period, or of the end of its line.
    const further = paid(0, "invoice/I2", [line("z", 0, 60)])
    assert.deepStrictEqual(rest([first, further], [slotOf(0, { price: "a" })]), ["I1", 0, 30])
    const open = paid(0, "invoice/I1", [{ price: "a", start: day(0) }])
    assert.deepStrictEqual(rest([open, further]), ["I1 I2", undefined, undefined])
  })

  it("are not those of another item, which had its price before", () => {
    const other = slotOf(1, { id: "it_2", price: "b", ...period(0, 60) })
    const of = (item: string) =>
      rest([
        paid(0, "invoice/I1", [line("a", 0, 30, { item: "it_1" })]),
        paid(0, "invoice/I2", [line("a", 0, 60, { item })])
      ], [own, other])
    assert.deepStrictEqual(of("it_2"), ["I1", 0, 30])
    // An item that there is no more may have been this one.
    assert.deepStrictEqual(of("it_9"), ["I2", 0, 60])
    assert.deepStrictEqual(rest([first, paid(0, "invoice/I2", [line("a", 0, 60)])], [own, other]), ["I2", 0, 60])
    // Neither the line nor the other slot has an item.
    const unnumbered = slotOf(1, { price: "b", ...period(0, 30) })
    assert.deepStrictEqual(rest([first, paid(0, "invoice/I2", [line("z", 0, 60)])], [own, unnumbered]), ["I1", 0, 30])
  })

  it("are those of a change that begins a period, although they are beside the one before", () => {
    const changed = slotOf(0, { id: "it_1", price: "a", ...period(10, 40) })
    const change = (lines: ReadonlyArray<BilledLine>) => paid(10, "invoice/I2", lines, { aside: true })
    const of = (...lines: ReadonlyArray<BilledLine>) => rest([first, change(lines)], [changed])
    assert.deepStrictEqual(of(line("a", 10, 40)), ["I2", 10, 40])
    assert.deepStrictEqual(of(line("a", 11, 40)), ["I1", 0, 30])
    assert.deepStrictEqual(of(line("a", 10, 41)), ["I1", 0, 30])
    assert.deepStrictEqual(of(line("b", 10, 40)), ["I1", 0, 30])
    assert.deepStrictEqual(of({ start: day(10), end: day(40) }), ["I1", 0, 30])
    assert.deepStrictEqual(of({ price: "a", end: day(40) }), ["I1", 0, 30])
    // A slot that had such a period, and another one that has it.
    const since = [{ at: day(10), slots: [changed] }]
    assert.deepStrictEqual(rest([first, change([line("a", 10, 40)])], [own], since), ["I2", 10, 40])
    assert.deepStrictEqual(rest([first, change([line("a", 10, 40)])], [own], [{ at: day(10), slots: [] }]), [
      "I1",
      0,
      30
    ])
    const other = [{ at: day(10), slots: [{ ...changed, slot: 1 }] }]
    assert.deepStrictEqual(rest([first, change([line("a", 10, 40)])], [own], other), ["I1", 0, 30])
    const before = [{ at: day(10), slots: [{ ...changed, price: "b" }] }]
    assert.deepStrictEqual(rest([first, change([line("a", 10, 40)])], [own], before), ["I1", 0, 30])
    // What is not known is not the same.
    const unpriced = slotOf(0, { variant: "12", ...period(10, 40) })
    const unnamed = paid(0, "invoice/I1", [{ start: day(0), end: day(30) }])
    assert.deepStrictEqual(rest([unnamed, change([{ start: day(10), end: day(40) }])], [unpriced]), ["I1", 0, 30])
    const unbegun = slotOf(0, { price: "a", period_end: day(40) })
    assert.deepStrictEqual(rest([first, change([{ price: "a", end: day(40) }])], [unbegun]), ["I1", 0, 30])
    // The period is paid by a bill of its own.
    const begun = paid(10, "invoice/I1", [line("a", 10, 40)])
    assert.deepStrictEqual(rest([begun, change([line("a", 10, 40)])], [changed]), ["I1", 10, 40])
    // It ends with the period that is paid, so that it is a part of that.
    const shorter = slotOf(0, { id: "it_1", price: "a", ...period(10, 30) })
    assert.deepStrictEqual(rest([first, change([line("a", 10, 30)])], [shorter]), ["I1", 0, 30])
    assert.deepStrictEqual(shown(restOf(bills({ payments: [first, change([line("a", 10, 40)])] }))), ["I1", 0, 30])
  })

  describe("of one that was added in the middle of a period", () => {
    const added = slotOf(1, { id: "it_2", price: "b", ...period(0, 30) }, { since: day(10), sold_since: day(10) })
    const bill = (at: number, name: ObjectName, lines: ReadonlyArray<BilledLine>) =>
      paid(at, name, lines, { aside: true })
    const its = bill(10, "invoice/I2", [part("b", 10, 30)])
    const of = (payments: ReadonlyArray<DatedFact<PaymentFact>>, slot = added) =>
      rest([first, ...payments], [own, slot], [], 1)

    it("are the part that was billed for it, until its next period is", () => {
      assert.deepStrictEqual(of([its]), ["I2", 10, 30])
      assert.deepStrictEqual(of([bill(12, "invoice/I2", [part("b", 10, 30)])]), ["I2", 10, 30])
      // A later part is for more of it.
      assert.deepStrictEqual(
        of([bill(15, "invoice/I2", [part("b", 15, 30)]), bill(10, "invoice/I9", its.fact.lines!)]),
        [
          "I9",
          10,
          30
        ]
      )
      assert.deepStrictEqual(of([its, bill(15, "invoice/I0", [part("b", 15, 30)])]), ["I2", 10, 30])
      const next = paid(30, "invoice/I3", [line("b", 30, 60)])
      const later = bill(40, "invoice/I4", [part("b", 40, 60)])
      assert.deepStrictEqual(of([its, next, later], { ...added, ...period(30, 60) }), ["I3", 30, 60])
      // The event that added it may be lost, and what is told of it is then later than its bill.
      assert.deepStrictEqual(of([bill(5, "invoice/I2", [part("b", 5, 30)])]), ["I2", 5, 30])
      const before = bill(5, "invoice/I2", [part("b", 5, 30)])
      assert.deepStrictEqual(of([before, paid(0, "invoice/I3", [line("b", 0, 30)])]), ["I3", 0, 30])
      assert.deepStrictEqual(of([before, bill(12, "invoice/I0", [part("b", 12, 30)])]), ["I0", 12, 30])
      // What was billed before it was dropped is not for it.
      const again = { ...added, since: day(4), taken_up_at: day(10) }
      assert.deepStrictEqual(of([before], again), ["I1", 0, 30])
      assert.deepStrictEqual(of([before, bill(10, "invoice/I4", [part("b", 10, 30)])], again), ["I4", 10, 30])
      // Where it has no period that is known, up to the end of that part.
      const unknown = { ...added, period_start: undefined, period_end: undefined }
      assert.deepStrictEqual(of([its], unknown), ["I2", 10, 30])
      assert.deepStrictEqual(of([bill(10, "invoice/I2", [{ price: "b", proration: true }])], unknown), ["I1", 0, 30])
    })

    it("are no others: of another price, of none, or of another period", () => {
      assert.deepStrictEqual(of([its, bill(12, "invoice/I3", [part("a", 12, 30)])]), ["I2", 10, 30])
      assert.deepStrictEqual(of([its, bill(12, "invoice/I3", [{ end: day(30), proration: true }])]), ["I2", 10, 30])
      assert.deepStrictEqual(of([bill(12, "invoice/I3", [{ end: day(30), proration: true }])]), ["I1", 0, 30])
      assert.deepStrictEqual(of([bill(10, "invoice/I2", [part("b", 10, 60)])]), ["I1", 0, 30])
      assert.deepStrictEqual(of([its], { ...added, price: undefined, variant: "12" }), ["I1", 0, 30])
    })

    it("are those of the period of one that was there from the beginning, or is sold as something else since", () => {
      const change = bill(10, "invoice/I2", [part("a", 10, 30)])
      assert.deepStrictEqual(rest([first, change], [own, added]), ["I1", 0, 30])
      // Its bill was told of before it was.
      const late = { ...own, since: day(1), sold_since: day(1) }
      assert.deepStrictEqual(rest([first, change], [late, added]), ["I1", 0, 30])
      assert.deepStrictEqual(of([its], { ...added, sold_since: day(15) }), ["I1", 0, 30])
    })
  })

  describe("where bills name no period", () => {
    const told = (at: number, start: number, end: number) => ({
      at: day(at),
      slots: [{ ...own, ...period(start, end) }]
    })
    const [one, two] = [paid(0, "invoice/I1"), paid(30, "invoice/I2")]
    const change = paid(10, "invoice/I3", undefined, { aside: true })

    it("are the last, which being told again makes no later one", () => {
      assert.deepStrictEqual(rest([one, two]), ["I2", undefined, undefined])
      assert.deepStrictEqual(rest([one, two, paid(40, "invoice/I1")]), ["I2", undefined, undefined])
      assert.deepStrictEqual(rest([one, failed(30, "invoice/I2")]), ["I1", undefined, undefined])
    })

    it("are all charges of the period of the last one, as one, and none of another period", () => {
      const charged = (at: number, name: string, value: number) =>
        paid(at, `invoice/${name}`, undefined, { amount: { value, currency: "eur" } })
      const since = [told(0, 0, 30), told(30, 30, 60)]
      const of = (payments: ReadonlyArray<DatedFact<PaymentFact>>, slots: Parameters<typeof restOf>[3] = since) =>
        restOf(bills({ payments }), own, [own], slots).bills.map(({ about, amount }) => [about.slice(8), amount?.value])
      // Whatever the names of the charges are: the last one is the last by time.
      assert.deepStrictEqual(of([charged(0, "I1", 10), charged(10, "I2", 5)]), [["I2", 15]])
      assert.deepStrictEqual(of([charged(0, "I2", 10), charged(10, "I1", 5)]), [["I1", 15]])
      assert.deepStrictEqual(of([charged(0, "I1", 10), charged(30, "I2", 7)]), [["I2", 7]])
      assert.deepStrictEqual(of([charged(0, "I2", 10), charged(30, "I1", 7)]), [["I1", 7]])
      // A charge at the end, or after it, is for a period that nobody told.
      assert.deepStrictEqual(of([charged(0, "I1", 10), charged(30, "I2", 7)], [told(0, 0, 30)]), [["I2", 7]])
      // Nobody told any period: the last charge alone.
      const without = [{ at: day(0), slots: [{ ...own, period_start: undefined, period_end: undefined }] }]
      assert.deepStrictEqual(of([charged(0, "I1", 10), charged(10, "I2", 5)], without), [["I2", 5]])
      // One that says that it is for a period is no part of the others.
      const said = paid(5, "invoice/I0", [], { aside: false, amount: { value: 3, currency: "eur" } })
      assert.deepStrictEqual(of([charged(0, "I1", 10), said, charged(10, "I2", 5)]), [["I2", 15]])
    })

    it("are that of a change which begins a period, by what is told with it", () => {
      assert.deepStrictEqual(rest([one, change], [own], [told(0, 0, 30), told(10, 10, 40)]), [
        "I3",
        undefined,
        undefined
      ])
      assert.deepStrictEqual(rest([one, change], [own], [told(0, 0, 30), told(10, 0, 30)]), [
        "I1",
        undefined,
        undefined
      ])
      assert.deepStrictEqual(rest([one, change], [own], [told(0, 0, 30), told(11, 10, 40)]), [
        "I1",
        undefined,
        undefined
      ])
      assert.deepStrictEqual(rest([one, change], [own], [told(10, 10, 40)]), ["I1", undefined, undefined])
      // It was paid late, and what was told when it was asked for is lost.
      const late = [
        failed(10, "invoice/I3", undefined, { aside: true }),
        paid(14, "invoice/I3", undefined, { aside: true })
      ]
      assert.deepStrictEqual(rest([one, ...late], [own], [told(0, 0, 30), told(14, 10, 40)]), [
        "I3",
        undefined,
        undefined
      ])
      assert.deepStrictEqual(rest([one, ...late], [own], [told(0, 0, 30), told(12, 10, 40)]), [
        "I1",
        undefined,
        undefined
      ])
      assert.deepStrictEqual(shown(restOf(bills({ payments: [one, change] }))), ["I1", undefined, undefined])
    })
  })
})
