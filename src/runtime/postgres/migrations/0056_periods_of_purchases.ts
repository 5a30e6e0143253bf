import { Effect } from "effect"
import { createIndex } from "../OnlineMigration.ts"

/**
 * When purchases began and ended, for the report of a period. Instants of providers are texts of one form in UTC, so that
 * their order as texts is that of time. A purchase that has not ended comes last.
 */
export default Effect.gen(function*() {
  yield* createIndex("purchases_by_begin", `ON purchases (((state ->> 'began_at') COLLATE "C"))`)
  yield* createIndex("purchases_by_end", `ON purchases ((coalesce(state ->> 'ended_at', 'infinity') COLLATE "C"))`)
})
