import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Fact } from "../../../../src/domain/sales/providers/Fact.ts"
import type { Provider } from "../../../../src/domain/sales/providers/Provider.ts"
import { readEvents, readEventsFor } from "../../../../src/domain/sales/providers/ReadEvents.ts"
import { day, secondsOf } from "../../../fixtures/PurchaseLife.ts"
import { stripe, stripeItem, stripeSubscription } from "../../../fixtures/StripeObjects.ts"

const read = (provider: Provider, body: unknown) => Result.getOrThrow(readEvents(provider, body, "5ha"))

const refused = (provider: Provider, body: unknown): string =>
  Result.match(readEvents(provider, body, "5ha"), { onFailure: ({ code }) => code, onSuccess: () => "read" })

const facts = (type: string, object: object): ReadonlyArray<Fact> =>
  read("stripe", stripe(type, secondsOf(0), object))[0]!.facts

describe("a body of a provider", () => {
  it("is refused with its reason where it is no event that can be used", () => {
    const event = stripe("customer.updated", secondsOf(0), { id: "cus_1" })
    assert.strictEqual(refused("stripe", { ...event, object: "v2.core.event" }), "thin_payload")
    assert.strictEqual(refused("stripe", { ...event, account: "acct_1" }), "connected_account")
    const named = { id: "e1", type: "order.completed", created: 1, live: true, data: { order: "O1" } }
    assert.strictEqual(refused("fastspring", { events: [named] }), "not_expanded")
    for (const provider of ["stripe", "paddle", "lemon_squeezy", "fastspring", "chargebee"] as const) {
      for (const body of [null, 5, "text", [], {}, { events: [] }, { data: null }]) {
        assert.strictEqual(refused(provider, body), "not_an_event", `${provider} ${JSON.stringify(body)}`)
      }
    }
  })

  it("says nothing of a purchase where its type is unknown, and is read all the same", () => {
    assert.deepStrictEqual(facts("galaxy.discovered", { id: "g_1" }), [])
    const at = "2027-01-15T08:00:00.123456789Z"
    const [event] = read("paddle", { event_id: "evt_1", event_type: "x.y", occurred_at: at, data: {} })
    assert.deepStrictEqual(event, { id: "evt_1", type: "x.y", occurred_at: at, live: undefined, facts: [] })
  })

  it("is identified by what its provider gives it, and by its content or change where that tells repeats apart", () => {
    const lemon = {
      meta: { event_name: "x" },
      data: { type: "y", id: "1", attributes: { updated_at: "2027-01-15T08:00:00Z", test_mode: true } }
    }
    assert.deepInclude(read("lemon_squeezy", lemon)[0], { id: "5ha", live: false })
    const resent = (id: string) => ({
      events: [{
        id,
        live: true,
        type: "subscription.updated",
        created: 5,
        data: { id: "S1", state: "active", changed: 7 }
      }]
    })
    assert.strictEqual(read("fastspring", resent("a"))[0]!.id, read("fastspring", resent("b"))[0]!.id)
  })

  it("is of one environment, or of each where the provider does not say it", () => {
    const of = (isLive: boolean, provider: Provider, body: unknown): string =>
      Result.match(readEventsFor(isLive, provider, body, "5ha"), {
        onFailure: ({ code }) => code,
        onSuccess: () => "read"
      })
    const live = stripe("customer.updated", secondsOf(0), { id: "cus_1" })
    assert.deepStrictEqual([of(true, "stripe", live), of(false, "stripe", live)], ["read", "live_event"])
    const tried = { ...live, livemode: false }
    assert.deepStrictEqual([of(true, "stripe", tried), of(false, "stripe", tried)], ["test_event", "read"])
    const paddle = { event_id: "e", event_type: "x.y", occurred_at: "2027-01-15T08:00:00Z", data: {} }
    assert.deepStrictEqual([of(true, "paddle", paddle), of(false, "paddle", paddle)], ["read", "read"])
    assert.deepStrictEqual([of(true, "paddle", {}), of(false, "paddle", {})], ["not_an_event", "not_an_event"])
  })

  it("warns of a release of Stripe that nobody knows, and of no other", () => {
    const of = (api_version: string | null) =>
      read("stripe", stripe("customer.updated", secondsOf(0), { id: "cus_1" }, undefined, { api_version }))[0]!.warnings
    for (const known of ["2024-06-20", "2025-03-31.basil", null]) assert.deepStrictEqual(of(known), [])
    assert.lengthOf(of("2031-01-01.zinnia")!, 1)
  })
})

