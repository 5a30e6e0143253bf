import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What nodes tell each other of callers who are limited. Unlogged: it is worth a few seconds, and a crash may forget
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
