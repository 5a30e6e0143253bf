import type { Statement } from "effect/sql"
import type { Fragments } from "../ground/persistence/Database.ts"

/**
 * Common table expressions for a `WITH RECURSIVE`: `newest` has the last sequence of each kind in the feed, and
 * `entries` the same by what a subscription may name, kinds and families.
 *
 * The recursion jumps from kind to kind in the index on both columns. A query for each kind would make PostgreSQL read
 * the feed backwards as far as that kind's last event, and all of it for a kind that never happened.
 */
export const latestByKind = (sql: Fragments): Statement.Fragment =>
  sql`
    newest AS (
      (
        SELECT event_type AS kind, sequence FROM event_places
        ORDER BY hashtextextended(event_type, 0) DESC, sequence DESC LIMIT 1
      )
      UNION ALL
      SELECT below.kind, below.sequence FROM newest CROSS JOIN LATERAL (
        SELECT event_type AS kind, sequence FROM event_places
        WHERE hashtextextended(event_type, 0) < hashtextextended(newest.kind, 0)
        ORDER BY hashtextextended(event_type, 0) DESC, sequence DESC LIMIT 1
      ) below
    ), entries AS MATERIALIZED (
      SELECT kind AS entry, sequence FROM newest
      UNION ALL SELECT split_part(kind, '.', 1) || '.*', max(sequence) FROM newest GROUP BY 1
    )`
