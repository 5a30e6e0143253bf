import { Effect } from "effect"
import { addColumns, briefly, createIndex } from "../OnlineMigration.ts"

/**
 * Mails to the owners of licenses that wait to be sent, each with the key that it shows, sealed; and which mails the licenses
 * under a policy have sent. NULL: none, as before.
 */
export default Effect.gen(function*() {
  yield* briefly(`
    CREATE TABLE IF NOT EXISTS mails (
      event_id text COLLATE "C" NOT NULL,
      kind text NOT NULL,
      recipient text NOT NULL,
      license_id text COLLATE "C" NOT NULL,
      customer_id text COLLATE "C",
      secret bytea NOT NULL,
      key_hash bytea NOT NULL,
      attempts int NOT NULL DEFAULT 0,
      due_at timestamptz NOT NULL DEFAULT now(),
      last_reply text,
      created_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (event_id, kind, recipient)
    )`)
  yield* createIndex("mails_due", "ON mails (due_at)")
  yield* createIndex("mails_by_license", "ON mails (license_id)")
  yield* createIndex("mails_by_customer", "ON mails (customer_id) WHERE customer_id IS NOT NULL")
  yield* addColumns("policies", { mails: { type: "text[]", check: "cardinality(mails) >= 1" } })
})
