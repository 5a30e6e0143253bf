import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import type { PurchaseName } from "../../../../src/domain/sales/providers/Fact.ts"
import type { Provider } from "../../../../src/domain/sales/providers/Provider.ts"
import { wireTime } from "../../../../src/domain/sales/providers/SourceTime.ts"
import type { SourceTime } from "../../../../src/domain/sales/providers/SourceTime.ts"
import type { Planned } from "../../../../src/domain/sales/purchases/Command.ts"
import { fold } from "../../../../src/domain/sales/purchases/Fold.ts"
import type { Mapping } from "../../../../src/domain/sales/purchases/Mapping.ts"
import { planOf } from "../../../../src/domain/sales/purchases/Plan.ts"
import type { PurchaseState } from "../../../../src/domain/sales/purchases/PurchaseState.ts"
import { day, secondsOf } from "../../../fixtures/PurchaseLife.ts"
import {
  lemon,
  lemonInvoice,
  lemonOrder,
  lemonSubscription,
  paddle,
  paddleSubscription,
  textOf,
  transaction
} from "../../../fixtures/PurchaseLivesElsewhere.ts"
import { orders, read } from "../../../fixtures/ReadInOrders.ts"
import { chargebeeRefunds, fastSpringRefunds } from "../../../fixtures/RefundedLives.ts"
import {
  stripe,
  stripeBought,
  stripeCharge,
  stripeDispute,
  stripeInvoice,
  stripeInvoicePayment,
  stripeItem,
  stripeItemOf,
  stripeRefund,
  stripeSession,
  stripeSubscription
} from "../../../fixtures/StripeObjects.ts"

/** The state by some bodies, which is the same in whatever order they arrive. */
const folded = (provider: Provider, purchase: PurchaseName, bodies: ReadonlyArray<object>): PurchaseState => {
  const events = bodies.flatMap((body) => read(provider, body))
  const state = fold(provider, purchase, events)
  for (const arrived of orders(events)) assert.deepStrictEqual(fold(provider, purchase, arrived), state)
  return state
}
const subscription = (...bodies: ReadonlyArray<object>) => folded("stripe", "subscription/sub_1", bodies)
const order = (...bodies: ReadonlyArray<object>) => folded("stripe", "order/cs_1", bodies)

/** An event of the subscription on a day. */
const changed = (at: number, members: Record<string, unknown>, items?: ReadonlyArray<object>) =>
  stripe("customer.subscription.updated", secondsOf(at), stripeSubscription(members, items))

const policies: Planned["policies"] = [
  { id: "pol_a", product_id: "prod_1", license_type: "subscription" },
  { id: "pol_b", product_id: "prod_1", license_type: "subscription" },
  { id: "pol_once", product_id: "prod_1", license_type: "perpetual" }
]
const prices: Mapping["prices"] = [
  { by: "price", value: "price_a", policy_id: "pol_a", quantity: "seats" },
  { by: "price", value: "price_b", policy_id: "pol_b", quantity: "seats" }
]
const once: Mapping = { prices: [{ by: "payment_link", value: "plink_1", policy_id: "pol_once" }] }

/** What is done for a purchase that has no license yet. */
const planned = (state: PurchaseState, mapping: Mapping = { prices }, holdings: Planned["holdings"] = []) =>
  planOf(state, mapping, { policies, holdings, adoptable: [] })

/** What the records of a purchase that has one license say. */
const records = (state: PurchaseState, mapping?: Mapping) =>
  planned(state, mapping, [{
    reference: { item: "0.prod_1", index: 0 },
    license: { id: "lic_1", policy_id: "pol_a", product_id: "prod_1", status: "active" },
    is_own: true
  }]).commands.flatMap((command) => command.type === "subscription" ? [command.values] : [])

const issued = (state: PurchaseState, mapping?: Mapping) =>
  planned(state, mapping).commands.flatMap((command) => command.type === "issue" ? [command] : [])

const at = (time: SourceTime): string => wireTime(time)

