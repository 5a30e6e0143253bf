import { assert, describe, it } from "@effect/vitest"
import { wireTime } from "../../../../src/domain/sales/providers/SourceTime.ts"
import type { Holding, Planned } from "../../../../src/domain/sales/purchases/Command.ts"
import { fold } from "../../../../src/domain/sales/purchases/Fold.ts"
import type { Mapping } from "../../../../src/domain/sales/purchases/Mapping.ts"
import { planOf } from "../../../../src/domain/sales/purchases/Plan.ts"
import { day, secondsOf } from "../../../fixtures/PurchaseLife.ts"
import { bee, beeInvoice, beeSubscription } from "../../../fixtures/PurchaseLivesElsewhere.ts"
import { lemon, lemonSubscription, spring, springSubscription } from "../../../fixtures/PurchaseLivesElsewhere.ts"
import { paddle, paddleSubscription, textOf, transaction } from "../../../fixtures/PurchaseLivesElsewhere.ts"
import { sellers } from "../../../fixtures/purchases/PaidLives.ts"
import type { Seller } from "../../../fixtures/purchases/PaidLives.ts"
import { orders, read } from "../../../fixtures/ReadInOrders.ts"
import {
  stripe,
  stripeBought,
  stripeCharge,
  stripeDispute,
  stripeInvoice,
  stripeInvoicePayment,
  stripeItem,
  stripeRefund,
  stripeSubscription
} from "../../../fixtures/StripeObjects.ts"
import { bodyOf, paidOnce } from "../../../fixtures/StripeShop.ts"

const policies: Planned["policies"] = ["pol_a", "pol_b"].map((id) => ({
  id,
  product_id: "prod_1",
  license_type: "subscription"
}))

type Sold = Pick<Seller, "provider" | "purchase">

/** The state by some bodies, which is the same in whatever order they arrive. */
const folded = ({ provider, purchase }: Sold, bodies: ReadonlyArray<object>) => {
  const events = bodies.flatMap((body) => read(provider, provider === "fastspring" ? { events: [body] } : body))
  const state = fold(provider, purchase, events)
  for (const arrived of orders(events)) assert.deepStrictEqual(fold(provider, purchase, arrived), state)
  return state
}

const held = (slot = 0): Holding => ({
  reference: { item: `${slot}.prod_1`, index: 0 },
  license: { id: `lic_${slot}`, policy_id: "pol_a", product_id: "prod_1", status: "active" },
  is_own: true
})

/** What the record of a license says, how many seats it has, and what waits. */
const standing = (sold: Sold, bodies: ReadonlyArray<object>, mapping: Mapping, holdings = [held()]) => {
  const { commands, holds } = planOf(folded(sold, bodies), mapping, { policies, holdings, adoptable: [] })
  return {
    records: commands.flatMap((command) =>
      command.type === "subscription"
        ? [[command.values.status, command.values.current_period_end, command.values.quantity]]
        : []
    ),
    policies: commands.flatMap((command) => command.type === "policy" ? [command.policy_id] : []),
    holds: holds.map(({ code }) => code)
  }
}

const at = (number: number): string => wireTime(day(number))

const stripeSold: Sold = { provider: "stripe", purchase: "subscription/sub_1" }
const paddleSold: Sold = { provider: "paddle", purchase: "subscription/sub_1" }
const ofStripe = (...bodies: ReadonlyArray<object>) => folded(stripeSold, bodies)

