import { Effect } from "effect"
import { briefly } from "../OnlineMigration.ts"

/** A use may measure 0: the latest value of a feature may have come down to nothing. */
export default Effect.gen(function*() {
  yield* briefly(`
    ALTER TABLE usage_records DROP CONSTRAINT IF EXISTS usage_records_measured_check,
      ADD CONSTRAINT usage_records_measured_check CHECK (measured >= 0) NOT VALID`)
  yield* briefly(`
    ALTER TABLE usage_keys DROP CONSTRAINT IF EXISTS usage_keys_amount_check,
      ADD CONSTRAINT usage_keys_amount_check CHECK (amount >= 0) NOT VALID`)
})
