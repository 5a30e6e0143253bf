import { Schema } from "effect"
import type { LaneChange } from "../../domain/delivery/LaneChange.ts"
import type { DisabledReason } from "../../domain/delivery/webhooks/Webhook.ts"
import type { Database, Query } from "../ground/persistence/Database.ts"
import { rowReader } from "../ground/persistence/RowToWire.ts"
import { integers, recordset } from "../ground/persistence/StatementParts.ts"
import { webhookColumns } from "./webhooks/WebhookSecrets.ts"

/** Reads a row of {@link findLane}. */
export const readLane = rowReader(Schema.Struct({
  cursor_seq: Schema.Int,
  breaker: Schema.Literals(["closed", "open", "half_open"]),
  probe_in: Schema.optionalKey(Schema.Finite),
  probe_count: Schema.Int,
  consecutive_failures: Schema.Int,
  failing: Schema.Boolean,
  failing_deliveries: Schema.Int,
  rest_in: Schema.optionalKey(Schema.Finite),
  rate_per_second: Schema.optionalKey(Schema.Finite),
  refusals: Schema.Int
}))

/** Reads a row of {@link listExhaustedEvents}. */
export const readExhausted = rowReader(Schema.Struct({
  sequence: Schema.Int,
  id: Schema.String,
  event_type: Schema.String
}))

/** A retry as a lane reads it: a hot row, which is cast. */
export interface RetryRow {
  readonly seq: bigint
  readonly attempt: number
  readonly due_in: number
  readonly recent: boolean
}

/** A lane that was written, and whether nothing was delivered to its endpoint for too long. */
export interface WrittenLane {
  readonly endpoint_id: string
  readonly hopeless: boolean
}

/** An endpoint that fails this long, in hours, and on this many deliveries is disabled. */
const hopeless = { hours: 120, deliveries: 10 }

/** The lane of an endpoint; its deadline is in milliseconds from now. */
export const findLane = (sql: Database, endpointId: string): Query<object> =>
  sql`
    -- name: webhook_lanes.find
    SELECT cursor_seq, breaker, (extract(epoch FROM probe_at - clock_timestamp()) * 1000)::float8 AS probe_in,
      probe_count, consecutive_failures, failing_since IS NOT NULL AS failing, failing_deliveries,
      (extract(epoch FROM rest_until - clock_timestamp()) * 1000)::float8 AS rest_in, rate_per_second, refusals
    FROM webhook_lanes WHERE endpoint_id = ${endpointId}`

const retriesBy = (order: "due_at" | "seq", qualifier: string): string => `
  -- name: webhook_retries.list ${qualifier}
  SELECT r.seq, r.attempt, (extract(epoch FROM r.due_at - clock_timestamp()) * 1000)::float8 AS due_in,
    COALESCE(r.last_at >= l.failing_since, false) AS recent
  FROM webhook_retries r JOIN webhook_lanes l ON l.endpoint_id = r.endpoint_id
  WHERE r.endpoint_id = $1
  ORDER BY r.${order} LIMIT $2`

/** The text of {@link listRetries}. */
export const retriesQuery = retriesBy("due_at", "due first")

/** The same for an endpoint that takes its deliveries in order: those that come first. */
const retriesInOrderQuery = retriesBy("seq", "in order")

/** The retries of an endpoint which are due first, or come first. */
export const listRetries = (
  sql: Database,
  endpointId: string,
  { isInOrder, limit }: { readonly isInOrder: boolean; readonly limit: number }
): Query<RetryRow> => sql.unsafe<RetryRow>(isInOrder ? retriesInOrderQuery : retriesQuery, [endpointId, limit])

/** The deliveries that are to be tried again, as rows of the retry table. */
const retriesOf = (sql: Database, changes: ReadonlyArray<LaneChange>) =>
  recordset(
    sql,
    "k",
    { endpoint_id: "text", seq: "int8", attempt: "int4", delay: "float8", outcome: "text" },
    changes.flatMap(({ endpointId, retries }) =>
      retries.map(({ attempt, delay, outcome, sequence }) => ({
        endpoint_id: endpointId,
        seq: sequence,
        attempt,
        delay,
        outcome
      }))
    )
  )

