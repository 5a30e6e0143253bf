import { Effect } from "effect"
import { briefly, createIndex } from "../OnlineMigration.ts"

/**
 * Calls of apps by what was decided about them, with the class of device that the decision read. Calls before this migration were not
 * recorded.
 */
export default Effect.gen(function*() {
  yield* briefly(`
    CREATE TABLE IF NOT EXISTS decided_calls (
      license_id text COLLATE "C" NOT NULL,
      hour timestamptz NOT NULL,
      device text COLLATE "C" NOT NULL,
      operation text NOT NULL,
      result text NOT NULL,
      is_vm boolean NOT NULL,
      is_container boolean NOT NULL,
      calls bigint NOT NULL CHECK (calls > 0),
      first_at timestamptz NOT NULL,
      last_at timestamptz NOT NULL,
      app_version text,
      os text,
      PRIMARY KEY (license_id, hour, device, operation, result, is_vm)
    ) WITH (fillfactor = 85)`)
  yield* createIndex("decided_calls_by_hour", "ON decided_calls (hour)")
  yield* briefly(`
    ALTER TABLE pruned_tables DROP CONSTRAINT IF EXISTS pruned_tables_name_check,
      ADD CONSTRAINT pruned_tables_name_check CHECK (name IN ('activities', 'decided_calls', 'usage_records'))`)
  yield* briefly(`
    INSERT INTO pruned_tables (name, until) VALUES ('decided_calls', clock_timestamp()) ON CONFLICT (name) DO NOTHING`)
})