describe("an event of Stripe", () => {
  it("has the period on the item since 2025-03-31.basil, and on the subscription before", () => {
    const { current_period_end: _end, current_period_start: _start, ...item } = stripeItem("price_a", 0, 30)
    const before = {
      ...stripeSubscription({}, [item]),
      current_period_start: secondsOf(1),
      current_period_end: secondsOf(31)
    }
    const ends = (subscription: object) =>
      facts("customer.subscription.updated", subscription).flatMap((fact) =>
        fact.kind === "subscription" ? fact.items?.map(({ period_end }) => period_end) ?? [] : []
      )
    assert.deepStrictEqual(ends(stripeSubscription()), [day(30)])
    assert.deepStrictEqual(ends(before), [day(31)])
  })

  it("leads from a charge to the subscription before that version, too", () => {
    assert.deepInclude(
      facts("invoice.paid", { id: "in_1", subscription: "sub_1", payment_intent: "pi_1", lines: { data: [] } }),
      {
        kind: "link",
        about: "payment/pi_1",
        to: "invoice/in_1"
      }
    )
    assert.deepInclude(
      facts("charge.refunded", { id: "ch_1", payment_intent: "pi_1", invoice: "in_1", refunded: true }),
      {
        kind: "link",
        about: "payment/pi_1",
        to: "invoice/in_1"
      }
    )
  })

  it("ends at cancel_at, or with the flag at the earliest end of its items", () => {
    const end = (changes: Record<string, unknown>) =>
      facts(
        "customer.subscription.updated",
        stripeSubscription(changes, [
          stripeItem("price_a", 0, 30),
          stripeItem("price_b", 0, 365, 1, "si_2")
        ])
      ).flatMap((fact) => fact.kind === "subscription" ? [fact.cancel_at] : [])
    assert.deepStrictEqual(end({ cancel_at: secondsOf(20) }), [day(20)])
    assert.deepStrictEqual(end({ cancel_at_period_end: true }), [day(30)])
    assert.deepStrictEqual(end({ canceled_at: secondsOf(5) }), [undefined])
  })

  it("names its customer as a text, as an object, or as an account", () => {
    for (
      const customer of [{ customer: "cus_1" }, { customer: { id: "cus_1" } }, {
        customer: null,
        customer_account: "cus_1"
      }]
    ) {
      assert.deepInclude(facts("customer.subscription.updated", stripeSubscription(customer)), {
        kind: "link",
        about: "customer/cus_1",
        to: "subscription/sub_1"
      })
    }
  })

  it("is no purchase where a session sets up a card, and no chargeback where it is an inquiry or was prevented", () => {
    assert.deepStrictEqual(facts("checkout.session.completed", { id: "cs_1", mode: "setup" }), [])
    for (const status of ["warning_needs_response", "warning_closed", "prevented"]) {
      const [dispute] = facts("charge.dispute.created", { id: "dp_1", status, charge: "ch_1", payment_intent: "pi_1" })
      assert.include(dispute, { kind: "dispute", state: "warning" })
    }
    assert.include(facts("charge.dispute.created", { id: "dp_1", status: "odd", charge: "ch_1" })[0], {
      kind: "note",
      note: "unknown_dispute_status"
    })
  })
})
