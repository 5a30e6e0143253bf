import { Effect } from "effect"
import { addColumns } from "../OnlineMigration.ts"

const oneOf = (values: ReadonlyArray<string>): string => `status IN (${values.map((value) => `'${value}'`).join(", ")})`

/**
 * What billing systems say beside a period: how many were bought, when it ended, and further states. `status` is there:
 * only its check is replaced, by one that takes all that it took.
 */
export default Effect.gen(function*() {
  const columns = { quantity: { type: "bigint", check: "quantity > 0" }, ended_at: "timestamptz" }
  yield* addColumns("subscriptions", {
    ...columns,
    status: {
      type: "text",
      check: oneOf([
        "trialing",
        "active",
        "past_due",
        "paused",
        "canceled",
        "unpaid",
        "disputed",
        "incomplete",
        "incomplete_expired"
      ])
    }
  })
  yield* addColumns("orders", {
    ...columns,
    status: {
      type: "text",
      check: oneOf(["pending", "paid", "fulfilled", "canceled", "refunded", "partially_refunded", "disputed"])
    }
  })
})
