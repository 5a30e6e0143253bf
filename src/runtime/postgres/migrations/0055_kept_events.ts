import { Effect } from "effect"
import { addColumns, briefly, createIndex } from "../OnlineMigration.ts"

/** What was read of an event of a payment provider, in the place of its body, once that is past its time. */
export default Effect.gen(function*() {
  yield* addColumns("billing_events", { facts: "json" })
  yield* briefly("ALTER TABLE billing_events ALTER COLUMN body DROP NOT NULL")
  yield* createIndex("billing_events_by_age", "ON billing_events (received_at) WHERE body IS NOT NULL")
})
