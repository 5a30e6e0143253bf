import { Effect } from "effect"
import { addColumns } from "../OnlineMigration.ts"

/** When the billing system last changed a record, by its own clock; NULL where no caller has said it. */
export default Effect.gen(function*() {
  for (const table of ["orders", "subscriptions"]) yield* addColumns(table, { source_updated_at: "timestamptz" })
})
