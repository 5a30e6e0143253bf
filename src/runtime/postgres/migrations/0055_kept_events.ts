import { Effect } from "effect"
import { addColumns, briefly, createIndex } from "../OnlineMigration.ts"

/**
 * What was read of an event of a payment provider, in the place of its body, once that is past its time: one or the other, so
 * that nothing that is erased of one form stays in the other. No body goes in the first day, in which nodes of the version
 * before may still work.
 */
export default Effect.gen(function*() {
  yield* briefly("ALTER TABLE billing_events ALTER COLUMN body DROP NOT NULL")
  yield* addColumns("billing_events", { facts: { type: "json", check: "(body IS NULL) <> (facts IS NULL)" } })
  yield* createIndex("billing_events_by_age", "ON billing_events (received_at) WHERE body IS NOT NULL")
  yield* createIndex("billing_events_with_body", "ON billing_events (sequence) WHERE body IS NOT NULL")
})
