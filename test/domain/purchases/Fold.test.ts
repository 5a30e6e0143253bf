import { assert, describe, it } from "@effect/vitest"
import type { TellingEvent } from "../../../src/domain/providers/ProviderEvent.ts"
import { tellingOf } from "../../../src/domain/providers/ReadEvents.ts"
import { fold } from "../../../src/domain/purchases/Fold.ts"
import { day, secondsOf } from "../../fixtures/PurchaseLife.ts"
import { lives } from "../../fixtures/PurchaseLives.ts"
import { orders, read } from "../../fixtures/ReadInOrders.ts"
import { stripe, stripeItem, stripeSubscription } from "../../fixtures/StripeObjects.ts"

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
