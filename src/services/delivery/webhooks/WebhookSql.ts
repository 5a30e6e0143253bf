import { maximumLiveSecrets } from "../../../domain/delivery/webhooks/Webhook.ts"
import type { EventKind } from "../../../domain/log/EventKind.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { integers } from "../../ground/persistence/StatementParts.ts"

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

/** Has secrets that sign longer than so many seconds end then; answers a row for each. */
export const updateShortened = (sql: Database, endpointId: string, overlapSeconds: number): Query<object> =>
  sql`
    -- name: webhook_secrets.update shortened
    UPDATE webhook_secrets SET expires_at = now() + ${overlapSeconds} * interval '1 second'
    WHERE endpoint_id = ${endpointId} AND expires_at > now() + ${overlapSeconds} * interval '1 second'
    RETURNING id`

/** Deletes the secrets of an endpoint that sign no more. */
export const deleteExpired = (sql: Database, endpointId: string): Query<object> =>
  sql`
    -- name: webhook_secrets.delete expired of endpoint
    DELETE FROM webhook_secrets WHERE endpoint_id = ${endpointId} AND expires_at <= now()`

/** Has every secret of an endpoint end after so many seconds at the latest: a new one takes its place. */
export const updateReplaced = (sql: Database, endpointId: string, overlapSeconds: number): Query<object> =>
  sql`
    -- name: webhook_secrets.update replaced
    UPDATE webhook_secrets SET expires_at = LEAST(expires_at, now() + ${overlapSeconds} * interval '1 second')
    WHERE endpoint_id = ${endpointId}`

/** Deletes the secrets that sign no more, and the oldest ones, so that there is a place for one more. */
export const deleteBeyond = (sql: Database, endpointId: string): Query<object> =>
  sql`
    -- name: webhook_secrets.delete beyond most
    DELETE FROM webhook_secrets
    WHERE endpoint_id = ${endpointId} AND (expires_at <= now() OR id NOT IN (
      SELECT id FROM webhook_secrets WHERE endpoint_id = ${endpointId}
      ORDER BY id DESC LIMIT ${maximumLiveSecrets - 1}
    ))`

/** Inserts a secret, sealed. */
export const insertSecret = (
  sql: Database,
  { endpointId, prefix, sealed }: {
    readonly endpointId: string
    readonly sealed: Uint8Array
    readonly prefix: string
  }
): Query<object> =>
  sql`
    -- name: webhook_secrets.insert
    INSERT INTO webhook_secrets (endpoint_id, secret, prefix) VALUES (${endpointId}, ${sealed}, ${prefix})`

/** The secrets of an endpoint, sealed, the newest first. */
export const listSecrets = (
  sql: Database,
  endpointId: string
): Query<{ readonly id: bigint; readonly secret: Uint8Array }> =>
  sql<{ readonly id: bigint; readonly secret: Uint8Array }>`
    -- name: webhook_secrets.list of endpoint
    SELECT id, secret FROM webhook_secrets WHERE endpoint_id = ${endpointId} ORDER BY id DESC`

/** The secrets that sign now, sealed, the newest first, and for how many milliseconds more. */
export const listLive = (sql: Database, endpointId: string): Query<object> =>
  sql`
    -- name: webhook_secrets.list live
    SELECT secret, (extract(epoch FROM expires_at - clock_timestamp()) * 1000)::float8 AS left
    FROM webhook_secrets
    WHERE endpoint_id = ${endpointId} AND (expires_at IS NULL OR expires_at > clock_timestamp())
    ORDER BY id DESC LIMIT ${maximumLiveSecrets}`

/** Deletes these secrets. */
export const deleteSecrets = (sql: Database, ids: ReadonlyArray<bigint>): Query<object> =>
  sql`
    -- name: webhook_secrets.delete by id
    DELETE FROM webhook_secrets WHERE id = ANY(${integers(ids)}::bigint[])`

/** Deletes all secrets of an endpoint. */
export const deleteSecretsOf = (sql: Database, endpointId: string): Query<object> =>
  sql`
    -- name: webhook_secrets.delete of endpoint
    DELETE FROM webhook_secrets WHERE endpoint_id = ${endpointId}`

/** Deletes secrets of any endpoint that sign no more; answers a row for each. */
export const deleteLongExpired = (sql: Database, limit: number): Query<object> =>
  sql`
    -- name: webhook_secrets.delete expired
    DELETE FROM webhook_secrets WHERE id = ANY(ARRAY(
      SELECT id FROM webhook_secrets WHERE expires_at < now()
      -- guard: the purge passes by a secret that is locked
      ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED)) RETURNING 1`
