import type { Provider } from "../../../domain/sales/providers/Provider.ts"
import type { KeptEvent } from "../../../domain/sales/providers/ReadEvents.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { integers } from "../../ground/persistence/StatementParts.ts"

/** How many bodies one transaction takes away. */
export const slice = 200

/** An event whose body is past its time. */
export interface OldBody extends KeptEvent {
  readonly sequence: bigint
  readonly provider: Provider
  /** Whether a purchase is known that it concerns. */
  readonly leads: boolean
}

/**
 * Locks events whose bodies came longer ago than `days`, the oldest first, of those after a place. One that no purchase was
 * told of yet is not old.
 */
export const lockOldBodies = (sql: Database, days: number, after = 0n): Query<OldBody> =>
  sql<OldBody>`
    -- name: billing_events.lock old bodies
    SELECT e.sequence, e.event_id, e.occurred_at, e.body, e.facts, c.provider, EXISTS (
      WITH RECURSIVE reached (object) AS (
        SELECT o.object FROM billing_event_objects o WHERE o.sequence = e.sequence
        UNION SELECT l.target FROM reached r JOIN billing_links l
          ON l.connection_id = e.connection_id AND l.about = r.object
      ) SELECT FROM reached r JOIN purchases p ON p.connection_id = e.connection_id AND p.name = r.object) AS leads
    FROM billing_events e JOIN billing_connections c ON c.id = e.connection_id
    WHERE e.body IS NOT NULL AND e.is_routed AND e.received_at < now() - ${days} * interval '24 hours'
      AND e.sequence > ${after}
    ORDER BY e.sequence LIMIT ${slice}
    -- guard: what somebody erases is passed by, and two nodes take different events
    FOR NO KEY UPDATE OF e SKIP LOCKED`

/** Puts what is kept of locked events in the place of their bodies, and of what was kept before. */
export const updateToFacts = (
  sql: Database,
  events: ReadonlyArray<{ readonly sequence: bigint; readonly facts: string }>
): Query<object> =>
  sql`
    -- name: billing_events.update to facts
    UPDATE billing_events e SET body = NULL, facts = f.facts::json
    FROM unnest(${integers(events.map(({ sequence }) => sequence))}::bigint[], ${
    events.map(({ facts }) => facts)
  }::text[]) AS f (sequence, facts)
    WHERE e.sequence = f.sequence`

/** Deletes locked events. */
export const deleteEvents = (sql: Database, sequences: ReadonlyArray<bigint>): Query<object> =>
  sql`
    -- name: billing_events.delete
    DELETE FROM billing_events WHERE sequence = ANY(${integers(sequences)}::bigint[])`

/**
 * Deletes events that came longer ago than `days` and say nothing, but for the last one of each connection, by which people
 * see that it works; answers a row for each.
 */
export const deleteSilent = (sql: Database, days: number): Query<object> =>
  sql`
    -- name: billing_events.delete silent
    DELETE FROM billing_events WHERE sequence IN (
      SELECT e.sequence FROM billing_events e
      WHERE e.body IS NULL AND json_array_length(e.facts) = 0 AND e.is_routed
        AND e.received_at < now() - ${days} * interval '24 hours'
        AND e.sequence < (SELECT max(l.sequence) FROM billing_events l WHERE l.connection_id = e.connection_id)
      ORDER BY e.sequence LIMIT ${slice}
      -- guard: two nodes delete different events
      FOR UPDATE SKIP LOCKED)
    RETURNING 1`