/** The deliveries that are settled or given up, whose rows go from the retry table. */
const endedOf = (sql: Database, changes: ReadonlyArray<LaneChange>) =>
  recordset(
    sql,
    "g",
    { endpoint_id: "text", seq: "int8" },
    changes.flatMap(({ endpointId, exhausted, settled }) =>
      [...settled, ...exhausted.map(({ sequence }) => sequence)].map((seq) => ({ endpoint_id: endpointId, seq }))
    )
  )

const lanesOf = (sql: Database, changes: ReadonlyArray<LaneChange>) =>
  recordset(
    sql,
    "c",
    {
      endpoint_id: "text",
      cursor_seq: "int8",
      delivered: "int4",
      failed: "int4",
      exhausted: "int4",
      dropped: "int4",
      attempted: "bool",
      succeeded: "bool",
      failing: "bool",
      failing_deliveries: "int4",
      breaker: "text",
      probe_in: "float8",
      probe_count: "int4",
      consecutive_failures: "int4",
      rest_in: "float8",
      per_second: "float8",
      refusals: "int4",
      class: "text",
      status: "int4",
      location: "text"
    },
    changes.map((change) => ({
      endpoint_id: change.endpointId,
      cursor_seq: change.cursor,
      delivered: change.delivered,
      failed: change.failed,
      exhausted: change.exhausted.length,
      dropped: change.dropped,
      attempted: change.attempted,
      succeeded: change.succeeded,
      failing: change.failing,
      failing_deliveries: change.failingDeliveries,
      breaker: change.breaker.state,
      probe_in: change.breaker.probeAt,
      probe_count: change.breaker.probeCount,
      consecutive_failures: change.breaker.consecutiveFailures,
      rest_in: change.rate.restUntil,
      per_second: change.rate.perSecond ?? 0,
      refusals: change.rate.refusals,
      class: change.last?.class ?? "",
      status: change.last?.status ?? 0,
      location: change.last?.location ?? ""
    }))
  )

/**
 * Writes changes of different lanes at once. An owner that has lost its lane without knowing it may repeat deliveries,
 * and loses none, because what it writes late takes nothing back: cursors and attempts only grow.
 */
