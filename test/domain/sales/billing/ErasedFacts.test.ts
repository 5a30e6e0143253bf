import { assert, describe, it } from "@effect/vitest"
import { erasedFacts, erasedState, isPayer } from "../../../../src/domain/sales/billing/ErasedFacts.ts"
import type { Fact } from "../../../../src/domain/sales/providers/Fact.ts"
import type { ProviderEvent } from "../../../../src/domain/sales/providers/ProviderEvent.ts"
import { objectsOf } from "../../../../src/domain/sales/providers/ProviderEvent.ts"
import { fold, since } from "../../../../src/domain/sales/purchases/Fold.ts"
import { isMappedBy } from "../../../../src/domain/sales/purchases/Mapping.ts"
import type { PurchaseState } from "../../../../src/domain/sales/purchases/PurchaseState.ts"
import { secondsOf } from "../../../fixtures/PurchaseLife.ts"
import { lives } from "../../../fixtures/PurchaseLives.ts"
import { orders, read } from "../../../fixtures/ReadInOrders.ts"
import { someOf } from "../../../fixtures/Share.ts"
import { stripe, stripeSubscription } from "../../../fixtures/StripeObjects.ts"

const isMapped = isMappedBy({ prices: [{ by: "metadata", value: "plan=pro", policy_id: "pol" }] })

/** A value as JSON keeps it. */
const asKept = <A>(value: A): A => JSON.parse(JSON.stringify(value))

const erased = (event: ProviderEvent): ProviderEvent => ({
  ...event,
  facts: asKept(erasedFacts(event.facts, isMapped))
})

/** What of the events of a purchase an erasure leaves: none that is about who pays alone. */
const leftOf = (events: ReadonlyArray<ProviderEvent>): ReadonlyArray<ProviderEvent> =>
  events.filter((event) => !objectsOf(event).every(isPayer)).map(erased)

describe("erased facts", () => {
  it("have of a subscription what makes its state, and nothing of who pays or of what the vendor noted", () => {
    const object = stripeSubscription({
      customer: "cus_ada",
      description: "for Ada",
      metadata: { plan: "pro", who: "Ada" },
      default_payment_method: { billing_details: { name: "Ada" } }
    })
    const [event] = read(
      "stripe",
      stripe("customer.subscription.updated", secondsOf(1), object, {
        description: "for Ada Lovelace",
        status: "past_due"
      })
    )
    const left = asKept(erasedFacts(event!.facts, isMapped))
    assert.notMatch(JSON.stringify(left), /\bada\b|cus_ada/i)
    const [fact] = left as ReadonlyArray<Extract<Fact, { readonly kind: "subscription" }>>
    assert.deepStrictEqual(fact!.origin, { metadata: { plan: "pro" } })
    assert.deepStrictEqual(fact!.chain!.previous, { status: "past_due" })
    assert.isUndefined(fact!.payer)
    assert.deepStrictEqual(asKept(erasedFacts(left, isMapped)), left, "erased facts stay what they are")
  })
})

/** A state but for the instant of its newest event: what is said of who pays alone has one, and is not kept. */
const compared = ({ source_updated_at: _updated, ...state }: PurchaseState) => asKept(state)

describe("a purchase whose customer is erased", () => {
  for (const { bodies, provider, purchase, title } of lives()) {
    it(`is what it was, but for who pays: of ${provider}: ${title}`, () => {
      const events = bodies.flatMap((body) => read(provider, body))
      const state = fold(provider, purchase, events)
      const left = leftOf(events)
      assert.deepStrictEqual(
        asKept(since(fold(provider, purchase, left), state)),
        asKept(erasedState(state, isMapped))
      )
      for (const said of Object.values(state.payer)) assert.notInclude(JSON.stringify(left), `"${said}"`)
    })

    it(`becomes the same, whenever it was erased and in whatever order the rest comes: of ${provider}: ${title}`, () => {
      const events = bodies.flatMap((body) => read(provider, body))
      const whole = compared(erasedState(fold(provider, purchase, events), isMapped))
      for (const order of someOf(title, orders(events).slice(0, 100), 25)) {
        for (let at = 0; at <= order.length; at++) {
          const before = erasedState(fold(provider, purchase, order.slice(0, at)), isMapped)
          const after = since(fold(provider, purchase, leftOf(order)), before)
          assert.deepStrictEqual(compared(after), whole)
          assert.isAtLeast(Date.parse(after.source_updated_at), Date.parse(before.source_updated_at))
        }
      }
    })
  }
})