for (const seller of sellers) {
  describe(`what is paid for at ${seller.provider}`, () => {
    const { by, change, is, priceOf, renewal } = seller
    const mapping: Mapping = {
      prices: [
        { by, value: priceOf("basic"), policy_id: "pol_a", quantity: "seats" },
        { by, value: priceOf("team"), policy_id: "pol_b", quantity: "seats" }
      ]
    }
    const found = (...bodies: ReadonlyArray<object>) => {
      const { holds, policies, records } = standing(seller, bodies, mapping)
      const [[status, end, quantity] = []] = records
      return [status, end?.toString().slice(0, 10), quantity, ...policies, ...holds]
    }
    const bought = [renewal(0, 0, "paid", 5), is(0, "active", "basic", 5)]
    const ends = (number: number): string => at(number).slice(0, 10)

    const unpaid = [is(12, "past_due", "basic", 8), change(12, "failed", 8)]

    it("50. goes on beside a debt for more seats, which are not given, and the purchase says so", () => {
      assert.deepStrictEqual(found(...bought, ...unpaid), ["active", ends(30), 5, "unpaid_change"])
    })

    it("51. goes on beside a debt for another plan, which is not given", () => {
      const other = [is(12, "past_due", "team", 5), change(12, "failed", 5)]
      assert.deepStrictEqual(found(...bought, ...other), ["active", ends(30), 5, "unpaid_change"])
    })

    it("is what was bought once the debt is paid", () => {
      const paid = [change(13, "paid", 8), is(13, "active", "basic", 8)]
      assert.deepStrictEqual(found(...bought, ...unpaid, ...paid), ["active", ends(30), 8])
    })

    it("has its grace from its end on, however old the debt is", () => {
      const renewed = [is(30, "past_due", "basic", 8, [30, 60]), renewal(30, 1, "failed", 8)]
      assert.deepStrictEqual(found(...bought, ...unpaid, ...renewed).slice(0, 3), ["past_due", ends(30), 5])
    })

    it("is what a period was paid for since, although that debt was never paid and a later period is not", () => {
      const renewed = [is(30, "active", "basic", 8, [30, 60]), renewal(30, 1, "paid", 8)]
      const later = [is(60, "past_due", "basic", 8, [60, 90]), renewal(60, 2, "failed", 8)]
      assert.deepStrictEqual(found(...bought, ...unpaid, ...renewed, ...later), ["past_due", ends(60), 8])
    })

    // The others tell of no period in their bills.
    if (seller.provider === "stripe" || seller.provider === "paddle" || seller.provider === "chargebee") {
      it("is the next period once that is paid, although what announced it was lost", () => {
        assert.deepStrictEqual(found(...bought, renewal(30, 1, "paid", 5)), ["active", ends(60), 5])
        assert.deepStrictEqual(found(...bought, renewal(30, 1, "failed", 5)).slice(1, 2), [ends(30)])
      })
    }

    it("has its grace from the end of what is paid, whatever the provider says of the next attempt", () => {
      const failed = [is(30, "past_due", "basic", 5, [30, 60]), renewal(30, 1, "failed", 5)]
      assert.deepStrictEqual(found(...bought, ...failed), ["past_due", ends(30), 5])
      assert.deepStrictEqual(found(...bought, ...failed, is(35, "past_due", "basic", 5, [30, 60])), [
        "past_due",
        ends(30),
        5
      ])
    })

    it("has a grace for each renewal, although an older bill was left open", () => {
      const left = [is(30, "past_due", "basic", 5, [30, 60]), renewal(30, 1, "failed", 5)]
      const paid = [renewal(60, 2, "paid", 5), is(60, "active", "basic", 5, [60, 90])]
      assert.deepStrictEqual(found(...bought, ...left, ...paid), ["active", ends(90), 5])
      const failed = [is(90, "past_due", "basic", 5, [90, 120]), renewal(90, 3, "failed", 5)]
      assert.deepStrictEqual(found(...bought, ...left, ...paid, ...failed), ["past_due", ends(90), 5])
    })

    it("is known where the first that comes says that it is not paid", () => {
      // Chargebee says of a payment alone that it failed.
      const bill = seller.provider === "chargebee" ? [renewal(31, 1, "failed", 5)] : []
      const { records } = standing(seller, [is(31, "past_due", "basic", 5, [30, 60]), ...bill], mapping)
      assert.strictEqual(records[0]?.[0], "past_due")
      assert.isAtMost(Date.parse(String(records[0]?.[1])), Date.parse(at(32)))
    })
  })
}

