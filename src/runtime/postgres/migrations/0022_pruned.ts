import { Effect } from "effect"
import { briefly, createIndex } from "../OnlineMigration.ts"

/**
 * What was deleted by age. `pruned_tables` says of a table from which instant on it is whole, so that a report over an
 * earlier time can say that it cannot be told: the setting may have been another when the rows went.
 */
export default Effect.gen(function*() {
  yield* briefly(`
    CREATE TABLE IF NOT EXISTS pruned_tables (
      name text COLLATE "C" PRIMARY KEY CHECK (name IN ('activities')),
      until timestamptz NOT NULL
    )`)
  yield* briefly("COMMENT ON COLUMN pruned_tables.until IS 'rows of an earlier time may be gone'")

  // By the end, because that is what a lease is pruned by. Only ended leases are in it.
  yield* createIndex("leases_ended", "ON leases (ended_at) WHERE ended_at IS NOT NULL")
})
