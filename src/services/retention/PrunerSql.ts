import type { Database, Query } from "../persistence/Database.ts"

/** Leases, and uses, that one transaction deletes. */
export const slice = 1000

/**
 * Deletes leases that ended longer ago than `days`, the oldest first. A lease goes only after its events: an erasure
 * finds them by the lease, an explanation of a time since the drop reads it, and until then the doctor compares it. An
 * event may be a little later in the log than its time says, so the time alone does not tell that it was dropped. It is
 * looked up for one lease after another, because a join might read all events.
 */
export const deleteLeases = (sql: Database, days: number): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: leases.delete pruned
    DELETE FROM leases WHERE id = ANY(ARRAY(
      SELECT l.id FROM leases l CROSS JOIN event_archive a
      WHERE l.ended_at < now() - ${days} * interval '24 hours'
        -- guard: a lease outlives the log of its time
        AND l.ended_at <= a.dropped_until
        -- guard: a lease outlives its events
        AND (SELECT p.sequence FROM event_places p
          WHERE right(p.resource_id, 7) = right(l.id, 7) AND p.resource_id = l.id LIMIT 1) IS NULL
        -- guard: a lease outlives its events that wait for a place
        AND (SELECT o.ordinal FROM event_outbox o WHERE o.resource_id = l.id LIMIT 1) IS NULL
      ORDER BY l.ended_at LIMIT ${slice} FOR UPDATE OF l SKIP LOCKED
    )) RETURNING id`
