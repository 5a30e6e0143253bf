import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { orderChange, orderReplacement } from "../../../src/domain/customers/Order.ts"
import type { Order, OrderUpdate } from "../../../src/domain/customers/Order.ts"

const now = Date.parse("2027-01-15T00:00:00.000Z")
const on = (day: number) => `2027-01-${String(day).padStart(2, "0")}T00:00:00.000Z`

const order: Order = {
  id: "ord",
  product_id: "prod",
  customer_id: "cus",
  subscription_id: "sub",
  external_system: "shop",
  external_id: "1",
  status: "disputed",
  period_start: on(1),
  period_end: on(31),
  quantity: 2,
  ended_at: on(10),
  source_updated_at: on(10),
  metadata: {},
  created_at: on(1),
  updated_at: on(10)
}

describe("a change of an order", () => {
  const rows: ReadonlyArray<readonly [OrderUpdate, object | undefined]> = [
    [{}, {}],
    [{ status: "paid" }, { status: "paid" }],
    [{ status: "paid", ended_at: null }, { status: "paid", ended_at: null }],
    [{ quantity: null, period_start: null, period_end: null }, {
      quantity: null,
      period_start: null,
      period_end: null
    }],
    [{ customer_id: "", subscription_id: "" }, { customer_id: null, subscription_id: null }],
    [{ customer_id: "other" }, { customer_id: "other" }],
    [{ status: "paid", source_updated_at: on(9) }, undefined],
    [{ status: "paid", source_updated_at: on(10) }, { status: "paid", source_updated_at: on(10) }]
  ]

  it.each(rows)("%j changes %j", (changes, expected) => {
    assert.deepStrictEqual(Result.getOrThrow(orderChange(order, changes, now)), expected)
  })

  it.each<readonly [OrderUpdate, string, string]>([
    [{ period_start: null }, "period_start", "both_or_none"],
    [{ period_end: null }, "period_end", "both_or_none"],
    [{ period_end: "2026-12-31T00:00:00.000Z" }, "period_end", "before_start"],
    [{ source_updated_at: on(17) }, "source_updated_at", "too_late"]
  ])("%j is refused at %s as %s", (changes, path, code) => {
    const judged = orderChange(order, changes, now)
    assert.deepStrictEqual(
      Result.isFailure(judged) ? judged.failure.error.fields?.map((found) => [found.path, found.code]) : judged,
      [[path, code]]
    )
  })

  it("by all that its billing system has takes away what that does not say, and keeps links and metadata", () => {
    assert.deepStrictEqual(orderReplacement({ status: "paid", quantity: 3 }), {
      status: "paid",
      quantity: 3,
      period_start: null,
      period_end: null,
      ended_at: null
    })
  })
})
