import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Metered use. One row for each `event_id` that was ever counted: the primary key makes a repeat count once, whatever
 * happened to its Idempotency-Key.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE usage_records (
      license_id text COLLATE "C" NOT NULL REFERENCES licenses,
      feature_id text COLLATE "C" NOT NULL REFERENCES features,
      event_id text NOT NULL,
      amount bigint NOT NULL CHECK (amount >= 1),
      device_id text COLLATE "C" NOT NULL REFERENCES devices,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (license_id, feature_id, event_id)
    )`
})
