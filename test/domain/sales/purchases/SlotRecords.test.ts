import { assert, describe, it } from "@effect/vitest"
import type { Mapping } from "../../../../src/domain/sales/purchases/Mapping.ts"
import type { PurchaseState, Slot } from "../../../../src/domain/sales/purchases/PurchaseState.ts"
import {
  hasUnpaidChange,
  orderRecord,
  paidSlot,
  subscriptionRecord
} from "../../../../src/domain/sales/purchases/SlotRecords.ts"

const day = (number: number) => `2027-01-${String(number).padStart(2, "0")}T10:00:00.000000000Z`
const shown = (number: number) => day(number).replace("000000Z", "Z")

const slot: Slot = {
  slot: 0,
  position: 0,
  price: "price_1",
  quantity: 5,
  since: day(1),
  sold_since: day(1),
  period_start: day(11),
  period_end: day(21)
}

const subscription: PurchaseState = {
  provider: "stripe",
  purchase: "subscription/sub_1",
  kind: "subscription",
  state: "active",
  slots: [slot],
  payer: {},
  origin: {},
  refund: "none",
  dispute: "none",
  source_updated_at: day(15),
  ambiguous: false,
  notes: []
}

const order: PurchaseState = { ...subscription, purchase: "order/cs_1", kind: "order", state: "paid" }

const plain: Mapping = { prices: [] }

