import { Effect } from "effect"
import { addColumns, briefly, createIndex } from "../OnlineMigration.ts"

/**
 * People who sign in: invitations, each good for one sign-in, and sessions, which end by being deleted. Both are found by keyed
 * hashes. People are actors of events from now on. Nothing refers to a person: these rows are in no backup, people are, and none is
 * deleted.
 */
export default Effect.gen(function*() {
  yield* briefly(`
    CREATE TABLE IF NOT EXISTS person_invitations (
      token_hash bytea PRIMARY KEY,
      person_id text COLLATE "C" NOT NULL UNIQUE,
      expires_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()
    )`)
  yield* briefly(`
    CREATE TABLE IF NOT EXISTS person_sessions (
      id text COLLATE "C" PRIMARY KEY,
      token_hash bytea NOT NULL UNIQUE,
      person_id text COLLATE "C" NOT NULL,
      ip_address text,
      user_agent text,
      last_used_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()
    )`)
  yield* createIndex("person_sessions_by_person", "ON person_sessions (person_id, id)")
  yield* addColumns("event_records", {
    actor_type: {
      type: "text",
      check: "actor_type IN ('api_key', 'license', 'oidc_subject', 'person', 'system')"
    }
  })
})
