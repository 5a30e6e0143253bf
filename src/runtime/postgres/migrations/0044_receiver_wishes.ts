import { Effect } from "effect"
import { addColumns, briefly } from "../OnlineMigration.ts"

/** What an endpoint asks of its deliveries: headers of its own, order, and where it goes on after a pause. */
export default Effect.gen(function*() {
  yield* addColumns("webhook_endpoints", {
    headers: "bytea",
    header_names: "text[]",
    ordered: "boolean NOT NULL DEFAULT false",
    skipped_seq: "bigint NOT NULL DEFAULT 0"
  })
  yield* briefly(`COMMENT ON COLUMN webhook_endpoints.headers IS
    'headers of the receiver by name, sealed JSON; NULL: none'`)
  yield* briefly(`COMMENT ON COLUMN webhook_endpoints.header_names IS 'their names, which may be shown'`)
  yield* briefly(`COMMENT ON COLUMN webhook_endpoints.ordered IS
    'one delivery at a time, each after the one before was accepted'`)
  yield* briefly(`COMMENT ON COLUMN webhook_endpoints.skipped_seq IS
    'nothing up to here is sent any more: the endpoint went on from now'`)
})
