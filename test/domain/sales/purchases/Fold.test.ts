import { assert, describe, it } from "@effect/vitest"
import type {
  CustomerFact,
  Fact,
  Item,
  OrderFact,
  PaymentFact,
  PurchaseName,
  SubscriptionFact
} from "../../../../src/domain/sales/providers/Fact.ts"
import type { TellingEvent } from "../../../../src/domain/sales/providers/ProviderEvent.ts"
import { tellingOf } from "../../../../src/domain/sales/providers/ReadEvents.ts"
import { fold, since } from "../../../../src/domain/sales/purchases/Fold.ts"
import { day, secondsOf } from "../../../fixtures/PurchaseLife.ts"
import { lives } from "../../../fixtures/PurchaseLives.ts"
import { orders, read } from "../../../fixtures/ReadInOrders.ts"
import { stripe, stripeItem, stripeSubscription } from "../../../fixtures/StripeObjects.ts"

/** Whether everything that is expected of a value is so; what is expected in part is compared in part. */
const part = (found: unknown, expected: unknown): unknown => {
  if (Array.isArray(expected)) {
    return Array.isArray(found)
      ? found.map((one, index) => part(one, expected[index]))
      : found
  }
  if (typeof expected !== "object" || expected === null || typeof found !== "object" || found === null) return found
  return Object.fromEntries(
    Object.entries(expected).map(([name, value]) => [name, part((found as Record<string, unknown>)[name], value)])
  )
}

/** A value as JSON keeps it. */
const asKept = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe("a purchase", () => {
  for (const { bodies, left, provider, purchase, title } of lives()) {
    it(`of ${provider}: ${title}`, () => {
      const events = bodies.flatMap((body) => read(provider, body))
      const state = fold(provider, purchase, events)
      assert.deepStrictEqual(part(state, left), left)
      for (const arrived of orders(events)) {
        assert.deepStrictEqual(fold(provider, purchase, arrived), state)
      }
      // A repeat, and one that was lost at first and is delivered again, are not told apart from what came in time.
      for (const [at, repeated] of events.entries()) {
        assert.deepStrictEqual(fold(provider, purchase, [...events, repeated]), state)
        assert.deepStrictEqual(fold(provider, purchase, [...events.toSpliced(at, 1), repeated]), state)
      }
    })
  }

  it("is the same by what was read of its events once, as it is kept in the place of their bodies", () => {
    for (const { bodies, provider, purchase, title } of lives()) {
      const events = bodies.flatMap((body) => read(provider, body))
      const kept = events.map(({ facts, id, occurred_at }): TellingEvent =>
        tellingOf(provider, {
          event_id: id,
          occurred_at,
          body: null,
          facts: asKept(facts) as TellingEvent["facts"]
        }, () => "")!
      )
      const some = events.map((event, index) => index % 2 === 0 ? event : kept[index]!)
      for (const mixed of [kept, some]) {
        assert.deepStrictEqual(asKept(fold(provider, purchase, mixed)), asKept(fold(provider, purchase, events)), title)
      }
    }
  })

  it("is none of another purchase, although both are of one customer", () => {
    const events = [
      ...read("stripe", stripe("customer.subscription.created", secondsOf(0), stripeSubscription())),
      ...read(
        "stripe",
        stripe("customer.subscription.deleted", secondsOf(5), {
          ...stripeSubscription({ status: "canceled", ended_at: secondsOf(5) }),
          id: "sub_2"
        })
      )
    ]
    assert.strictEqual(fold("stripe", "subscription/sub_1", events).state, "active")
    assert.strictEqual(fold("stripe", "subscription/sub_2", events).state, "canceled")
  })

  it("holds its last state through a status that nobody knows, and says so", () => {
    const events = [
      ...read("stripe", stripe("customer.subscription.created", secondsOf(0), stripeSubscription())),
      ...read(
        "stripe",
        stripe("customer.subscription.updated", secondsOf(1), stripeSubscription({ status: "resting" }))
      )
    ]
    const state = fold("stripe", "subscription/sub_1", events)
    assert.include(state, { state: "active", said: "resting" })
    assert.deepInclude(state.notes.map(({ detail, note }) => ({ detail, note })), {
      note: "unknown_status",
      detail: "resting"
    })
  })

  it("is ambiguous while events of one second that say different things cannot be told apart", () => {
    const changed = (quantity: number, at: number) =>
      read(
        "stripe",
        stripe(
          "customer.subscription.updated",
          secondsOf(at),
          stripeSubscription({}, [
            stripeItem("price_a", 0, 30, quantity)
          ])
        )
      )
    const events = [...changed(5, 1), ...changed(8, 1)]
    assert.isTrue(fold("stripe", "subscription/sub_1", events).ambiguous)
    assert.isFalse(fold("stripe", "subscription/sub_1", [...events, ...changed(3, 2)]).ambiguous)
  })

  it("keeps its items, and is ambiguous, where an event holds fewer than there are", () => {
    const events = read("stripe", stripe("customer.subscription.created", secondsOf(0), stripeSubscription()))
    const cut = stripeSubscription({ items: { has_more: true, data: [stripeItem("price_z", 0, 30)] } })
    const state = fold("stripe", "subscription/sub_1", [
      ...events,
      ...read("stripe", stripe("customer.subscription.updated", secondsOf(1), cut))
    ])
    assert.isTrue(state.ambiguous)
    assert.deepStrictEqual(state.slots.map(({ price }) => price), ["price_a"])
  })

  it("is known by its customer, its links and its payments before it is known itself", () => {
    const events = read(
      "stripe",
      stripe("customer.updated", secondsOf(0), {
        id: "cus_1",
        object: "customer",
        email: "ada@example.com",
        name: null
      })
    )
    const state = fold("stripe", "subscription/sub_1", events)
    assert.include(state, { source_updated_at: day(0) })
    assert.isUndefined(state.kind)
    assert.deepStrictEqual(state.slots, [])
  })
})

