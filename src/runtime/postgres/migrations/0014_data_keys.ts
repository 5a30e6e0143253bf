import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The keys that encrypt stored values, each wrapped by every master key that may open it: by one normally, by two while
 * the master key is being changed. A period is the month (UTC) in which a key seals; it is empty for the root of the
 * keyed hashes, which never expires.
 *
 * `bootstrap_tokens` records rotated tokens: the valid one, and those that were withdrawn. A token that is not listed
 * is valid if the configuration names it.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`
    CREATE TABLE data_keys (
      id bytea PRIMARY KEY CHECK (length(id) = 8),
      purpose text NOT NULL,
      period text COLLATE "C" NOT NULL CHECK (period ~ '^([0-9]{4}-[0-9]{2})?$'),
      created_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (purpose, period)
    )`
  yield* sql`
    CREATE TABLE data_key_wraps (
      data_key_id bytea NOT NULL REFERENCES data_keys,
      master_key_id bytea NOT NULL CHECK (length(master_key_id) = 8),
      wrapped bytea NOT NULL,
      PRIMARY KEY (data_key_id, master_key_id)
    )`
  yield* sql`
    CREATE TABLE bootstrap_tokens (
      token_hash bytea PRIMARY KEY,
      issued_at timestamptz NOT NULL DEFAULT now(),
      withdrawn_at timestamptz
    )`
})
