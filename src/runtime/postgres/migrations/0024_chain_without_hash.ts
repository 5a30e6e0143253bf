import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The end of the chain without its hash, which the last place in the feed has as well. The row is updated for every
 * batch of events, and the hash was half of what that wrote to the WAL.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE event_chain DROP COLUMN last_hash`
})
