import { Effect } from "effect"
import { addColumns, briefly } from "../OnlineMigration.ts"

/** Whether uses were counted, or corrected, without a period since those of the period that a counter is of: it does not know of them. */
export default Effect.gen(function*() {
  yield* addColumns("license_features", { counted_apart: "boolean" })
  yield* briefly(`COMMENT ON COLUMN license_features.counted_apart IS
    'true where uses were counted or corrected without a period since: the count of its period is to be made of the records'`)
})
