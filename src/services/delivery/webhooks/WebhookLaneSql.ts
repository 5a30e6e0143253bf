import type { EventKind } from "../../../domain/log/EventKind.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"

/** Makes the lane of an endpoint: whatever is committed after this transaction gets a higher sequence than the feed has now. */
export const insertLane = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: webhook_lanes.insert
    INSERT INTO webhook_lanes (endpoint_id, cursor_seq) SELECT ${id}, last_sequence FROM event_chain`

interface LaneEnds {
  readonly cursor_seq: bigint
  readonly head: bigint
  readonly event_types: ReadonlyArray<string>
}

/** How far the lane of an endpoint is, how far the feed, and what the endpoint takes. */
export const findLaneEnds = (sql: Database, id: string): Query<LaneEnds> =>
  sql<LaneEnds>`
    -- name: webhook_lanes.find ends
    SELECT l.cursor_seq, c.last_sequence AS head, e.event_types
    FROM webhook_endpoints e JOIN webhook_lanes l ON l.endpoint_id = e.id CROSS JOIN event_chain c
    WHERE e.id = ${id} AND e.deleted_at IS NULL`

/** How many places of the feed there are after one and up to another, of these kinds or of all. */
export const countPlaces = (
  sql: Database,
  after: number,
  upTo: number,
  kinds: ReadonlyArray<EventKind> | undefined
): Query<{ readonly count: bigint }> =>
  sql<{ readonly count: bigint }>`
    -- name: event_places.count of kinds
    SELECT count(*) AS count FROM event_places
    WHERE sequence > ${after} AND sequence <= ${upTo}
      ${kinds === undefined ? sql`` : sql`AND event_type = ANY(${kinds}::text[])`}`

/** Has a lane stand at a place of the feed, with nothing to be tried again; answers a row for each that was to be. */
export const updateSkipped = (sql: Database, id: string, sequence: number): Query<object> =>
  sql`
    -- name: webhook_lanes.update skipped
    WITH lane AS (
      -- guard: a skip moves no cursor back
      UPDATE webhook_lanes SET cursor_seq = GREATEST(cursor_seq, ${sequence}) WHERE endpoint_id = ${id}
    ), passed AS (
      UPDATE webhook_endpoints SET skipped_seq = GREATEST(skipped_seq, ${sequence}) WHERE id = ${id}
    )
    DELETE FROM webhook_retries WHERE endpoint_id = ${id} AND seq <= ${sequence} RETURNING seq`

/** Retries that were planned for later are due: in order, a delivery that waits holds up all others. */
export const updateRetriesDue = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: webhook_retries.update due
    UPDATE webhook_retries SET due_at = now() WHERE endpoint_id = ${id} AND due_at > now()`

/** Another receiver answers from now on: nothing is known of its pace, and what failed before is due. */
export const updateReceiverForgotten = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: webhook_lanes.update receiver forgotten
    WITH due AS (
      UPDATE webhook_retries SET due_at = now()
      -- What is due keeps its place
      WHERE endpoint_id = ${id} AND due_at > now()
    )
    UPDATE webhook_lanes SET rest_until = NULL, rate_per_second = NULL, refusals = 0, throttled_since = NULL
    WHERE endpoint_id = ${id}`

/** Drops the retries of what an endpoint does not take any more. */
export const deleteRetriesUnwanted = (sql: Database, id: string, eventTypes: ReadonlyArray<string>): Query<object> =>
  sql`
    -- name: webhook_retries.delete unwanted
    DELETE FROM webhook_retries r USING events v
    WHERE r.endpoint_id = ${id} AND v.sequence = r.seq
      -- An empty list takes every event
      AND cardinality(${eventTypes}::text[]) > 0
      AND v.event_type <> ALL(${eventTypes}::text[])
      AND split_part(v.event_type, '.', 1) || '.*' <> ALL(${eventTypes}::text[])`

/** Drops all that was still to be sent to an endpoint. */
export const deleteRetries = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: webhook_retries.delete of endpoint
    DELETE FROM webhook_retries WHERE endpoint_id = ${id}`