describe("the bill that a purchase rests on", () => {
  const monthly = [
    stripe("customer.subscription.updated", secondsOf(10), stripeSubscription({}, [stripeItem("price_m", 10, 40)])),
    stripe("invoice_payment.paid", secondsOf(10), stripeInvoicePayment("in_1", "pi_2")),
    stripe(
      "invoice.paid",
      secondsOf(10),
      stripeInvoice("in_1", 10, 40, {
        billing_reason: "subscription_update",
        lines: {
          data: [
            { amount: -900, period: { start: secondsOf(10), end: secondsOf(365) }, proration: true },
            {
              period: { start: secondsOf(10), end: secondsOf(40) },
              quantity: 1,
              pricing: { price_details: { price: "price_m" } },
              parent: { subscription_item_details: { subscription_item: "si_1", proration: false } }
            }
          ]
        }
      })
    )
  ]
  const yearly = [
    stripe("customer.subscription.created", secondsOf(0), stripeSubscription({}, [stripeItem("price_a", 0, 365)])),
    stripe("invoice_payment.paid", secondsOf(0), stripeInvoicePayment("in_0", "pi_1")),
    stripe("invoice.paid", secondsOf(0), stripeInvoice("in_0", 0, 365))
  ]
  const refunded = (payment: string, charge: string) =>
    stripe("charge.refunded", secondsOf(12), stripeCharge(1000, { payment_intent: payment, id: charge }))

  it("53. is that of the period which it has by now, whatever an earlier one had reached", () => {
    const state = ofStripe(...yearly, ...monthly)
    assert.strictEqual(state.paid_through, day(40))
    assert.strictEqual(ofStripe(...yearly, ...monthly, refunded("pi_1", "ch_1")).refund, "none")
    assert.strictEqual(ofStripe(...yearly, ...monthly, refunded("pi_2", "ch_2")).refund, "full")
    assert.strictEqual(ofStripe(...yearly, refunded("pi_1", "ch_1")).refund, "full")
  })

  it("is that of a change which begins a period, at Paddle, and none of one that does not", () => {
    const items = (price: string) => [{
      quantity: 1,
      price: { id: price, product_id: "pro_x", billing_cycle: { interval: "month", frequency: 1 } }
    }]
    const changed = [
      paddle("subscription.created", textOf(0), paddleSubscription("active", 0, 365, { items: items("pri_y") })),
      paddle("transaction.completed", textOf(0), transaction("txn_0", "completed", 0, 365, { items: items("pri_y") })),
      paddle("subscription.updated", textOf(10), paddleSubscription("active", 10, 40, { items: items("pri_m") })),
      paddle(
        "transaction.completed",
        textOf(10, 1),
        transaction("txn_1", "completed", 10, 40, { origin: "subscription_update", items: items("pri_m") })
      )
    ]
    const refund = (id: string) =>
      paddle("adjustment.created", textOf(12), {
        id: `adj_${id}`,
        action: "refund",
        status: "approved",
        type: "full",
        transaction_id: id,
        subscription_id: "sub_1",
        totals: { total: "1000" }
      })
    assert.strictEqual(folded(paddleSold, changed).paid_through, day(40))
    assert.strictEqual(folded(paddleSold, [...changed, refund("txn_0")]).refund, "none")
    assert.strictEqual(folded(paddleSold, [...changed, refund("txn_1")]).refund, "full")
  })

  it("is each item's own, where they are paid for different periods", () => {
    const items = (to: number) => [stripeItem("price_a", 0, 365), stripeItem("price_m", to - 30, to, 1, "si_2")]
    const line = (price: string, item: string, from: number, to: number) => ({
      period: { start: secondsOf(from), end: secondsOf(to) },
      quantity: 1,
      pricing: { price_details: { price } },
      parent: { subscription_item_details: { subscription_item: item, proration: false } }
    })
    const both = [line("price_a", "si_1", 0, 365), line("price_m", "si_2", 0, 30)]
    const bodies = [
      stripe("customer.subscription.created", secondsOf(0), stripeSubscription({}, items(30))),
      stripe("invoice.paid", secondsOf(0), stripeInvoice("in_0", 0, 0, { lines: { data: both } })),
      stripe("customer.subscription.updated", secondsOf(30), stripeSubscription({ status: "past_due" }, items(60))),
      stripe(
        "invoice.payment_failed",
        secondsOf(30),
        stripeInvoice("in_1", 0, 0, { lines: { data: [line("price_m", "si_2", 30, 60)] } })
      )
    ]
    const mapping: Mapping = {
      prices: [
        { by: "price", value: "price_a", policy_id: "pol_a" },
        { by: "price", value: "price_m", policy_id: "pol_b" }
      ]
    }
    assert.deepStrictEqual(standing(stripeSold, bodies, mapping, [held(), held(1)]).records, [
      ["active", at(365), 1],
      ["past_due", at(30), 1]
    ])
  })
})