/** An event of a day, of which nothing but what it says of purchases is of interest. */
const event = (at: number, ...facts: ReadonlyArray<Fact>): TellingEvent => ({
  id: `evt_${at}_${JSON.stringify(facts)}`,
  occurred_at: day(at),
  facts
})

const item = (price: string, quantity = 1): Item => ({ price, quantity, period_start: day(0), period_end: day(30) })

const link = (about: Fact["about"], to: PurchaseName): Fact => ({ kind: "link", about, to })

const told = (at: number, more: Partial<SubscriptionFact> = {}): TellingEvent =>
  event(at, {
    kind: "subscription",
    about: "subscription/S1",
    rank: 1,
    state: "active",
    said: "",
    items: [item("a")],
    ...more
  })

const ordered = (at: number, state: OrderFact["state"], more: Partial<OrderFact> = {}): Fact => ({
  kind: "order",
  about: "order/O1",
  state,
  said: `${state} on ${at}`,
  items: [item("a")],
  ...more
})

const payment = (at: number, state: PaymentFact["state"], more: Partial<PaymentFact> = {}): TellingEvent => {
  const about = more.about ?? "invoice/I1"
  return event(at, link(about, "subscription/S1"), { kind: "payment", about, state, ...more })
}

const subscription = (...events: ReadonlyArray<TellingEvent>) => fold("fastspring", "subscription/S1", events)
const order = (...events: ReadonlyArray<TellingEvent>) => fold("stripe", "order/O1", events)

