import { Effect } from "effect"
import { addColumns, briefly } from "../OnlineMigration.ts"

/** The instant that the terms of a license count from, so that monthly renewals keep the day on which they began. */
export default Effect.gen(function*() {
  yield* addColumns("licenses", { term_anchor: "timestamptz" })
  yield* briefly("COMMENT ON COLUMN licenses.term_anchor IS 'what its terms count from; NULL for its start'")
})