export const updateLanes = (sql: Database, changes: ReadonlyArray<LaneChange>): Query<WrittenLane> =>
  sql<WrittenLane>`
    -- name: webhook_lanes.update
    WITH gone AS (
      DELETE FROM webhook_retries r USING ${endedOf(sql, changes)}
      WHERE r.endpoint_id = g.endpoint_id AND r.seq = g.seq
    ), kept AS (
      INSERT INTO webhook_retries (endpoint_id, seq, attempt, due_at, last_outcome)
      SELECT k.endpoint_id, k.seq, k.attempt, now() + k.delay * interval '1 millisecond', k.outcome
      FROM ${retriesOf(sql, changes)}
      -- guard: a deleted endpoint gets no retry
      JOIN webhook_endpoints e ON e.id = k.endpoint_id FOR KEY SHARE OF e
      ON CONFLICT (endpoint_id, seq) DO UPDATE SET
        -- guard: attempts only grow
        attempt = GREATEST(webhook_retries.attempt, EXCLUDED.attempt),
        due_at = EXCLUDED.due_at, last_at = EXCLUDED.last_at, last_outcome = EXCLUDED.last_outcome
    )
    UPDATE webhook_lanes l SET
      -- guard: a cursor only moves forward
      cursor_seq = GREATEST(l.cursor_seq, c.cursor_seq),
      breaker = c.breaker,
      probe_at = CASE WHEN c.breaker = 'closed' THEN NULL ELSE now() + c.probe_in * interval '1 millisecond' END,
      probe_count = c.probe_count,
      consecutive_failures = c.consecutive_failures,
      delivered_total = l.delivered_total + c.delivered,
      failed_total = l.failed_total + c.failed,
      exhausted_total = l.exhausted_total + c.exhausted,
      dropped_total = l.dropped_total + c.dropped,
      last_attempt_at = CASE WHEN c.attempted THEN now() ELSE l.last_attempt_at END,
      last_success_at = CASE WHEN c.succeeded THEN now() ELSE l.last_success_at END,
      failing_since = CASE WHEN NOT c.failing THEN CASE WHEN c.succeeded THEN NULL ELSE l.failing_since END
        WHEN c.succeeded THEN now() ELSE COALESCE(l.failing_since, now()) END,
      failing_deliveries = CASE WHEN c.succeeded THEN c.failing_deliveries
        ELSE GREATEST(l.failing_deliveries, c.failing_deliveries) END,
      rest_until = CASE WHEN c.rest_in > 0 THEN now() + c.rest_in * interval '1 millisecond' END,
      rate_per_second = NULLIF(c.per_second, 0),
      refusals = c.refusals,
      throttled_since = CASE WHEN c.refusals > 0
          THEN CASE WHEN c.succeeded THEN now() ELSE COALESCE(l.throttled_since, now()) END
        WHEN NOT c.succeeded THEN l.throttled_since END,
      last_class = CASE WHEN c.class = '' THEN l.last_class ELSE c.class END,
      last_status = CASE WHEN c.class = '' THEN l.last_status ELSE NULLIF(c.status, 0) END,
      last_location = CASE WHEN c.class = '' THEN l.last_location ELSE NULLIF(c.location, '') END
    FROM ${lanesOf(sql, changes)}
    WHERE l.endpoint_id = c.endpoint_id
    RETURNING l.endpoint_id, COALESCE(
      l.failing_since <= now() - ${hopeless.hours} * interval '1 hour'
        AND l.failing_deliveries >= ${hopeless.deliveries}, false
    ) AS hopeless`

/** The events of deliveries that were given up and are to be told of. */
export const listExhaustedEvents = (sql: Database, sequences: ReadonlyArray<number>): Query<object> =>
  sql`
    -- name: events.list exhausted
    SELECT sequence, id, event_type FROM events WHERE sequence = ANY(${integers(sequences)}::bigint[])
      -- guard: an exhausted webhook event feeds no other
      AND event_type NOT LIKE 'webhook.%'`

/**
 * Locks the lanes that nobody else has locked, so that the writing after it waits for none; answers the others.
 */
export const lockFreeLanes = (
  sql: Database,
  endpointIds: ReadonlyArray<string>
): Query<{ readonly endpoint_id: string }> =>
  sql<{ readonly endpoint_id: string }>`
    -- name: webhook_lanes.lock free
    WITH free AS (
      SELECT l.endpoint_id FROM webhook_lanes l JOIN webhook_endpoints e ON e.id = l.endpoint_id
      WHERE l.endpoint_id = ANY(${endpointIds}::text[])
      ORDER BY l.endpoint_id
      -- guard: a locked lane holds up no other
      FOR NO KEY UPDATE OF l SKIP LOCKED FOR KEY SHARE OF e SKIP LOCKED
    )
    SELECT endpoint_id FROM webhook_lanes
    WHERE endpoint_id = ANY(${endpointIds}::text[]) AND endpoint_id NOT IN (SELECT endpoint_id FROM free)`

/** Stops deliveries to an endpoint; answers it as it is then, or nothing when it was stopped before. */
export const disableEndpoint = (sql: Database, endpointId: string, reason: DisabledReason): Query<object> =>
  sql`
    -- name: webhook_endpoints.update disabled
    UPDATE webhook_endpoints e SET is_active = false, disabled_reason = ${reason}, disabled_at = now(),
      updated_at = now(), changed_xid = pg_current_xact_id()
    FROM webhook_lanes l
    WHERE e.id = ${endpointId} AND l.endpoint_id = e.id
      -- guard: an endpoint is disabled once
      AND e.is_active AND e.deleted_at IS NULL
    RETURNING ${webhookColumns(sql)}`
