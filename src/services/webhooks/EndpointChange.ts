import type { WebhookEndpointUpdate } from "../../domain/webhooks/Webhook.ts"
import { assignments } from "../persistence/Assignments.ts"
import type { Database, Query } from "../persistence/Database.ts"
import type { SealedHeaders } from "./SealedHeaders.ts"

/** What can be set of an endpoint, as it stands. */
export interface EndpointSettings {
  readonly name: string
  readonly url: string
  readonly event_types: ReadonlyArray<string>
  readonly ordered: boolean
  readonly is_active: boolean
}

/** An endpoint as it is locked for a change, its headers sealed. */
export interface LockedEndpoint extends EndpointSettings {
  readonly headers: Uint8Array | null
}

/** What is set of an endpoint: only what differs from what stands. */
export type EndpointChange = Partial<EndpointSettings> & { readonly headers?: SealedHeaders }

const isSameList = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  one.length === other.length && one.every((value, index) => value === other[index])

/** What an update changes: a value that stands already is no change. */
export const changeOf = (
  before: EndpointSettings,
  { event_types, is_active, name, ordered, url }:
    & Pick<WebhookEndpointUpdate, "event_types" | "is_active" | "name" | "ordered">
    & { readonly url: string | undefined }
): EndpointChange => {
  const kinds = event_types === undefined ? before.event_types : [...new Set(event_types)]
  return {
    ...(name === undefined || name === before.name ? {} : { name }),
    ...(url === undefined || url === before.url ? {} : { url }),
    ...(isSameList(kinds, before.event_types) ? {} : { event_types: kinds }),
    ...(ordered === undefined || ordered === before.ordered ? {} : { ordered }),
    ...(is_active === undefined || is_active === before.is_active ? {} : { is_active })
  }
}

/** The settings of an endpoint, locked until the end of the transaction. */
export const lockEndpoint = (sql: Database, id: string): Query<LockedEndpoint> =>
  sql<LockedEndpoint>`
    SELECT name, url, event_types, ordered, is_active, headers FROM webhook_endpoints
    -- A deleted endpoint is not changed
    WHERE id = ${id} AND deleted_at IS NULL FOR UPDATE`

/**
 * Sets what changes, and has the lane try at once: what it waits for was learned under other settings. An endpoint that
 * is activated again is judged anew.
 */
export const updateEndpoint = (sql: Database, id: string, change: EndpointChange): Query<object> => {
  const { event_types, headers, is_active, name, ordered, url } = change
  const set = {
    updated_at: sql`now()`,
    changed_xid: sql`pg_current_xact_id()`,
    ...(name === undefined ? {} : { name: sql`${name}` }),
    ...(url === undefined ? {} : { url: sql`${url}` }),
    ...(event_types === undefined ? {} : { event_types: sql`${event_types}::text[]` }),
    ...(headers === undefined
      ? {}
      : { headers: sql`${headers.sealed}::bytea`, header_names: sql`${headers.names}::text[]` }),
    ...(ordered === undefined ? {} : { ordered: sql`${ordered}` }),
    ...(is_active === undefined ? {} : { is_active: sql`${is_active}` }),
    ...(is_active === true ? { disabled_reason: sql`NULL`, disabled_at: sql`NULL` } : {})
  }
  return sql`
    WITH lane AS (
      UPDATE webhook_lanes l SET
        breaker = CASE WHEN e.disabled THEN 'closed' ELSE l.breaker END,
        probe_at = CASE WHEN e.disabled THEN NULL ELSE LEAST(l.probe_at, now()) END,
        probe_count = 0,
        consecutive_failures = CASE WHEN e.disabled THEN 0 ELSE l.consecutive_failures END,
        failing_since = CASE WHEN e.disabled THEN NULL ELSE l.failing_since END,
        failing_deliveries = CASE WHEN e.disabled THEN 0 ELSE l.failing_deliveries END
      FROM (
        SELECT ${is_active === true} AND disabled_reason IS NOT NULL AS disabled FROM webhook_endpoints WHERE id = ${id}
      ) e
      -- A lane that goes on as before is not written
      WHERE l.endpoint_id = ${id} AND (e.disabled OR l.breaker <> 'closed')
    )
    UPDATE webhook_endpoints SET ${assignments(sql, set)} WHERE id = ${id}`
}

/** What was to be tried again later is due: in order, a delivery that waits holds up all others. */
export const retriesDue = (sql: Database, id: string): Query<object> =>
  sql`UPDATE webhook_retries SET due_at = now() WHERE endpoint_id = ${id} AND due_at > now()`

/** Another receiver answers from now on: nothing is known of its pace, and what failed before is due. */
export const forgetReceiver = (sql: Database, id: string): Query<object> =>
  sql`
    WITH due AS (
      UPDATE webhook_retries SET due_at = now()
      -- What is due keeps its place
      WHERE endpoint_id = ${id} AND due_at > now()
    )
    UPDATE webhook_lanes SET rest_until = NULL, rate_per_second = NULL, refusals = 0, throttled_since = NULL
    WHERE endpoint_id = ${id}`

/** Drops the retries of what an endpoint does not take any more. */
export const dropUnwanted = (sql: Database, id: string, eventTypes: ReadonlyArray<string>): Query<object> =>
  sql`
    DELETE FROM webhook_retries r USING events v
    WHERE r.endpoint_id = ${id} AND v.sequence = r.seq
      -- An empty list takes every event
      AND cardinality(${eventTypes}::text[]) > 0
      AND v.event_type <> ALL(${eventTypes}::text[])
      AND split_part(v.event_type, '.', 1) || '.*' <> ALL(${eventTypes}::text[])`