describe("the states of a subscription", () => {
  const notes = (...events: ReadonlyArray<TellingEvent>) => subscription(...events).notes.map(({ note }) => note)

  it("end with the first that is over, unless the provider takes it up again", () => {
    for (const state of ["canceled", "incomplete_expired"] as const) {
      const over = told(1, { state })
      assert.strictEqual(subscription(told(0), over, told(2)).state, state)
      assert.deepStrictEqual(notes(told(0), over, told(2)), ["came_after_the_end"])
      assert.strictEqual(subscription(told(0), over, told(2, { reopens: true })).state, "active")
      assert.deepStrictEqual(notes(told(0), over, told(2, { reopens: true })), [])
      // What is said of the end itself is told of it, and what nobody knows is no life.
      assert.strictEqual(subscription(over, told(2, { state, ended_at: day(2) })).ended_at, day(2))
      assert.deepStrictEqual(notes(over, told(2, { state })), [])
      assert.deepStrictEqual(notes(over, told(2, { state: undefined })), ["unknown_status"])
    }
    assert.deepStrictEqual(notes(told(0, { state: "paused" }), told(1)), [])
  })

  it("of one instant are in the order of their rank, and clear where that tells them apart", () => {
    const { ambiguous, state } = subscription(told(1, { state: "trialing" }), told(1))
    assert.deepStrictEqual({ ambiguous, state }, { ambiguous: false, state: "active" })
  })

  it("hold who pays and where it came from until another is named", () => {
    const named = told(0, { payer: { id: "c1" }, origin: { payment_link: "plink_1" } })
    assert.deepInclude(subscription(named, told(1)), { payer: { id: "c1" }, origin: { payment_link: "plink_1" } })
    const moved = told(1, { payer: { id: "c2" }, origin: { metadata: { plan: "pro" } } })
    assert.deepInclude(subscription(named, moved), {
      payer: { id: "c2" },
      origin: { payment_link: "plink_1", metadata: { plan: "pro" } }
    })
  })

  it("say since when it is due, by the first that does", () => {
    const late = { items: [{ ...item("a"), period_end: day(90) }] }
    for (const state of ["past_due", "unpaid"] as const) {
      const due = [told(30, { ...late, state }), told(35, { ...late, state })]
      assert.strictEqual(subscription(told(0, late), ...due).unpaid_since, day(30))
      // What is paid for goes on beside what is due.
      assert.strictEqual(subscription(payment(0, "paid"), told(0, late), ...due).unpaid_since, day(90))
      const again = [told(30, { ...late, state }), told(32, late), told(35, { ...late, state })]
      assert.strictEqual(subscription(told(0, late), ...again).unpaid_since, day(35))
    }
  })

  it("are ambiguous from an event that lacks items until one that names them", () => {
    const lacking = told(1, { items: undefined, lacks_items: true })
    const without = (at: number) => told(at, { items: undefined })
    assert.isFalse(subscription(without(0)).ambiguous)
    assert.isFalse(subscription(told(0), without(1)).ambiguous)
    assert.isTrue(subscription(told(0), lacking).ambiguous)
    assert.isTrue(subscription(told(0), lacking, without(2)).ambiguous)
    assert.isFalse(subscription(told(0), lacking, told(2)).ambiguous)
  })

  it("are past due where a payment failed that was not made up for, of a provider that does not say so", () => {
    const due = told(1, { is_due: true })
    assert.strictEqual(subscription(due, payment(1, "failed")).state, "past_due")
    assert.strictEqual(subscription(due, payment(1, "failed"), payment(2, "paid")).state, "active")
    assert.strictEqual(
      subscription(due, payment(1, "failed"), payment(2, "paid", { about: "invoice/I2" })).state,
      "past_due"
    )
    assert.strictEqual(subscription(due).state, "active")
    assert.strictEqual(subscription(told(1), payment(1, "failed")).state, "active")
    assert.strictEqual(subscription(told(1, { is_due: true, state: "paused" }), payment(1, "failed")).state, "paused")
  })

  it("begin with the earliest instant that is told of it, else with the first event", () => {
    assert.strictEqual(subscription(told(4), told(5)).began_at, day(4))
    assert.strictEqual(
      subscription(told(5, { began_at: day(2) }), told(6, { began_at: day(1) }), told(7)).began_at,
      day(1)
    )
  })

  it("are of as many as the order says that begins it, where its own events do not say how many", () => {
    const items = [{ ...item("a"), uncounted: true as const }, item("b", 2)]
    const of = (...orders: ReadonlyArray<Fact>) =>
      subscription(
        told(1, { items }),
        ...orders.map((fact, at) => event(at, link("order/O1", "subscription/S1"), fact))
      ).slots.map(({ price, quantity }) => `${price} ${quantity}`)
    assert.deepStrictEqual(of(), ["a 1", "b 2"])
    assert.deepStrictEqual(of(ordered(0, "paid", { items: [item("a", 4), item("b", 9)] })), ["a 4", "b 2"])
    const two = [4, 5].map((quantity) => ordered(0, "paid", { items: [item("a", quantity)] }))
    assert.deepStrictEqual(of(...two), ["a 5", "b 2"])
    const alone = told(1, { items: items.slice(0, 1) })
    const begins = event(0, link("order/O1", "subscription/S1"), ordered(0, "paid", { items: [item("a", 4)] }))
    assert.deepStrictEqual(subscription(alone, begins).slots.map(({ quantity }) => quantity), [4])
    assert.isFalse("uncounted" in subscription(told(1, { items })).slots[0]!)
  })

  it("are told by what concerns it, and by nothing of another purchase", () => {
    const other = event(1, link("invoice/I2", "subscription/S2"), {
      kind: "payment",
      about: "invoice/I2",
      state: "paid",
      amount: { value: 7 }
    })
    const { notes, paid, refund } = subscription(told(0), payment(0, "paid", { amount: { value: 5 } }), other)
    assert.deepInclude({ notes: notes.length, paid, refund }, { notes: 1, paid: { value: 5 }, refund: "none" })
  })
})

