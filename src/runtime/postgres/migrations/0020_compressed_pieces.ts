import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Pieces of exports come compressed: by the service, in a tenth of the time and a third of the room that PostgreSQL
 * takes for it. Pieces that are there stay as they are.
 */
export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`ALTER TABLE report_export_pieces ADD COLUMN encoding text CHECK (encoding = 'br')`
  yield* sql`COMMENT ON COLUMN report_export_pieces.encoding IS
    'how bytes are encoded: br (Brotli, RFC 7932), or NULL for not at all; start_at counts what was encoded'`
  // Trying to compress them once more would only cost time.
  yield* sql`ALTER TABLE report_export_pieces ALTER COLUMN bytes SET STORAGE EXTERNAL`
})
