import { Effect } from "effect"
import { addColumns, briefly, createIndex } from "../OnlineMigration.ts"

/**
 * Customers who sign in to the portal by a link. A session is of a license, as before, or of those customers whose address the link was
 * sent to, and of one of them once he or she is chosen. Neither table holds an address: a keyed hash tells whether a customer still has
 * it. There is one link for each address. Nothing refers to a row, and none is in a backup.
 */
export default Effect.gen(function*() {
  yield* briefly(`
    ALTER TABLE portal_sessions ALTER COLUMN license_id DROP NOT NULL, ALTER COLUMN key_hash DROP NOT NULL`)
  yield* addColumns("portal_sessions", {
    address_hash: "bytea",
    customer_ids: { type: "text[]", check: "cardinality(customer_ids) >= 1" },
    customer_id: "text"
  })
  yield* briefly(`
    CREATE TABLE IF NOT EXISTS portal_links (
      address_hash bytea PRIMARY KEY,
      token_hash bytea NOT NULL,
      browser_hash bytea,
      code_hash bytea,
      customer_ids text[] NOT NULL,
      tries int NOT NULL DEFAULT 0,
      expires_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()
    )`)
  yield* createIndex("portal_links_by_token", "ON portal_links (token_hash)", "UNIQUE")
  yield* createIndex(
    "portal_links_by_browser",
    "ON portal_links (browser_hash) WHERE browser_hash IS NOT NULL",
    "UNIQUE"
  )
})
