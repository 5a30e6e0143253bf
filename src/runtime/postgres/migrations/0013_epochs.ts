import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The epochs of the log after the first: each begins where the log was restored to an earlier state. `first_sequence`
 * is the place of the event that declares it, `restored_sequence` that of the last restored event, and `witness` is
 * what was known of the lost log.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE log_epochs (
      epoch integer PRIMARY KEY CHECK (epoch >= 2),
      origin text COLLATE "C" NOT NULL UNIQUE,
      first_sequence bigint NOT NULL CHECK (first_sequence >= 1),
      previous_origin text NOT NULL,
      restored_sequence bigint NOT NULL CHECK (restored_sequence < first_sequence),
      restored_hash text NOT NULL,
      reason text NOT NULL,
      witness jsonb,
      started_at timestamptz(3) NOT NULL DEFAULT now()
    )`
})