describe("the record of a subscription", () => {
  const record = (changes: Partial<PurchaseState>, mapping = plain, ofSlot: Partial<Slot> = {}) => {
    const found = subscriptionRecord({ ...subscription, ...changes }, { ...slot, ...ofSlot }, mapping)
    return typeof found === "string" ? found : [found.status, found.current_period_end, found.ended_at]
  }

  it("has the status that is to hold for licenses, and the end that is paid for", () => {
    const rows: ReadonlyArray<readonly [Partial<PurchaseState>, ReturnType<typeof record>, Partial<Mapping>?]> = [
      [{}, ["active", shown(21), null]],
      [{ state: "future" }, "awaits_payment"],
      [{ state: "incomplete" }, "awaits_payment"],
      [{ state: "incomplete_expired" }, "nothing"],
      [{ state: undefined }, "unknown_state"],
      [{ state: "trialing", trial_end: day(21) }, ["trialing", shown(21), null]],
      [{ state: "past_due", unpaid_since: day(11) }, ["past_due", shown(11), null]],
      [{ state: "past_due" }, ["past_due", shown(21), null]],
      [{ state: "unpaid", unpaid_since: day(11) }, ["unpaid", shown(11), null]],
      [{ state: "paused" }, ["paused", shown(21), null]],
      [{ cancel_at: day(18) }, ["active", shown(18), null]],
      [{ cancel_at: day(21) }, ["active", shown(21), null]],
      [{ state: "canceled", ended_at: day(15) }, ["canceled", shown(21), shown(15)]],
      [{ state: "canceled", ended_at: day(25), unpaid_since: day(21) }, ["canceled", shown(21), shown(25)]],
      [{ refund: "full", refunded_at: day(14) }, ["canceled", shown(21), shown(14)]],
      [{ refund: "partial", refunded_at: day(14) }, ["active", shown(21), null]],
      [{ refund: "partial", refunded_at: day(14) }, ["canceled", shown(21), shown(14)], { partial_refund: "end" }],
      [{ dispute: "open" }, ["disputed", shown(21), null]],
      [{ dispute: "open" }, ["active", shown(21), null], { open_dispute: "keep" }],
      [{ dispute: "open", state: "canceled", ended_at: day(15) }, ["canceled", shown(21), shown(15)]],
      [{ dispute: "lost", disputed_at: day(13) }, ["canceled", shown(21), shown(13)]],
      [{ refund: "none" }, ["active", shown(21), null], { partial_refund: "end" }],
      [{ state: "unpaid", unpaid_since: day(11), dispute: "open" }, ["disputed", shown(11), null]],
      [{ state: "canceled", dispute: "open" }, ["canceled", shown(21), null]],
      [{ state: "canceled", unpaid_since: day(18) }, ["canceled", shown(18), null]],
      [{ state: "canceled", ended_at: day(15), unpaid_since: day(11) }, ["canceled", shown(11), shown(15)]],
      // Nobody said since when: it is known to be so by its last event.
      [{ refund: "full" }, ["canceled", shown(21), shown(15)]],
      [{ dispute: "lost" }, ["canceled", shown(21), shown(15)]],
      // It had ended, and was taken up again.
      [{ ended_at: day(14) }, ["active", shown(21), null]],
      [{}, ["active", shown(21), null], { paused_collection: "suspend" }],
      [{ collection_paused: {} }, ["active", shown(21), null]],
      [{ collection_paused: {} }, ["paused", shown(21), null], { paused_collection: "suspend" }]
    ]
    for (const [changes, expected, mapping] of rows) {
      assert.deepStrictEqual(record(changes, { ...plain, ...mapping }), expected, JSON.stringify(changes))
    }
  })

  it("goes on through the period that is paid, although something beside it is due", () => {
    const debt = { unpaid_since: day(21) }
    for (const state of ["past_due", "unpaid"] as const) {
      assert.deepStrictEqual(record({ state, ...debt }), ["active", shown(21), null], state)
      assert.deepStrictEqual(record({ state, ...debt, cancel_at: day(18) }), ["active", shown(18), null], state)
      assert.deepStrictEqual(record({ state, ...debt, dispute: "open" }), ["disputed", shown(21), null], state)
      assert.deepStrictEqual(record({ state, unpaid_since: day(15) }), [state, shown(15), null], state)
    }
  })

  it("has the money of its slot, where that has its own, and that of the purchase elsewhere", () => {
    const of = (money: Slot["money"], changes: Partial<PurchaseState> = {}) => record(changes, plain, { money })
    const goesOn = ["active", shown(21), null]
    assert.deepStrictEqual(of({ refund: "full", refunded_at: day(13) }), ["canceled", shown(21), shown(13)])
    assert.deepStrictEqual(of({ refund: "none" }, { refund: "full", refunded_at: day(14) }), goesOn)
    assert.deepStrictEqual(of({ refund: "none", lost_at: day(12) }), ["canceled", shown(21), shown(12)])
    assert.deepStrictEqual(of({ refund: "none" }, { dispute: "lost", disputed_at: day(13) }), goesOn)
    assert.deepStrictEqual(of({ unpaid_since: day(12) }, { dispute: "lost", disputed_at: day(13) }), [
      "canceled",
      shown(21),
      shown(13)
    ])
    const due = { state: "past_due", unpaid_since: day(11) } as const
    assert.deepStrictEqual(of({ unpaid_since: day(12) }, due), ["past_due", shown(12), null])
    assert.deepStrictEqual(of({}, due), ["past_due", shown(21), null])
  })

  it("ends for a slot that was dropped, and for it alone", () => {
    assert.deepStrictEqual(record({}, plain, { dropped_at: day(16) }), ["canceled", shown(21), shown(16)])
  })

  it("waits where no period is known, unless it is over", () => {
    const without = { period_start: undefined, period_end: undefined }
    assert.strictEqual(record({}, plain, without), "awaits_period")
    assert.deepStrictEqual(record({ paid_through: day(20) }, plain, without), ["active", shown(20), null])
    const over = { state: "canceled", ended_at: day(15) } as const
    assert.deepStrictEqual(record(over, plain, without), ["canceled", shown(15), shown(15)])
    // A slot that was dropped before then has ended with that.
    assert.deepStrictEqual(record(over, plain, { ...without, dropped_at: day(12) }), [
      "canceled",
      shown(12),
      shown(12)
    ])
  })

  it("has the period of a trial where it has none of its own, and none where it was tried before", () => {
    const without = { period_start: undefined, period_end: undefined }
    const tried = { trial_end: day(8), paid_through: day(20) }
    assert.deepStrictEqual(record({ state: "trialing", ...tried }, plain, without), ["trialing", shown(8), null])
    assert.deepStrictEqual(record(tried, plain, without), ["active", shown(20), null])
    assert.strictEqual(record({ trial_end: day(8) }, plain, without), "awaits_period")
  })

  it("begins with its slot where no period is known", () => {
    const found = subscriptionRecord(
      { ...subscription, paid_through: day(20) },
      { ...slot, period_start: undefined },
      plain
    )
    assert.include(found, { current_period_start: shown(1), current_period_end: shown(21) })
  })

  it("never has a period that ends before it starts", () => {
    const found = subscriptionRecord({ ...subscription, state: "past_due", unpaid_since: day(9) }, slot, plain)
    assert.include(found, { current_period_start: shown(9), current_period_end: shown(9) })
  })

  it("says its quantity and its source's time", () => {
    assert.deepStrictEqual(
      subscriptionRecord({ ...subscription, cancel_at: day(21), canceled_at: day(12) }, slot, plain),
      {
        status: "active",
        current_period_start: shown(11),
        current_period_end: shown(21),
        cancel_at_period_end: true,
        quantity: 5,
        canceled_at: null,
        ended_at: null,
        source_updated_at: shown(15)
      }
    )
    const over = { ...subscription, state: "canceled", cancel_at: day(21), canceled_at: day(12) } as const
    assert.include(subscriptionRecord(over, slot, plain), {
      status: "canceled",
      cancel_at_period_end: false,
      canceled_at: shown(12)
    })
    assert.include(subscriptionRecord(subscription, slot, plain), { cancel_at_period_end: false })
  })

  it("is of one at least, as the contract asks", () => {
    const of = (quantity: number) => subscriptionRecord(subscription, { ...slot, quantity }, plain)
    assert.include(of(1), { quantity: 1 })
    assert.include(of(0), { quantity: 1 })
  })
})