describe("the paid invoice of a quote", () => {
  const invoice = (parent: object | null, more: object = {}) =>
    stripe(
      "invoice.paid",
      secondsOf(0),
      stripeInvoice("in_q", 0, 0, {
        parent,
        billing_reason: "manual",
        amount_paid: 1000,
        customer_email: "ada@example.com",
        lines: { data: [{ amount: 1000, quantity: 3, pricing: { price_details: { price: "price_a" } } }] },
        ...more
      })
    )
  const quoted = invoice({ type: "quote_details", quote_details: { quote: "qt_1" } })
  const sold: Sold = { provider: "stripe", purchase: "order/in_q" }

  it("is a purchase of what it names, which its money back ends", () => {
    const state = folded(sold, [quoted])
    assert.deepInclude(state, { kind: "order", state: "paid", refund: "none" })
    assert.deepInclude(state.slots[0], { price: "price_a", quantity: 3 })
    assert.deepInclude(state.payer, { email: "ada@example.com" })
    const back = [
      stripe("invoice_payment.paid", secondsOf(0), stripeInvoicePayment("in_q", "pi_1")),
      stripe("charge.refunded", secondsOf(5), stripeCharge(1000))
    ]
    assert.strictEqual(folded(sold, [quoted, ...back]).refund, "full")
    assert.strictEqual(folded(sold, [invoice(null, { quote: "qt_1" })]).kind, "order")
  })

  it("is none where a subscription has it, and neither is an invoice that somebody wrote", () => {
    const purchases = (body: object) => read("stripe", body).flatMap((event) => event.facts).map(({ about }) => about)
    assert.notInclude(purchases(invoice(null)), "order/in_q")
    const both = { quote_details: { quote: "qt_1" }, subscription_details: { subscription: "sub_1" } }
    assert.notInclude(purchases(invoice(both)), "order/in_q")
  })
})

describe("money back and disputes", () => {
  /** An invoice that is paid by two payments of half of it each. */
  const twice = [
    ...stripeBought(),
    stripe("invoice_payment.paid", secondsOf(0), stripeInvoicePayment("in_0", "pi_2"))
  ]
  const half = (nth: number, at = 5) =>
    stripe(
      "charge.refunded",
      secondsOf(at),
      stripeCharge(500, { id: `ch_${nth}`, payment_intent: `pi_${nth}`, amount: 500, refunded: true })
    )
  const lost = (amount: number) => [
    stripe("charge.dispute.created", secondsOf(4), { ...stripeDispute("needs_response"), amount }),
    stripe("charge.dispute.closed", secondsOf(9), { ...stripeDispute("lost"), amount })
  ]

  it("54. are judged by the sum for a bill: one of two payments given back is a part, both are all of it", () => {
    const part = ofStripe(...twice, half(1))
    assert.deepInclude(part, { refund: "partial", refunded: { value: 500, currency: "eur" } })
    assert.deepInclude(ofStripe(...twice, half(1), half(2, 7)), { refund: "full", refunded_at: day(7) })
    assert.strictEqual(
      ofStripe(...twice, stripe("refund.created", secondsOf(3), stripeRefund("re_1", 100, "succeeded"))).refund,
      "partial"
    )
  })

  it("end an order whose payment nothing tells of but the refund", () => {
    const { id, paid, refunded, refundFailed } = paidOnce("plink_once")
    const ofOrder = (...events: ReadonlyArray<Parameters<ReturnType<typeof bodyOf>>[0]>) =>
      folded({ provider: "stripe", purchase: `order/${id}` }, events.map(bodyOf(true)))
    assert.strictEqual(ofOrder(paid).refund, "none")
    assert.strictEqual(ofOrder(paid, refunded).refund, "full")
    assert.strictEqual(ofOrder(paid, refunded, refundFailed).refund, "none")
  })

  it("weigh as much as they are: a part that was lost in a dispute ends no more than a part that was given back", () => {
    assert.deepInclude(ofStripe(...stripeBought(), ...lost(100)), { dispute: "none", refund: "partial" })
    assert.deepInclude(ofStripe(...stripeBought(), lost(100)[0]!), { dispute: "open", refund: "none" })
    assert.deepInclude(ofStripe(...stripeBought(), ...lost(1000)), { dispute: "lost", disputed_at: day(9) })
    assert.strictEqual(ofStripe(...twice, half(1), ...lost(500)).refund, "full")
  })
})

