import { Effect } from "effect"
import { briefly, createIndex } from "../OnlineMigration.ts"

/**
 * Addresses that get no mails, or no notices: each by a keyed digest, which is all that is left of it once its customer was
 * erased, and once for each reason.
 */
export default Effect.gen(function*() {
  yield* briefly(`
    CREATE TABLE IF NOT EXISTS mail_suppressions (
      id text COLLATE "C" PRIMARY KEY,
      digest bytea NOT NULL,
      reason text NOT NULL,
      address text,
      reply text,
      customer_id text COLLATE "C",
      actor_type text NOT NULL,
      actor_id text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (digest, reason)
    )`)
  yield* createIndex("mail_suppressions_by_created", "ON mail_suppressions (created_at, id)")
})
