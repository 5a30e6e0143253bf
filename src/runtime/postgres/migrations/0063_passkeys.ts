import { Effect } from "effect"
import { addColumns, briefly, createIndex } from "../OnlineMigration.ts"

/**
 * Passkeys, which people sign in with; who made an invitation, by name; and which passkey opened a session, so that it ends with
 * the passkey.
 */
export default Effect.gen(function*() {
  yield* briefly(`
    CREATE TABLE IF NOT EXISTS passkeys (
      id text COLLATE "C" PRIMARY KEY,
      credential_id bytea NOT NULL UNIQUE,
      person_id text COLLATE "C" NOT NULL,
      name text NOT NULL,
      public_key bytea NOT NULL,
      counter bigint NOT NULL,
      transports text[] NOT NULL,
      is_synced boolean NOT NULL,
      last_used_at timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now()
    )`)
  yield* createIndex("passkeys_by_person", "ON passkeys (person_id, id)")
  yield* addColumns("person_invitations", { invited_by: "text" })
  yield* addColumns("person_sessions", { passkey_id: `text COLLATE "C"` })
})
