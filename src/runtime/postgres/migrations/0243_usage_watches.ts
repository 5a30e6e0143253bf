import { Effect } from "effect"
import { briefly, createIndex } from "../OnlineMigration.ts"

/**
 * Licenses, customers and policies of which it is to be looked whether a threshold of usage is reached: at once, or when a grant or a
 * pool of theirs begins or ends. Licenses that have packs that end are watched from the start.
 */
export default Effect.gen(function*() {
  yield* briefly(`
    CREATE TABLE IF NOT EXISTS usage_watches (
      subject text COLLATE "C" PRIMARY KEY,
      due_at timestamptz NOT NULL,
      fell boolean NOT NULL DEFAULT false,
      turns_at timestamptz,
      rests_until timestamptz,
      asked bigint NOT NULL DEFAULT 0
    )`)
  yield* createIndex("usage_watches_due", "ON usage_watches (due_at)")
  yield* briefly(`COMMENT ON COLUMN usage_watches.fell IS
    'whether less may be left than at the last look: then thresholds that are reached are announced'`)
  yield* briefly(`
    INSERT INTO usage_watches (subject, due_at, turns_at)
    SELECT license_id, min(expires_at), min(expires_at) FROM license_grants
    WHERE is_open AND expires_at > clock_timestamp() GROUP BY 1 ORDER BY 1
    ON CONFLICT DO NOTHING`)
})