describe("an order of events", () => {
  it("1. created after updated does not leave a purchase incomplete", () => {
    const state = subscription(
      stripe("customer.subscription.created", secondsOf(0), stripeSubscription({ status: "incomplete" })),
      stripe("customer.subscription.updated", secondsOf(0), stripeSubscription(), { status: "incomplete" })
    )
    assert.strictEqual(state.state, "active")
  })

  it("3. an update that arrives after the end, or says so in its second, takes nothing back to life", () => {
    const end = stripe(
      "customer.subscription.deleted",
      secondsOf(10),
      stripeSubscription({ status: "canceled", ended_at: secondsOf(10) })
    )
    for (const late of [5, 10, 11]) {
      const state = subscription(...stripeBought(), changed(late, {}), end)
      assert.deepInclude(state, { state: "canceled", ended_at: day(10) })
    }
    const { notes } = subscription(...stripeBought(), end, changed(11, {}))
    assert.include(notes.map(({ note }) => note), "came_after_the_end")
  })

  it("5. an event that is older than the last one counts for what it alone tells", () => {
    const paid = stripe("invoice.paid", secondsOf(30, 3600), stripeInvoice("in_1", 30, 60))
    const renewed = changed(31, {}, [stripeItem("price_a", 30, 60)])
    assert.strictEqual(subscription(...stripeBought(), renewed).paid_through, day(30))
    assert.strictEqual(subscription(...stripeBought(), renewed, paid).paid_through, day(60))
  })

  it("21. of one second, 5, 8 and 3 seats are told apart by the values before them", () => {
    const seats = (quantity: number, before?: number) =>
      stripe(
        before === undefined ? "customer.subscription.created" : "customer.subscription.updated",
        secondsOf(9),
        stripeSubscription({}, [stripeItemOf("price_a", quantity)]),
        before === undefined ? undefined : { items: { data: [stripeItemOf("price_a", before)] } }
      )
    const state = subscription(seats(5), seats(8, 5), seats(3, 8))
    assert.deepInclude(state, { ambiguous: false })
    assert.strictEqual(state.slots[0]!.quantity, 3)
  })

  it("22. invoice.paid before checkout.session.completed is one purchase, with the payer of both", () => {
    const state = subscription(...stripeBought().toReversed())
    assert.deepStrictEqual(state.payer, { id: "cus_1", email: "ada@example.com", name: "Ada Lovelace" })
    assert.strictEqual(issued(state).length, 1)
  })

  it("35. whole seconds tie, and 0.4 ms do not", () => {
    assert.deepInclude(
      folded("paddle", "subscription/sub_1", [
        paddle("subscription.created", textOf(0), paddleSubscription("active", 0, 30)),
        paddle("subscription.updated", textOf(10, 500), paddleSubscription("active", 0, 30)),
        paddle("subscription.paused", textOf(10, 900), paddleSubscription("paused", 0, 30))
      ]),
      { state: "paused", ambiguous: false, source_updated_at: day(10).replace("000000000Z", "000900000Z") }
    )
    const tied = subscription(
      changed(1, {}, [stripeItemOf("price_a", 5)]),
      changed(1, {}, [stripeItemOf("price_a", 8)])
    )
    assert.isTrue(tied.ambiguous)
  })
})

