import { Effect } from "effect"
import { addColumns, briefly } from "../OnlineMigration.ts"

/**
 * What the owner of a license has when it is offered, and what a purchase said last of its licenses. NULL in rows of before: such an offer is
 * over within three days, and of such a license the state of its purchase tells what was said.
 *
 * And the name of the system that the records of a connection are of: NULL is that of its provider. Of several sites of Chargebee, where each
 * vendor chooses the IDs, only the first has that.
 */
export default Effect.gen(function*() {
  yield* addColumns("license_transfer_requests", { license_key_hash: "bytea", address_hash: "bytea" })
  yield* addColumns("purchase_licenses", { said: "jsonb" })
  yield* addColumns("billing_connections", { records_as: "text" })
  yield* briefly(`
    UPDATE billing_connections c SET records_as = c.provider || ':' || c.id
    WHERE c.provider = 'chargebee' AND c.records_as IS NULL
      AND EXISTS (SELECT FROM billing_connections f WHERE f.provider = c.provider AND (f.created_at, f.id) < (c.created_at, c.id))`)
})
