import { Effect } from "effect"
import { addColumns, briefly } from "../OnlineMigration.ts"

/**
 * The pauses between recorded calls about a floating seat, by which its end under other terms is told, and since when such calls are
 * recorded. NULL in rows about other calls.
 */
export default Effect.gen(function*() {
  yield* addColumns("decided_calls", { shortest_pause: "bigint", longest_pause: "bigint" })
  yield* briefly(`
    ALTER TABLE pruned_tables DROP CONSTRAINT IF EXISTS pruned_tables_name_check,
      ADD CONSTRAINT pruned_tables_name_check CHECK (name IN ('activities', 'decided_calls', 'decided_leases', 'usage_records'))`)
  yield* briefly(`
    INSERT INTO pruned_tables (name, until) VALUES ('decided_leases', clock_timestamp()) ON CONFLICT (name) DO NOTHING`)
})