describe("a subscription", () => {
  it("6. canceled in the customer's portal has cancel_at alone, elsewhere the flag alone: both end it", () => {
    for (const member of [{ cancel_at: secondsOf(30) }, { cancel_at_period_end: true }]) {
      const state = subscription(...stripeBought(), changed(10, { ...member, canceled_at: secondsOf(10) }))
      assert.deepInclude(state, { state: "active", cancel_at: day(30) })
      assert.deepInclude(records(state)[0], { status: "active", cancel_at_period_end: true })
    }
  })

  it("7. whose payments are not collected goes on or is suspended, as the mapping says", () => {
    const state = subscription(
      ...stripeBought(),
      changed(10, { pause_collection: { behavior: "void", resumes_at: null } })
    )
    assert.deepInclude(state, { state: "active", collection_paused: { resumes_at: undefined } })
    assert.strictEqual(records(state)[0]!.status, "active")
    assert.strictEqual(records(state, { prices, paused_collection: "suspend" })[0]!.status, "paused")
  })

  it("9. that says the next period is not paid for it", () => {
    const state = subscription(...stripeBought(), changed(30, {}, [stripeItem("price_a", 30, 60)]))
    assert.deepInclude(state, { state: "active", paid_through: day(30) })
    const declined = subscription(
      ...stripeBought(),
      changed(30, { status: "past_due" }, [stripeItem("price_a", 30, 60)])
    )
    assert.deepInclude(records(declined)[0], { status: "past_due", current_period_end: at(day(30)) })
  })

  it("10. past due has its grace from the start of the unpaid period on, however late that is known", () => {
    const item = [stripeItem("price_a", 30, 60)]
    const state = subscription(
      ...stripeBought(),
      changed(30, { status: "past_due" }, item),
      stripe("invoice.payment_failed", secondsOf(37), stripeInvoice("in_1", 30, 60)),
      changed(40, { status: "past_due" }, item)
    )
    assert.deepInclude(state, { state: "past_due", unpaid_since: day(30) })
    assert.strictEqual(records(state)[0]!.current_period_end, at(day(30)))
  })

  it("12. is not prolonged by an invoice of nothing, nor twice by two of one period", () => {
    const trial = stripeSubscription({ status: "trialing", trial_end: secondsOf(14) }, [stripeItem("price_a", 0, 14)])
    const state = subscription(
      stripe("customer.subscription.created", secondsOf(0), trial),
      stripe("invoice.paid", secondsOf(0), stripeInvoice("in_0", 0, 14, { amount_paid: 0 })),
      stripe("invoice.payment_succeeded", secondsOf(0), stripeInvoice("in_0", 0, 14, { amount_paid: 0 })),
      stripe("invoice.paid", secondsOf(1), stripeInvoice("in_8", 0, 14, { amount_paid: 0 }))
    )
    assert.deepInclude(state, { state: "trialing", paid_through: day(14) })
    assert.strictEqual(records(state)[0]!.current_period_end, at(day(14)))
  })

  it("24. that is refunded and not canceled goes on at the provider, and gives nothing more", () => {
    const state = subscription(...stripeBought(), stripe("charge.refunded", secondsOf(5), stripeCharge(1000)))
    assert.deepInclude(state, { state: "active", refund: "full", refunded_at: day(5) })
    assert.deepInclude(records(state)[0], { status: "canceled", ended_at: at(day(5)) })
  })

  it("25. whose earlier period is refunded while a later one is paid goes on", () => {
    const renewal = [
      changed(30, {}, [stripeItem("price_a", 30, 60)]),
      stripe("invoice_payment.paid", secondsOf(30), stripeInvoicePayment("in_1", "pi_2")),
      stripe("invoice.paid", secondsOf(30), stripeInvoice("in_1", 30, 60))
    ]
    const state = subscription(
      ...stripeBought(),
      ...renewal,
      stripe("charge.refunded", secondsOf(35), stripeCharge(1000))
    )
    assert.deepInclude(state, { state: "active", refund: "none", paid_through: day(60) })
    assert.strictEqual(records(state)[0]!.status, "active")
  })

  it("26. that is unpaused has a period of its own from then on, and the same license", () => {
    const paused = [
      ...stripeBought(),
      stripe("customer.subscription.paused", secondsOf(10), stripeSubscription({ status: "paused" }))
    ]
    assert.strictEqual(records(subscription(...paused))[0]!.status, "paused")
    const state = subscription(
      ...paused,
      stripe("customer.subscription.resumed", secondsOf(20), stripeSubscription({}, [stripeItem("price_a", 20, 50)]))
    )
    assert.deepInclude(records(state)[0], { status: "active", current_period_end: at(day(50)) })
    assert.deepStrictEqual(state.slots.map(({ slot }) => slot), [0])
  })

  it("27. of two items has the quantity of each", () => {
    const state = subscription(
      stripe(
        "customer.subscription.created",
        secondsOf(0),
        stripeSubscription({}, [stripeItem("price_a", 0, 30, 5), stripeItem("price_b", 0, 30, 2, "si_2")])
      )
    )
    assert.deepStrictEqual(
      issued(state).map(({ overrides, policy_id }) => [policy_id, overrides?.max_activations]),
      [["pol_a", 5], ["pol_b", 2]]
    )
  })

  it("28. of two items of one product is two licenses, each with a record of its own", () => {
    const both = [stripeItem("price_a", 0, 30), stripeItem("price_a", 0, 30, 3, "si_2")]
    const state = subscription(stripe("customer.subscription.created", secondsOf(0), stripeSubscription({}, both)))
    assert.deepStrictEqual(
      issued(state).map(({ record, reference }) => [reference.item, record.external_id]),
      [["0.prod_1", "sub_1"], ["1.prod_1", "sub_1:1"]]
    )
  })

  it("29. that is upgraded is billed for a part of a period, which is no purchase and prolongs nothing", () => {
    const state = subscription(
      ...stripeBought(),
      stripe("customer.subscription.updated", secondsOf(10), stripeSubscription({}, [stripeItemOf("price_b")]), {
        items: { data: [stripeItemOf("price_a")] }
      }),
      stripe(
        "invoice.paid",
        secondsOf(10, 1),
        stripeInvoice("in_1", 10, 99, {
          billing_reason: "subscription_update",
          lines: { data: [{ period: { start: secondsOf(10), end: secondsOf(99) }, proration: true }] }
        })
      )
    )
    assert.deepInclude(state, { paid_through: day(30), kind: "subscription" })
    assert.strictEqual(issued(state).length, 1)
  })

  it("38. whose item has another ID after an upgrade keeps its license", () => {
    const state = subscription(
      ...stripeBought(),
      changed(10, {}, [stripeItem("price_b", 0, 30, 1, "si_new")])
    )
    assert.deepStrictEqual(state.slots.map(({ price, slot }) => [slot, price]), [[0, "price_b"]])
  })

  it("41. that was imported, or told of twice at once, is one purchase", () => {
    const imported = folded("paddle", "subscription/sub_1", [
      paddle("subscription.imported", textOf(0), paddleSubscription("active", 0, 30)),
      paddle("subscription.updated", textOf(0), paddleSubscription("active", 0, 30))
    ])
    assert.deepInclude(imported, { state: "active", ambiguous: false })
    assert.include(imported.notes.map(({ note }) => note), "imported")
    const twice = lemon("subscription_updated", "subscriptions", "8", textOf(0, 5), lemonSubscription("active", 30))
    const state = folded("lemon_squeezy", "subscription/8", [
      { ...twice, meta: { ...twice.meta, event_name: "subscription_created" } },
      twice
    ])
    assert.deepInclude(state, { state: "active", ambiguous: false })
  })

  it("42. whose customer is deleted goes on until it ends itself", () => {
    const gone = stripe("customer.deleted", secondsOf(5), { id: "cus_1", object: "customer", email: null })
    const state = subscription(...stripeBought(), gone)
    assert.strictEqual(state.state, "active")
    assert.strictEqual(state.payer.email, "ada@example.com")
  })

  it("43. of more items than its event holds keeps those that are known, and says that it is unsure", () => {
    const cut = stripeSubscription({ items: { has_more: true, data: [stripeItem("price_z", 0, 30)] } })
    const state = subscription(...stripeBought(), stripe("customer.subscription.updated", secondsOf(1), cut))
    assert.isTrue(state.ambiguous)
    assert.deepStrictEqual(state.slots.map(({ price }) => price), ["price_a"])
  })

  it("44. whose upgrade awaits its payment has what it had", () => {
    const state = subscription(
      ...stripeBought(),
      changed(10, { pending_update: { subscription_items: [{ price: "price_b" }], expires_at: secondsOf(11) } })
    )
    assert.deepStrictEqual(state.slots.map(({ price }) => price), ["price_a"])
    assert.include(state.notes.map(({ note }) => note), "update_awaits_payment")
  })
})