describe("a slot as what was paid for", () => {
  const named = { price: "price_1", variant: "12", product: "prod_1", quantity: 5 }
  const paidAs = (paid_as: NonNullable<Slot["money"]>["paid_as"]): Slot => ({ ...slot, ...named, money: { paid_as } })

  it("is what it was before a change that is billed and not paid", () => {
    assert.strictEqual(paidSlot(slot), slot)
    assert.isUndefined(paidSlot(paidAs(null)))
    const fewer = paidAs({ ...named, quantity: 3 })
    assert.deepStrictEqual(paidSlot(fewer), { ...fewer, quantity: 3 })
    // What is not told of another price, such as its product, is not that of this one.
    for (const other of [{ price: "price_0" }, { variant: "11" }, { product: "prod_0" }]) {
      const { price: _price, product: _product, variant: _variant, ...rest } = paidAs({ ...other, quantity: 3 })
      assert.deepStrictEqual(paidSlot({ ...paidAs({ ...other, quantity: 3 }) }), { ...rest, ...other, quantity: 3 })
      const same = paidAs({ ...named, ...other })
      assert.deepStrictEqual(paidSlot(same), { ...same, ...other })
    }
  })

  it("waits while it is another, unless it was dropped", () => {
    assert.isFalse(hasUnpaidChange(paidAs(undefined)))
    assert.isFalse(hasUnpaidChange(paidAs(named)))
    const others = [{ price: "price_0" }, { variant: "11" }, { product: "prod_0" }, { quantity: 3 }]
    for (const paid of [null, ...others.map((other) => Object.assign({}, named, other))]) {
      assert.isTrue(hasUnpaidChange(paidAs(paid)), JSON.stringify(paid))
      assert.isFalse(hasUnpaidChange({ ...paidAs(paid), dropped_at: day(9) }), JSON.stringify(paid))
    }
  })
})

describe("the record of an order", () => {
  const record = (changes: Partial<PurchaseState>, mapping: Partial<Mapping> = {}) => {
    const found = orderRecord({ ...order, ...changes }, slot, { ...plain, ...mapping })
    return typeof found === "string" ? found : [found.values.status, found.values.ended_at, found.stopped]
  }

  it("has the status, and stops its licenses for money that was given back or is disputed", () => {
    const back = { refunded_at: day(14) }
    assert.deepStrictEqual(record({}), ["paid", null, undefined])
    assert.strictEqual(record({ state: "pending" }), "awaits_payment")
    assert.strictEqual(record({ state: "failed" }), "nothing")
    assert.strictEqual(record({ state: undefined }), "unknown_state")
    assert.deepStrictEqual(record({ refund: "full", ...back }), ["refunded", shown(14), "refunded"])
    assert.deepStrictEqual(record({ refund: "partial", ...back }), ["partially_refunded", null, undefined])
    assert.deepStrictEqual(record({ refund: "partial", ...back }, { partial_refund: "end" }), [
      "partially_refunded",
      shown(14),
      "refunded"
    ])
    assert.deepStrictEqual(record({ dispute: "open" }), ["disputed", null, "disputed"])
    assert.deepStrictEqual(record({ dispute: "open" }, { open_dispute: "keep" }), ["paid", null, undefined])
    assert.deepStrictEqual(record({ dispute: "lost", disputed_at: day(13) }), ["canceled", shown(13), "disputed"])
  })

  it("is of as many as were bought, and of one at least", () => {
    const quantityOf = (quantity: number) => {
      const found = orderRecord(order, { ...slot, quantity }, plain)
      return typeof found === "string" ? found : found.values.quantity
    }
    assert.deepStrictEqual([5, 1, 0].map(quantityOf), [5, 1, 1])
  })
})