describe("a debt", () => {
  const failed = (from: number, to: number, id: string, lines: ReadonlyArray<object>) =>
    stripe("invoice.payment_failed", secondsOf(to), stripeInvoice(id, from, to, { lines: { data: lines } }))
  const plan = (from: number, to: number) => ({
    period: { start: secondsOf(from), end: secondsOf(to) },
    quantity: 1,
    pricing: { price_details: { price: "price_a" } },
    parent: { subscription_item_details: { subscription_item: "si_1", proration: false } }
  })
  const due = stripe(
    "customer.subscription.updated",
    secondsOf(30),
    stripeSubscription({ status: "past_due" }, [stripeItem("price_a", 30, 60)])
  )

  it("55. begins where the period does that is not paid, although usage of the one before is billed with it", () => {
    const usage = { ...plan(0, 30), pricing: { price_details: { price: "price_calls" } } }
    const state = ofStripe(...stripeBought(), due, failed(30, 30, "in_1", [usage, plan(30, 60)]))
    assert.strictEqual(state.unpaid_since, day(30))
  })

  it("is closed once the vendor voids it, or writes it off", () => {
    for (const [type, provider] of [["invoice.voided", "void"], ["invoice.marked_uncollectible", "uncollectible"]]) {
      const closed = stripe(type!, secondsOf(14), stripeInvoice("in_9", 0, 30, { status: provider }))
      const change = failed(12, 12, "in_9", [{ ...plan(12, 30), proration: true, quantity: 8 }])
      const eight = stripe(
        "customer.subscription.updated",
        secondsOf(12),
        stripeSubscription({ status: "past_due" }, [stripeItem("price_a", 0, 30, 8)])
      )
      const mapping: Mapping = { prices: [{ by: "price", value: "price_a", policy_id: "pol_a", quantity: "seats" }] }
      const bodies = [...stripeBought(), eight, change]
      assert.deepStrictEqual(standing(stripeSold, bodies, mapping).holds, ["unpaid_change"])
      assert.deepStrictEqual(standing(stripeSold, [...bodies, closed], mapping).holds, [])
    }
  })

  it("of Chargebee is one of the bill, whatever the subscription says", () => {
    const voided = bee("invoice_updated", 14, beeInvoice("I9", "voided", 12, 30))
    assert.deepInclude(read("chargebee", voided)[0]!.facts[0], { kind: "payment", state: "void" })
  })
})

