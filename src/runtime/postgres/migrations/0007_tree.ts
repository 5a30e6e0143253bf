import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The Merkle tree (RFC 6962) over the events, in tiles of up to 16 hashes, and the signed checkpoints of its root. The
 * sequencer extends the tree with every batch. `tree_size` is the number of events in it: events older than the tree
 * are added in batches while the service runs.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE event_chain ADD COLUMN tree_size bigint NOT NULL DEFAULT 0`

  // Hashes do not compress, and a tile is small enough to stay in its row. It has its full width from the start, so
  // that the WAL record of a change holds only the new hashes.
  yield* sql`
    CREATE TABLE event_tiles (
      level smallint NOT NULL,
      index bigint NOT NULL,
      hashes bytea NOT NULL CHECK (length(hashes) = 512),
      PRIMARY KEY (level, index)
    )`
  // A separate statement, because PostgreSQL 15 does not accept STORAGE in CREATE TABLE.
  yield* sql`ALTER TABLE event_tiles ALTER COLUMN hashes SET STORAGE PLAIN`

  yield* sql`
    CREATE TABLE event_checkpoints (
      tree_size bigint PRIMARY KEY CHECK (tree_size >= 1),
      root_hash bytea NOT NULL,
      kid text COLLATE "C" NOT NULL,
      note text NOT NULL,
      created_at timestamptz NOT NULL
    )`
})
