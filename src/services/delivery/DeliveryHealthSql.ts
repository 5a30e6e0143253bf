import type { WebhookHealth as Health } from "../../domain/delivery/WebhookHealth.ts"
import type { Database, Query } from "../ground/persistence/Database.ts"
import { integers } from "../ground/persistence/StatementParts.ts"
import { latestByKind } from "../log/LatestByKind.ts"
import { failingSince } from "./webhooks/WebhookSecrets.ts"

/** The deliveries of a node since it last wrote; `latency` counts them by the bucket of their latency. */
interface DeliveredMinute {
  readonly delivered: number
  readonly failed: number
  readonly latency: ReadonlyArray<number>
}

/** Adds what a node delivered to its row of the current minute. */
export const insertMinute = (sql: Database, node: string, { delivered, failed, latency }: DeliveredMinute) =>
  sql`
    -- name: webhook_minutes.insert
    INSERT INTO webhook_minutes AS m (node, minute, delivered, failed, latency)
    VALUES (${node}, date_trunc('minute', now()), ${delivered}, ${failed}, ${integers(latency)}::bigint[])
    ON CONFLICT (minute, node) DO UPDATE SET delivered = m.delivered + EXCLUDED.delivered,
      failed = m.failed + EXCLUDED.failed,
      latency = ARRAY(SELECT a + b FROM unnest(m.latency, EXCLUDED.latency) WITH ORDINALITY AS u (a, b, n) ORDER BY n)`

/** Deletes the minutes that nobody asks for any more. */
export const deleteOldMinutes = (sql: Database): Query<object> =>
  sql`
    -- name: webhook_minutes.delete old
    DELETE FROM webhook_minutes WHERE minute < now() - interval '2 hours'`

/** The last hour of all nodes, in up to two rows: the last five minutes, which are `recent`, and those before. */
export const listWindows = (sql: Database): Query<object> =>
  sql`
    -- name: webhook_minutes.list windows
    SELECT m.recent, sum(m.delivered)::bigint AS delivered, sum(m.failed)::bigint AS failed,
      ARRAY(
        SELECT sum(x.n)::bigint FROM webhook_minutes w, unnest(w.latency) WITH ORDINALITY AS x (n, place)
        WHERE w.minute > now() - interval '1 hour' AND (w.minute > now() - interval '5 minutes') = m.recent
        GROUP BY x.place ORDER BY x.place
      ) AS latency
    FROM (
      SELECT minute > now() - interval '5 minutes' AS recent, delivered, failed FROM webhook_minutes
      WHERE minute > now() - interval '1 hour'
    ) m
    GROUP BY m.recent`

/** The minutes of the last hour, each summed over all nodes. */
export const listMinutes = (sql: Database): Query<object> =>
  sql`
    -- name: webhook_minutes.list
    SELECT minute, sum(delivered)::bigint AS delivered, sum(failed)::bigint AS failed_attempts FROM webhook_minutes
    WHERE minute > now() - interval '1 hour' GROUP BY minute ORDER BY minute`

/** A lane as it is measured: there are as many as endpoints, so the row is cast. */
export interface LaneRow {
  readonly id: string
  readonly name: string
  readonly state: keyof Health["lanes"]
  readonly disabled_reason: string | null
  readonly backlog: bigint
  readonly retries: number
  readonly consecutive_failures: number
  readonly exhausted: bigint
  readonly undelivered: number | null
  readonly overdue: number | null
  readonly failing_since: Date | null
  /** Its receiver limits the rate. */
  readonly throttled: boolean
  readonly last_outcome: string | null
}

/**
 * Measures lanes, one row for each endpoint. Whether one is behind is exact: the newest event of each kind that it takes is
 * known.
 */
export const listLanes = (sql: Database): Query<LaneRow> =>
  sql<LaneRow>`
    -- name: webhook_lanes.list measured
    WITH RECURSIVE ${latestByKind(sql)}, head AS (SELECT last_sequence AS sequence FROM event_chain)
    SELECT e.id, e.name, e.disabled_reason, l.consecutive_failures, l.exhausted_total AS exhausted,
      ${failingSince(sql)} AS failing_since, COALESCE(r.last_outcome, l.last_status::text) AS last_outcome,
      (l.rate_per_second IS NOT NULL OR l.rest_until > now()) IS TRUE AS throttled,
      CASE WHEN e.disabled_reason IS NOT NULL THEN 'disabled' WHEN NOT e.is_active THEN 'paused'
        WHEN l.breaker <> 'closed' THEN 'breaker_open' WHEN ${failingSince(sql)} IS NOT NULL THEN 'failing'
        ELSE 'active' END AS state,
      CASE WHEN b.behind THEN GREATEST(head.sequence - l.cursor_seq, 0) ELSE 0 END AS backlog,
      COALESCE(r.pending, 0)::int AS retries,
      extract(epoch FROM now() - LEAST(r.first_at, u.created_at))::float8 AS undelivered,
      CASE WHEN GREATEST(r.due_at, l.rest_until) < now() AND r.due_at IS NOT NULL
        THEN extract(epoch FROM now() - GREATEST(r.due_at, l.rest_until))::float8 END AS overdue
    FROM webhook_endpoints e
    JOIN webhook_lanes l ON l.endpoint_id = e.id
    CROSS JOIN head
    CROSS JOIN LATERAL (
      SELECT COALESCE(max(n.sequence) > l.cursor_seq, false) AS behind FROM entries n
      WHERE cardinality(e.event_types) = 0 OR n.entry = ANY(e.event_types)
    ) b
    LEFT JOIN LATERAL (
      SELECT count(*) AS pending,
        CASE WHEN e.ordered THEN (array_agg(w.due_at ORDER BY w.seq))[1] ELSE min(w.due_at) END AS due_at,
        min(w.first_at) AS first_at, (array_agg(w.last_outcome ORDER BY w.last_at DESC))[1] AS last_outcome
      FROM (
        SELECT seq, due_at, first_at, last_at, last_outcome FROM webhook_retries
        WHERE endpoint_id = e.id ORDER BY due_at LIMIT 10000
      ) w
    ) r ON true
    LEFT JOIN LATERAL (
      SELECT v.created_at FROM events v WHERE b.behind AND v.sequence > l.cursor_seq ORDER BY v.sequence LIMIT 1
    ) u ON true
    WHERE e.deleted_at IS NULL`

/** The end of the feed, and how many events wait for their place behind it, up to 10,000, and for how many seconds. */
export const findFeedLag = (sql: Database): Query<object> =>
  sql`
    -- name: event_chain.find with lag
    SELECT now() AS as_of, c.last_sequence AS head, o.unsequenced, o.lag
    FROM event_chain c
    CROSS JOIN (
      SELECT count(*)::int AS unsequenced,
        COALESCE(extract(epoch FROM clock_timestamp() - min(created_at)), 0)::float8 AS lag
      FROM (SELECT created_at FROM event_outbox ORDER BY xid, ordinal LIMIT 10000) w
    ) o`