describe("what is told of a purchase beside its state", () => {
  it("is in the order of its instants", () => {
    const about = "invoice/I1"
    const { notes } = subscription(
      told(0, { state: undefined, said: "resting" }),
      payment(3, "paid"),
      payment(1, "failed"),
      event(4, { kind: "refund", about, refund: "re_1", state: "pending" }),
      event(5, { kind: "refund", about, refund: "re_1", state: "succeeded", full: true }),
      event(6, { kind: "dispute", about, dispute: "dp_1", state: "open", said: "needs_response" }),
      event(2, { kind: "note", about, note: "trial_ends_soon", detail: "in a day" })
    )
    assert.deepStrictEqual(notes.map(({ event_id: _id, ...note }) => note), [
      { note: "unknown_status", at: day(0), detail: "resting" },
      { note: "payment_failed", at: day(1) },
      { note: "trial_ends_soon", at: day(2), detail: "in a day" },
      { note: "paid", at: day(3) },
      { note: "refund_pending", at: day(4) },
      { note: "refund_succeeded", at: day(5), detail: "full" },
      { note: "dispute_open", at: day(6), detail: "needs_response" }
    ])
  })
})

describe("an order", () => {
  const of = (...facts: ReadonlyArray<Fact>) => order(...facts.map((fact, at) => event(at, fact))).said

  it("is paid once it was, else failed, whatever a late word of a wait says", () => {
    assert.strictEqual(of(ordered(0, "pending"), ordered(1, "pending")), "pending on 1")
    assert.strictEqual(of(ordered(0, "pending"), ordered(1, "failed"), ordered(2, "pending")), "failed on 1")
    assert.strictEqual(of(ordered(0, "failed"), ordered(1, "failed"), ordered(2, "pending")), "failed on 1")
    assert.strictEqual(of(ordered(0, "paid"), ordered(1, "failed"), ordered(2, "pending")), "paid on 0")
    assert.strictEqual(of(ordered(0, "paid"), ordered(1, "paid")), "paid on 1")
    assert.strictEqual(order(event(3, ordered(3, "pending"))).began_at, day(3))
  })

  it("is for what its payment names, where its own events name nothing", () => {
    const paidFor = (items: ReadonlyArray<Item>, state: PaymentFact["state"] = "paid", at = 1) =>
      event(at, link("invoice/I1", "order/O1"), { kind: "payment", about: "invoice/I1", state, items })
    const sold = (items: ReadonlyArray<Item>, ...payments: ReadonlyArray<TellingEvent>) =>
      order(event(0, ordered(0, "paid", { items })), ...payments).slots.map(({ price, product, variant }) =>
        price ?? product ?? variant
      )
    const [nothing, a, b] = [{ quantity: 1 }, item("a"), item("b")]
    assert.deepStrictEqual(sold([nothing], paidFor([a])), ["a"])
    assert.deepStrictEqual(sold([nothing]), [undefined])
    assert.deepStrictEqual(sold([nothing], paidFor([a], "failed")), [undefined])
    assert.deepStrictEqual(sold([nothing], paidFor([a]), paidFor([b], "paid", 2), paidFor([], "paid", 3)), ["b"])
    for (const named of [{ price: "p" }, { product: "p" }, { variant: "p" }]) {
      assert.deepStrictEqual(sold([{ ...named, quantity: 1 }], paidFor([a])), ["p"])
    }
    assert.deepStrictEqual(sold([{ price: "p", quantity: 1 }, nothing], paidFor([item("p"), a])), ["p", "a"])
  })
})

