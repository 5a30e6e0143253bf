import type { Statement } from "effect/sql"
import { advised } from "../../../domain/delivery/webhooks/LastOutcome.ts"
import { WebhookEndpoint } from "../../../domain/delivery/webhooks/Webhook.ts"
import type { Fragments } from "../../ground/persistence/Database.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"

/**
 * Since when an endpoint fails, of a lane `l`. A receiver that asks for a slower pace does not fail; one that has taken
 * nothing for minutes does.
 */
export const failingSince = (sql: Fragments): Statement.Fragment =>
  sql`LEAST(l.failing_since,
    CASE WHEN l.throttled_since <= now() - interval '10 minutes' THEN l.throttled_since END)`

const isoTime = (sql: Fragments, time: Statement.Fragment): Statement.Fragment =>
  sql`to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** When the next attempt may be made: what waits is a retry that is due, or what the lane has not read yet. */
const nextAttempt = (sql: Fragments): Statement.Fragment => {
  const opens = sql`GREATEST(CASE WHEN l.breaker <> 'closed' THEN l.probe_at END,
    CASE WHEN l.rest_until > now() THEN l.rest_until END)`
  return sql`CASE WHEN NOT e.is_active THEN NULL
    WHEN ${opens} IS NOT NULL AND (SELECT c.last_sequence FROM event_chain c) > l.cursor_seq THEN ${opens}
    ELSE (SELECT GREATEST(
        CASE WHEN e.ordered THEN (array_agg(r.due_at ORDER BY r.seq))[1] ELSE min(r.due_at) END, ${opens}
      ) FROM webhook_retries r WHERE r.endpoint_id = e.id HAVING count(*) > 0) END`
}

/** How the last attempt ended. */
const lastOutcome = (sql: Fragments): Statement.Fragment =>
  sql`CASE WHEN l.last_class IS NOT NULL AND l.last_attempt_at IS NOT NULL THEN jsonb_strip_nulls(jsonb_build_object(
    'at', ${isoTime(sql, sql`l.last_attempt_at`)}, 'class', l.last_class, 'status', l.last_status,
    'location', l.last_location, 'next_attempt_at', ${isoTime(sql, nextAttempt(sql))})) END`

/** The columns of an endpoint as it is shown, for `FROM webhook_endpoints e JOIN webhook_lanes l`. */
export const webhookColumns = (sql: Fragments): Statement.Fragment =>
  sql`e.id, e.name, e.url,
    (SELECT s.prefix FROM webhook_secrets s WHERE s.endpoint_id = e.id ORDER BY s.id DESC LIMIT 1) AS secret_prefix,
    e.event_types, e.header_names, NULLIF(e.ordered, false) AS ordered, e.is_active,
    CASE WHEN e.is_active THEN 'active' WHEN e.disabled_reason IS NULL THEN 'paused' ELSE 'disabled' END AS status,
    e.disabled_reason, e.disabled_at, ${failingSince(sql)} AS failing_since,
    l.last_success_at AS last_delivery_at, ${lastOutcome(sql)} AS last_outcome, e.created_at, e.updated_at`

const read = rowReader(WebhookEndpoint)

/** A row of {@link webhookColumns} as the wire shows it. */
export const webhookOf = (row: object): WebhookEndpoint => {
  const endpoint = read(row)
  const { last_outcome } = endpoint
  return last_outcome === undefined ? endpoint : { ...endpoint, last_outcome: advised(last_outcome) }
}
