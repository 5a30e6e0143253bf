import { Effect } from "effect"
import { addColumns, briefly, createIndex } from "../OnlineMigration.ts"

/**
 * Licenses that their owners want to hand to somebody else, until that person accepts, and the term that allows it. A row goes with the
 * transfer, the customer, or its time. Nothing refers to a row, and none is in a backup.
 */
export default Effect.gen(function*() {
  yield* addColumns("policies", { self_service_transfer: "boolean" })
  yield* briefly(`
    CREATE TABLE IF NOT EXISTS license_transfer_requests (
      license_id text COLLATE "C" PRIMARY KEY,
      customer_id text COLLATE "C" NOT NULL,
      recipient text NOT NULL,
      token_hash bytea NOT NULL,
      expires_at timestamptz NOT NULL
    )`)
  yield* createIndex("license_transfer_requests_by_token", "ON license_transfer_requests (token_hash)", "UNIQUE")
})
