import { Effect } from "effect"
import { briefly, createIndex } from "../OnlineMigration.ts"

/** Payers who were erased, by keyed hashes of their names: nobody finds by them who it was, but an event that tells of them again. */
export default Effect.gen(function*() {
  yield* briefly(
    "CREATE TABLE IF NOT EXISTS erased_payers (digest bytea PRIMARY KEY, erased_at timestamptz NOT NULL DEFAULT now())"
  )
  yield* createIndex("customer_erasures_by_customer", "ON customer_erasures (customer_id)")
  yield* createIndex(
    "billing_events_silent",
    "ON billing_events (sequence) WHERE body IS NULL AND json_array_length(facts) = 0"
  )
})
