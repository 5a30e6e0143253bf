import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Spending of rate-limited callers, shared between nodes. Unlogged: it matters for a few seconds, and a crash may lose
 * it.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE UNLOGGED TABLE rate_limits (
      name text COLLATE "C" NOT NULL,
      subject text COLLATE "C" NOT NULL,
      burst float8 NOT NULL,
      per_second float8 NOT NULL,
      spent float8 NOT NULL,
      at timestamptz NOT NULL,
      PRIMARY KEY (name, subject)
    ) WITH (fillfactor = 50)`
})