describe("a slot", () => {
  const mapping: Mapping = {
    prices: [
      { by: "price", value: "price_pro", policy_id: "pol_a" },
      { by: "price", value: "price_team", policy_id: "pol_b" }
    ]
  }
  const item = (price: string, id: string) => stripeItem(price, 0, 30, 1, id)
  const sold = (on: number, ...items: ReadonlyArray<object>) =>
    stripe("customer.subscription.updated", secondsOf(on), stripeSubscription({}, items))
  const pro: Holding = {
    ...held(),
    said: { sold: "price_pro", quantity: 1, policy_id: "pol_a", meaning: "none", paid_until: day(30) }
  }
  const commandsFor = (bodies: ReadonlyArray<object>, holdings: ReadonlyArray<Holding>) =>
    planOf(ofStripe(...bodies), mapping, { policies, holdings, adoptable: [] })

  it("52. hands its license on to what came in its place, whatever else came, and in whatever order that is listed", () => {
    const parts = [item("price_support", "si_2"), item("price_team", "si_3")]
    for (const items of [parts, parts.toReversed()]) {
      const { commands } = commandsFor([sold(0, item("price_pro", "si_1")), sold(9, ...items)], [pro])
      assert.deepStrictEqual(commands.map(({ type }) => type).filter((type) => type === "issue" || type === "adopt"), [
        "adopt"
      ])
      const records = commands.flatMap((command) => command.type === "subscription" ? [command.values.status] : [])
      assert.deepStrictEqual(records, ["active", "canceled"])
      assert.includeDeepMembers([...commands], [{ type: "policy", license_id: "lic_0", policy_id: "pol_b" }])
    }
  })

  it("ends its license as a removal does, where what came in its place becomes none", () => {
    const { commands, holds } = commandsFor([
      sold(0, item("price_pro", "si_1")),
      sold(9, item("price_support", "si_2"))
    ], [pro])
    assert.deepStrictEqual(
      commands.flatMap((command) => command.type === "subscription" ? [command.values.ended_at] : []),
      [at(9)]
    )
    assert.deepStrictEqual(holds.map(({ code }) => code), ["unmapped"])
  })

  it("that is sold again after its license was handed on is one more license", () => {
    const bodies = [
      sold(0, item("price_pro", "si_1")),
      sold(9, item("price_support", "si_2"), item("price_team", "si_3")),
      sold(12, item("price_support", "si_2"), item("price_team", "si_3"), item("price_pro", "si_4"))
    ]
    const slots = ofStripe(...bodies).slots
    const team = slots.find(({ price }) => price === "price_team")!.slot
    const said = { ...pro.said!, sold: "price_team", policy_id: "pol_b" }
    const handed = [{ ...pro, is_own: false }, { ...pro, said, reference: { item: `${team}.prod_1`, index: 0 } }]
    const { commands, holds } = commandsFor(bodies, handed)
    assert.lengthOf(commands.filter(({ type }) => type === "issue"), 1)
    assert.notInclude(holds.map(({ code }) => code), "paid_twice")
  })

  it("keeps its license where an older event that comes late gives it another number", () => {
    const [support, team] = [item("price_support", "si_2"), item("price_team", "si_3")]
    const said = { ...pro.said!, sold: "price_team", policy_id: "pol_b" }
    const issued: Holding = { ...pro, said, reference: { item: "1.prod_1", index: 0 } }
    const { commands } = commandsFor([sold(9, support, team)], [issued])
    assert.notIncludeMembers(commands.map(({ type }) => type), ["issue", "adopt"])
    const known = commandsFor([sold(0, item("price_team", "si_1")), sold(9, support, team)], [issued])
    const made = known.commands.filter(({ type }) => type === "issue" || type === "adopt")
    assert.deepStrictEqual(made.map((command) => command.type === "adopt" && command.reference.item), ["0.prod_1"])
  })

  it("that was added in the middle of a period rests on what was paid for that", () => {
    const both = [stripeItem("price_a", 0, 30, 1, "si_1"), stripeItem("price_pro", 0, 30, 1, "si_2")]
    const part = {
      period: { start: secondsOf(14), end: secondsOf(30) },
      quantity: 1,
      pricing: { price_details: { price: "price_pro", product: "prod_pro" } },
      parent: { invoice_item_details: { proration: true } }
    }
    const bodies = [
      ...stripeBought(),
      stripe("charge.refunded", secondsOf(12), stripeCharge(1000, {})),
      stripe("customer.subscription.updated", secondsOf(14), stripeSubscription({}, both)),
      stripe("invoice.paid", secondsOf(14), stripeInvoice("in_9", 14, 30, { status: "paid", lines: { data: [part] } }))
    ]
    const [first, added] = ofStripe(...bodies).slots
    assert.deepInclude(first!.money, { refund: "full" })
    assert.deepInclude(added!.money, { refund: "none", paid_through: day(30) })
  })
})

