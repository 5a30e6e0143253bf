import { Effect } from "effect"
import { addColumns, briefly } from "../OnlineMigration.ts"

/**
 * Self-service: how many seats of a license whoever has its key gave back, as a counter that belongs to its period.
 * Both columns are NULL until the first.
 */
export default Effect.gen(function*() {
  yield* addColumns("licenses", {
    self_service_start: "timestamptz",
    self_service_resets: { type: "integer", check: "self_service_resets > 0" }
  })
  yield* briefly(`COMMENT ON COLUMN licenses.self_service_start IS
    'when the period began that self_service_resets was counted in; in a later one it counts as 0'`)
})
