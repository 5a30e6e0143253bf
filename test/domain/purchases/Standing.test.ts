import { assert, describe, it } from "@effect/vitest"
import type { Mapping } from "../../../src/domain/purchases/Mapping.ts"
import type { PurchaseState, Slot } from "../../../src/domain/purchases/PurchaseState.ts"
import { orderRecord, subscriptionRecord } from "../../../src/domain/purchases/Standing.ts"

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
      [{ collection_paused: {} }, ["active", shown(21), null]],
      [{ collection_paused: {} }, ["paused", shown(21), null], { paused_collection: "suspend" }]
    ]
    for (const [changes, expected, mapping] of rows) {
      assert.deepStrictEqual(record(changes, { ...plain, ...mapping }), expected, JSON.stringify(changes))
    }
  })

  it("ends for a slot that was dropped, and for it alone", () => {
    assert.deepStrictEqual(record({}, plain, { dropped_at: day(16) }), ["canceled", shown(21), shown(16)])
  })

  it("waits where no period is known, unless it is over", () => {
    const without = { period_start: undefined, period_end: undefined }
    assert.strictEqual(record({}, plain, without), "awaits_period")
    assert.deepStrictEqual(record({ paid_through: day(20) }, plain, without), ["active", shown(20), null])
    assert.deepStrictEqual(record({ state: "canceled", ended_at: day(15) }, plain, without), [
      "canceled",
      shown(15),
      shown(15)
    ])
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
})