describe("what a purchase is", () => {
  it("is told by its own events, and nothing while there are none", () => {
    assert.deepInclude(subscription(told(1)), { kind: "subscription", source_updated_at: day(1) })
    assert.isUndefined(subscription(payment(1, "paid")).kind)
    const nothing = subscription()
    assert.isUndefined(nothing.kind)
    assert.strictEqual(nothing.source_updated_at, "1970-01-01T00:00:00.000000000Z")
  })

  it("is an order with the money and the origin of that, of which nothing is left where it only begins a subscription", () => {
    const origin = { payment_link: "plink_1" }
    const bought = event(0, ordered(0, "paid", { origin, amount: { value: 5 } }))
    const back = event(2, {
      kind: "refund",
      about: "order/O1",
      refund: "re_1",
      state: "succeeded",
      amount: { value: 5 }
    })
    const state = order(bought, back)
    assert.deepInclude(state, { kind: "order", origin, refund: "full", refunded_at: day(2) })
    assert.isFalse("is_beginning" in state)
    assert.isFalse("money" in state.slots[0]!)
    const begun = event(1, link("order/O1", "subscription/S1"))
    assert.isTrue(order(bought, begun).is_beginning)
    // Its subscription is none of its kind, also before anything is told of that itself.
    assert.isUndefined(subscription(bought, begun).kind)
    assert.strictEqual(subscription(bought, begun, told(1)).kind, "subscription")
  })
})

describe("who pays for a purchase", () => {
  const customer = (at: number, id: string, payer: CustomerFact["payer"]) =>
    event(at, link(`customer/${id}`, "subscription/S1"), { kind: "customer", about: `customer/${id}`, payer })
  const begun = (at: number, payer: OrderFact["payer"]) =>
    event(at, link("order/O1", "subscription/S1"), ordered(at, "paid", { payer }))
  const [first, second] = [
    customer(1, "c1", { id: "c1", email: "c1@example.com" }),
    customer(2, "c2", { id: "c2", email: "c2@example.com" })
  ]

  it("is the customer whom it names, else the one whom its last order names, else who was told of last", () => {
    const payer = (...events: ReadonlyArray<TellingEvent>) => subscription(...events).payer
    assert.deepStrictEqual(payer(told(0, { payer: { id: "c1" } }), begun(3, { id: "c2" }), first, second), {
      id: "c1",
      email: "c1@example.com"
    })
    assert.deepStrictEqual(payer(told(0, { payer: { id: "c1" } }), told(4), first, second), {
      id: "c1",
      email: "c1@example.com"
    })
    assert.deepStrictEqual(payer(told(0), begun(0, { id: "c1" }), first, second), { id: "c1", email: "c1@example.com" })
    assert.deepStrictEqual(
      payer(told(0), begun(0, { id: "c2" }), begun(1, { id: "c1" }), begun(2, {}), first, second),
      {
        id: "c1",
        email: "c1@example.com"
      }
    )
    assert.deepStrictEqual(payer(told(0), first, second, customer(3, "c2", { name: "Ada" })), {
      id: "c2",
      email: "c2@example.com",
      name: "Ada"
    })
  })

  it("has the address that was told last, by whomever", () => {
    const own = told(5, { payer: { id: "c1", email: "new@example.com" } })
    assert.strictEqual(subscription(own, first).payer.email, "new@example.com")
    assert.strictEqual(
      subscription(own, customer(6, "c1", { email: "newer@example.com" })).payer.email,
      "newer@example.com"
    )
  })
})

describe("the instant of a purchase", () => {
  it("never goes back, although the event that told a later one was erased", () => {
    const [earlier, later] = [subscription(told(1)), subscription(told(2))]
    assert.strictEqual(since(earlier, null), earlier)
    assert.strictEqual(since(later, earlier), later)
    assert.strictEqual(since(later, { ...later }), later)
    assert.deepStrictEqual(since(earlier, later), { ...earlier, source_updated_at: day(2) })
  })

  it("comes with what a person has said of it, which no event tells", () => {
    const [earlier, later] = [subscription(told(1)), subscription(told(2))]
    assert.isFalse("is_apart" in since(later, earlier))
    assert.isTrue(since(later, { ...earlier, is_apart: true }).is_apart)
    assert.deepInclude(since(earlier, { ...later, is_apart: true }), { is_apart: true, source_updated_at: day(2) })
  })
})