describe("a fee, which is sold once, on the invoice of a subscription", () => {
  const priced = (price: string) => ({ price_details: { price, product: `prod_${price}` } })
  /** A line as `add_invoice_items` or an invoice item makes it: of a moment, or of the period of the others; in the words of both versions. */
  const fees = [[10, 10], [10, 30]].flatMap(([start, end]) => {
    const fee = {
      period: { start: secondsOf(start!), end: secondsOf(end!) },
      quantity: 1,
      pricing: priced("price_fee")
    }
    return [
      { ...fee, parent: { type: "invoice_item_details", invoice_item_details: { proration: false } } },
      { ...fee, type: "invoiceitem", proration: false }
    ]
  })
  const part = (price: string, quantity: number) => ({
    period: { start: secondsOf(10), end: secondsOf(30) },
    quantity,
    pricing: priced(price),
    parent: { type: "invoice_item_details", invoice_item_details: { proration: true } }
  })
  const billed = (type: string, id: string, ...data: ReadonlyArray<object>) =>
    stripe(
      type,
      secondsOf(10, 1),
      stripeInvoice(id, 10, 30, { billing_reason: "subscription_update", lines: { data } })
    )
  const is = (at: number, status: string, price: string, quantity: number) =>
    stripe(
      "customer.subscription.updated",
      secondsOf(at),
      stripeSubscription({ status }, [stripeItem(price, 0, 30, quantity)])
    )
  const mapping: Mapping = {
    prices: [
      { by: "price", value: "price_a", policy_id: "pol_a", quantity: "seats" },
      { by: "price", value: "price_b", policy_id: "pol_b", quantity: "seats" }
    ]
  }
  const found = (...bodies: ReadonlyArray<object>) => standing(stripeSold, [...stripeBought(), ...bodies], mapping)

  it("does not have added seats given that are not paid", () => {
    for (const fee of fees) {
      const left = found(
        is(10, "past_due", "price_a", 8),
        billed("invoice.payment_failed", "in_1", part("price_a", 8), fee)
      )
      assert.deepStrictEqual(left, { records: [["active", at(30), 1]], policies: [], holds: ["unpaid_change"] })
    }
  })

  it("is no end of what is paid, where it came with another plan and seats are not paid later", () => {
    for (const fee of fees) {
      const left = found(
        is(10, "active", "price_b", 1),
        billed("invoice.paid", "in_1", part("price_b", 1), fee),
        is(20, "past_due", "price_b", 8)
      )
      assert.deepStrictEqual(left, { records: [["active", at(30), 1]], policies: ["pol_b"], holds: ["unpaid_change"] })
    }
  })

  it("that is not paid takes nothing of what is, and no seats that were", () => {
    for (const fee of fees) {
      const left = found(
        is(5, "active", "price_a", 5),
        billed("invoice.paid", "in_1", part("price_a", 5)),
        billed("invoice.payment_failed", "in_2", fee),
        is(10, "past_due", "price_a", 5)
      )
      assert.deepStrictEqual(left, { records: [["active", at(30), 5]], policies: [], holds: [] })
    }
  })

  it("that is given back is not the license", () => {
    for (const fee of fees) {
      const state = ofStripe(
        ...stripeBought(),
        billed("invoice.paid", "in_1", fee),
        stripe("invoice_payment.paid", secondsOf(10), stripeInvoicePayment("in_1", "pi_2")),
        stripe("charge.refunded", secondsOf(12), stripeCharge(1000, { payment_intent: "pi_2", id: "ch_2" }))
      )
      assert.strictEqual(state.refund, "none")
      assert.strictEqual(state.paid_through, day(30))
    }
  })
})

describe("custom data of a buyer", () => {
  const custom = { "pl\u0000an": "pro\u0000", half: "a\ud800" }

  it.each<readonly [Seller["provider"], object]>([
    [
      "stripe",
      stripe("customer.subscription.created", secondsOf(0), stripeSubscription({ metadata: custom }))
    ],
    ["paddle", paddle("subscription.created", textOf(0), paddleSubscription("active", 0, 30, { custom_data: custom }))],
    [
      "lemon_squeezy",
      {
        ...lemon("subscription_created", "subscriptions", "8", textOf(0), lemonSubscription("active", 30)),
        meta: { event_name: "subscription_created", custom_data: custom }
      }
    ],
    ["fastspring", spring("subscription.activated", 0, springSubscription("active", 0, 30, { tags: custom }))],
    [
      "chargebee",
      bee("subscription_created", 0, {
        subscription: { ...beeSubscription("active", 1, 0, 30).subscription, meta_data: custom }
      })
    ]
  ])("of %s is stored without what no database takes", (provider, body) => {
    const { purchase } = sellers.find((seller) => seller.provider === provider)!
    const { origin } = folded({ provider, purchase }, [body])
    assert.deepStrictEqual(origin.metadata, { plan: "pro", half: "a\ufffd" })
  })
})
