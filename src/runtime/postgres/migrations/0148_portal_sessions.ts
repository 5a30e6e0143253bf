import { Effect } from "effect"
import { addColumns, briefly, createIndex } from "../OnlineMigration.ts"

/**
 * Customers who are signed in to the portal: each session is of one license, by the keyed hash of the key that opened it, and good for
 * as long as this is the key of the license. Nothing refers to a session, and it is in no backup. Customers are actors of events from
 * now on.
 */
export default Effect.gen(function*() {
  yield* briefly(`
    CREATE TABLE IF NOT EXISTS portal_sessions (
      token_hash bytea PRIMARY KEY,
      license_id text COLLATE "C" NOT NULL,
      key_hash bytea NOT NULL,
      last_used_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()
    )`)
  yield* createIndex("portal_sessions_by_end", "ON portal_sessions (expires_at)")
  yield* addColumns("event_records", {
    actor_type: {
      type: "text",
      check: "actor_type IN ('api_key', 'customer', 'license', 'oidc_subject', 'person', 'system')"
    }
  })
})