describe("money", () => {
  const session = (more: Record<string, unknown> = {}) =>
    stripe("checkout.session.completed", secondsOf(0), stripeSession(more))

  it("11. that is on its way is neither a purchase nor a failure", () => {
    const waits = session({ payment_status: "unpaid" })
    assert.deepStrictEqual(planned(order(waits), once).holds.map(({ code }) => code), ["awaits_payment"])
    const paid = order(waits, stripe("checkout.session.async_payment_succeeded", secondsOf(3), stripeSession()))
    assert.strictEqual(issued(paid, once).length, 1)
    const failed = order(
      waits,
      stripe("checkout.session.async_payment_failed", secondsOf(3), stripeSession({ payment_status: "unpaid" }))
    )
    assert.deepStrictEqual(planned(failed, once), { commands: [], holds: [] })
  })

  it("13. given back in two parts is counted once each, by its totals and by its refunds", () => {
    const first = [
      stripe("charge.refunded", secondsOf(5), stripeCharge(400)),
      stripe("refund.created", secondsOf(5), stripeRefund("re_1", 400, "succeeded"))
    ]
    assert.deepInclude(order(session(), ...first), { refund: "partial", refunded: { value: 400, currency: "eur" } })
    const second = [
      stripe("charge.refunded", secondsOf(6), stripeCharge(800)),
      stripe("refund.created", secondsOf(6), stripeRefund("re_2", 400, "succeeded"))
    ]
    const both = order(session(), ...first, ...second)
    assert.deepInclude(both, { refund: "partial", refunded: { value: 800, currency: "eur" } })
  })

  it("13. asked back is not given back, though the charge counts it, until the refund succeeds", () => {
    const asked = [
      stripe("charge.refunded", secondsOf(5), stripeCharge(1000)),
      stripe("refund.created", secondsOf(5), stripeRefund("re_1", 1000, "pending"))
    ]
    const waiting = order(session(), ...asked)
    assert.strictEqual(waiting.refund, "none")
    assert.isUndefined(waiting.refunded)
    const last = (type: string, status: string) =>
      order(session(), ...asked, stripe(type, secondsOf(7), stripeRefund("re_1", 1000, status)))
    assert.deepInclude(last("refund.updated", "succeeded"), {
      refund: "full",
      refunded: { value: 1000, currency: "eur" }
    })
    assert.strictEqual(last("refund.failed", "failed").refund, "none")
    const part = [
      stripe("charge.refunded", secondsOf(4), stripeCharge(400)),
      stripe("refund.created", secondsOf(4), stripeRefund("re_0", 400, "succeeded"))
    ]
    const rest = [
      stripe("charge.refunded", secondsOf(5), stripeCharge(1000)),
      stripe("refund.created", secondsOf(5), stripeRefund("re_1", 600, "pending"))
    ]
    assert.deepInclude(order(session(), ...part, ...rest), {
      refund: "partial",
      refunded: { value: 400, currency: "eur" }
    })
  })

  it("14. given back in part ends nothing, unless the mapping says so", () => {
    const state = subscription(...stripeBought(), stripe("charge.refunded", secondsOf(5), stripeCharge(400)))
    assert.strictEqual(state.refund, "partial")
    assert.strictEqual(records(state)[0]!.status, "active")
    assert.strictEqual(records(state, { prices, partial_refund: "end" })[0]!.status, "canceled")
  })

  it("15. given back of a charge that names no invoice is found by the payment of the invoice, whenever that comes", () => {
    const bought = stripeBought()
    const linked = bought.filter(({ type }) => type === "invoice_payment.paid")
    const unlinked = bought.filter((event) => !linked.includes(event))
    const refunded = stripe("charge.refunded", secondsOf(5), stripeCharge(1000))
    assert.strictEqual(subscription(...unlinked, refunded).refund, "none")
    assert.strictEqual(subscription(...unlinked, refunded, ...linked).refund, "full")
  })

  it("17. that is asked about is not disputed, and the end of one dispute ends no other", () => {
    const inquiry = stripe("charge.dispute.created", secondsOf(1), stripeDispute("warning_needs_response"))
    const prevented = stripe("charge.dispute.created", secondsOf(1), stripeDispute("prevented", "dp_0"))
    assert.strictEqual(order(session(), inquiry, prevented).dispute, "none")
    const disputed = order(
      session(),
      stripe("charge.dispute.created", secondsOf(1), stripeDispute("needs_response")),
      stripe("charge.dispute.created", secondsOf(2), stripeDispute("needs_response", "dp_2")),
      stripe("charge.dispute.closed", secondsOf(50), stripeDispute("won", "dp_2"))
    )
    assert.deepInclude(disputed, { dispute: "open", disputed_at: day(1) })
  })

  it("20. of an order and of the first invoice of its subscription is one purchase, and its refund is one", () => {
    const bought = [
      lemon("order_created", "orders", "7", textOf(0), lemonOrder("paid", 0)),
      lemon("subscription_created", "subscriptions", "8", textOf(0, 5), lemonSubscription("active", 30)),
      lemonInvoice("subscription_payment_success", "20", textOf(0, 9), "paid", "initial")
    ]
    const state = folded("lemon_squeezy", "subscription/8", bought)
    assert.deepInclude(state, { kind: "subscription", state: "active", refund: "none" })
    const order = lemon("order_refunded", "orders", "7", textOf(5), lemonOrder("refunded", 1000))
    const invoice = lemonInvoice("subscription_payment_refunded", "20", textOf(5), "refunded", "initial")
    for (const told of [[order], [invoice], [order, invoice]]) {
      const refunded = folded("lemon_squeezy", "subscription/8", [...bought, ...told])
      assert.deepInclude(refunded, { refund: "full", refunded_at: day(5) })
      assert.strictEqual(refunded.refunded?.value, 1000)
    }
    // Once a later period is paid, what is given back of the first one ends nothing.
    const renewed = lemonInvoice("subscription_payment_success", "21", textOf(30), "paid")
    assert.strictEqual(folded("lemon_squeezy", "subscription/8", [...bought, renewed, order]).refund, "none")
    const trial = lemonSubscription("on_trial", 14, { first_subscription_item: null, trial_ends_at: textOf(14) })
    const tried = folded("lemon_squeezy", "subscription/8", [
      lemon("subscription_created", "subscriptions", "8", textOf(0), trial)
    ])
    assert.deepInclude(tried.slots[0], { variant: "12", price: undefined, quantity: 1 })
    const five = { ...lemonOrder("paid", 0), first_order_item: { variant_id: 12, price_id: 34, quantity: 5 } }
    const ordered = folded("lemon_squeezy", "subscription/8", [
      lemon("subscription_created", "subscriptions", "8", textOf(0), trial),
      lemon("order_created", "orders", "7", textOf(0), five)
    ])
    assert.strictEqual(ordered.slots[0]!.quantity, 5, "the order says how many")
    assert.notProperty(ordered.slots[0], "uncounted")
    assert.notProperty(tried.slots[0], "uncounted")
  })

  it("36. paid once names no price: the payment link, metadata or an invoice do", () => {
    const state = order(session())
    const [held] = planned(state).holds
    assert.strictEqual(held!.code, "unmapped")
    assert.include(held!.message, "invoice_creation")
    assert.strictEqual(issued(state, once).length, 1)
    const byMetadata = { by: "metadata", value: "plan=pro", policy_id: "pol_once" } as const
    assert.strictEqual(issued(state, { prices: [byMetadata] }).length, 1)
    const invoiced = order(
      session({ invoice: "in_9" }),
      stripe("invoice.paid", secondsOf(0), stripeInvoice("in_9", 0, 0, { parent: null }))
    )
    assert.strictEqual(
      issued(invoiced, { prices: [{ by: "price", value: "price_a", policy_id: "pol_once" }] }).length,
      1
    )
  })

  it("37. for a change of card, or declined at the checkout, is no purchase", () => {
    const card = transaction("txn_9", "completed", 0, 99, { origin: "subscription_payment_method_change" })
    const state = folded("paddle", "subscription/sub_1", [
      paddle("subscription.created", textOf(0), paddleSubscription("active", 0, 30)),
      paddle("transaction.completed", textOf(5), card)
    ])
    assert.isUndefined(state.paid_through)
    const web = { origin: "web", subscription_id: null }
    const declined = transaction("txn_0", "ready", 0, 30, web)
    assert.deepStrictEqual(read("paddle", paddle("transaction.payment_failed", textOf(0), declined))[0]!.facts, [])
  })
})

