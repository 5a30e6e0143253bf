import { Effect } from "effect"
import { addColumns, createIndex } from "../OnlineMigration.ts"

/** The names of customers in their billing systems: both of them, or none. */
export default Effect.gen(function*() {
  yield* addColumns("customers", {
    external_system: "text",
    external_id: { type: "text", check: "(external_id IS NULL) = (external_system IS NULL)" }
  })
  yield* createIndex(
    "customers_by_external_id",
    "ON customers (external_id, external_system) WHERE external_id IS NOT NULL",
    "UNIQUE"
  )
})
