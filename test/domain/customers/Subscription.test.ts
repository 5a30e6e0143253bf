import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { subscriptionChange, subscriptionReplacement } from "../../../src/domain/customers/Subscription.ts"
import type { Subscription, SubscriptionUpdate } from "../../../src/domain/customers/Subscription.ts"

const now = Date.parse("2027-01-15T00:00:00.000Z")
const on = (day: number) => `2027-01-${String(day).padStart(2, "0")}T00:00:00.000Z`

const canceled: Subscription = {
  id: "sub",
  product_id: "prod",
  customer_id: "cus",
  external_system: "shop",
  external_id: "1",
  status: "canceled",
  current_period_start: on(1),
  current_period_end: on(31),
  cancel_at_period_end: false,
  canceled_at: on(9),
  ended_at: on(10),
  quantity: 2,
  source_updated_at: on(10),
  metadata: {},
  created_at: on(1),
  updated_at: on(10)
}

describe("a change of a canceled subscription", () => {
  const rows: ReadonlyArray<readonly [SubscriptionUpdate, object | undefined]> = [
    [{}, {}],
    [{ quantity: 3 }, { quantity: 3 }],
    [{ quantity: null, ended_at: null }, { quantity: null, ended_at: null }],
    [{ canceled_at: null }, { canceled_at: null }],
    [{ status: "active" }, { status: "active", canceled_at: null, ended_at: null }],
    [{ status: "active", ended_at: null }, { status: "active", canceled_at: null, ended_at: null }],
    [{ status: "incomplete_expired" }, { status: "incomplete_expired", canceled_at: null }],
    [{ customer_id: "" }, { customer_id: null }],
    [{ status: "active", source_updated_at: on(9) }, undefined]
  ]

  it.each(rows)("%j changes %j", (changes, expected) => {
    assert.deepStrictEqual(Result.getOrThrow(subscriptionChange(canceled, changes, now)), expected)
  })

  it("that is not over, or of which nobody said when it ended, clears what it may no longer say", () => {
    const { canceled_at: _canceled, ended_at: _ended, ...active } = canceled
    const changed = (before: Subscription, changes: SubscriptionUpdate) =>
      Result.getOrThrow(subscriptionChange(before, changes, now))
    assert.deepStrictEqual<unknown>(changed({ ...active, status: "active" }, { quantity: 3 }), {
      canceled_at: null,
      ended_at: null,
      quantity: 3
    })
    assert.deepStrictEqual<unknown>(changed(active, {}), { canceled_at: null, ended_at: null })
    assert.deepStrictEqual<unknown>(changed(active, { ended_at: on(12) }), { canceled_at: null, ended_at: on(12) })
    // What stays is judged with what is said.
    assert.deepStrictEqual<unknown>(changed(canceled, { ended_at: on(12) }), { ended_at: on(12) })
  })

  it.each<readonly [SubscriptionUpdate, string, string]>([
    [{ status: "active", ended_at: on(10) }, "ended_at", "not_ended"],
    [{ status: "active", canceled_at: on(10) }, "canceled_at", "not_canceled"],
    [{ current_period_end: "2026-12-31T00:00:00.000Z" }, "current_period_end", "before_start"],
    [{ source_updated_at: on(17) }, "source_updated_at", "too_late"]
  ])("%j is refused at %s as %s", (changes, path, code) => {
    const judged = subscriptionChange(canceled, changes, now)
    assert.deepStrictEqual(
      Result.isFailure(judged) ? judged.failure.error.fields?.map((found) => [found.path, found.code]) : judged,
      [[path, code]]
    )
  })

  it("by all that its billing system has takes away what that does not say, and keeps links and metadata", () => {
    const period = { current_period_start: on(1), current_period_end: on(31) }
    assert.deepStrictEqual(subscriptionReplacement({ status: "active", ...period }), {
      status: "active",
      ...period,
      cancel_at_period_end: false,
      canceled_at: null,
      ended_at: null,
      quantity: null
    })
  })
})