describe("a version of the API", () => {
  it("16. before 2025-03-31.basil names the subscription of an invoice elsewhere, and others have none", () => {
    const paid = (changes: Record<string, unknown>) =>
      subscription(
        stripe("customer.subscription.created", secondsOf(0), stripeSubscription()),
        stripe("invoice.paid", secondsOf(0), stripeInvoice("in_0", 0, 30, changes))
      ).paid_through
    assert.strictEqual(paid({}), day(30))
    assert.strictEqual(paid({ parent: undefined, subscription: "sub_1" }), day(30))
    assert.isUndefined(paid({ parent: null }))
    assert.isUndefined(paid({ parent: { type: "quote_details", quote_details: { quote: "qt_1" } } }))
  })

  it("18. that nobody knows is read, and warned of; one of before has its period on the subscription", () => {
    const event = changed(0, {})
    const [unknown] = read("stripe", { ...event, api_version: "2031-01-01.zinnia" })
    assert.lengthOf(unknown!.warnings!, 1)
    assert.strictEqual(fold("stripe", "subscription/sub_1", [unknown!]).state, "active")
    const { current_period_end: _end, current_period_start: _start, ...item } = stripeItemOf("price_a")
    const before = stripeSubscription(
      { current_period_start: secondsOf(0), current_period_end: secondsOf(30) },
      [item]
    )
    const state = subscription({
      ...stripe("customer.subscription.created", secondsOf(0), before),
      api_version: "2024-06-20"
    })
    assert.strictEqual(state.slots[0]!.period_end, day(30))
  })
})

describe("money back by a document", () => {
  const left = (provider: "chargebee" | "fastspring", title: RegExp) => {
    const life = [...chargebeeRefunds(), ...fastSpringRefunds()].find((one) =>
      one.provider === provider && title.test(one.title)
    )
    return folded(provider, life!.purchase, life!.bodies)
  }

  it("46. is one refund, although its transaction and its credit note tell it", () => {
    const { refund, refunded } = left("chargebee", /counted once/)
    assert.deepStrictEqual([refund, refunded?.value], ["full", 1000])
    const twice = left("chargebee", /two refunds of a part/)
    assert.deepStrictEqual([twice.refund, twice.refunded?.value], ["full", 1000])
  })

  it("47. is none where the credit is kept for the next invoice, or corrects what was not paid", () => {
    const { notes, refund, refunded } = left("chargebee", /downgrade/)
    assert.strictEqual(refund, "none")
    assert.isUndefined(refunded)
    assert.include(notes.map(({ note }) => note), "credit_without_refund")
  })

  it("48. is all of it where credits paid the rest, or tax was withheld", () => {
    assert.strictEqual(left("chargebee", /credits paid in part/).refund, "full")
    assert.strictEqual(left("chargebee", /tax that was withheld/).refund, "full")
  })

  it("49. is of an earlier period, although that payment is told again after the later one", () => {
    assert.strictEqual(left("fastspring", /told again/).refund, "none")
  })
})

it("every trap that the decision names has a test of its number", () => {
  const root = `${import.meta.dirname}/../../../..`
  const numbersIn = (path: string, pattern: RegExp) =>
    [...readFileSync(`${root}/${path}`, "utf8").matchAll(pattern)].map(([, number]) => Number(number))
  const tests = [
    "test/domain/sales/purchases/Traps.test.ts",
    "test/domain/sales/purchases/Paid.test.ts",
    "test/world/http/PurchaseTraps.test.ts"
  ]
  const tested = new Set(tests.flatMap((path) => numbersIn(path, /\bit\("(\d+)\. /g)))
  const told = numbersIn("docs/decisions/0021-purchases.md", /^\| (\d+) +\|/gm)
  assert.deepStrictEqual([...tested].toSorted((a, b) => a - b), told)
})
