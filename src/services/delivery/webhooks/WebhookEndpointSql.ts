import type { Statement } from "effect/sql"
import type { WebhookEndpointCreate } from "../../../domain/delivery/webhooks/Webhook.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import type { SortedClauses } from "../../ground/persistence/KeysetPagination.ts"
import { assignments } from "../../ground/persistence/StatementParts.ts"
import { webhookColumns } from "./WebhookSecrets.ts"
import type { EndpointChange, LockedEndpoint, SealedHeaders } from "./WebhookSecrets.ts"

const shownTables = (sql: Database): Statement.Fragment =>
  sql`webhook_endpoints e JOIN webhook_lanes l ON l.endpoint_id = e.id`

/** An endpoint as it is shown; none once it is deleted. */
export const findShown = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: webhook_endpoints.find shown
    SELECT ${webhookColumns(sql)} FROM ${shownTables(sql)} WHERE e.id = ${id} AND e.deleted_at IS NULL`

/** A page of endpoints as they are shown. */
export const listShown = (sql: Database, { orderBy, place, where }: SortedClauses, limit: number): Query<object> =>
  sql`
    -- name: webhook_endpoints.list shown
    SELECT ${webhookColumns(sql)} ${place} FROM ${shownTables(sql)} ${where} ${orderBy} LIMIT ${limit}`

/** An endpoint that changed, and when it was read: a hot row, which is cast. */
export interface ChangeRow {
  readonly horizon: string
  readonly clock: Date
  readonly revision: string
  readonly id: string | null
  readonly url: string
  readonly event_types: ReadonlyArray<string>
  readonly is_active: boolean
  readonly ordered: boolean
  readonly skipped_seq: bigint
  readonly headers: Uint8Array | null
  readonly deleted: boolean
}

/** The statement that finds what changed since a horizon; one row without an endpoint when nothing did. */
export const changesQuery = `
  -- name: webhook_endpoints.list changed
  SELECT s.horizon::text AS horizon, clock_timestamp() AS clock, e.id, e.url, e.event_types, e.is_active,
    e.ordered, e.skipped_seq, e.headers, e.deleted_at IS NOT NULL AS deleted, e.changed_xid::text AS revision
  FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS horizon) s
  LEFT JOIN webhook_endpoints e ON e.changed_xid >= $1::xid8`

/** The endpoints that changed since a horizon, deleted ones included. */
export const listChanged = (sql: Database, horizon: string): Query<ChangeRow> =>
  sql.unsafe<ChangeRow>(changesQuery, [horizon])

/** Inserts an endpoint, its headers sealed. */
export const insertEndpoint = (
  sql: Database,
  { headers, id, input, url }: {
    readonly id: string
    readonly url: string
    readonly headers: SealedHeaders
    readonly input: Pick<WebhookEndpointCreate, "event_types" | "is_active" | "name" | "ordered">
  }
): Query<object> =>
  sql`
    -- name: webhook_endpoints.insert
    INSERT INTO webhook_endpoints (id, name, url, event_types, headers, header_names, ordered, is_active)
    VALUES (${id}, ${input.name}, ${url}, ${[...new Set(input.event_types)]}::text[],
      ${headers.sealed}::bytea, ${headers.names}::text[], ${input.ordered ?? false}, ${input.is_active ?? true})`

/** The settings of an endpoint, locked until the end of the transaction. */
export const lockSettings = (sql: Database, id: string): Query<LockedEndpoint> =>
  sql<LockedEndpoint>`
    -- name: webhook_endpoints.lock for change
    SELECT name, url, event_types, ordered, is_active, headers FROM webhook_endpoints
    -- A deleted endpoint is not changed
    WHERE id = ${id} AND deleted_at IS NULL FOR UPDATE`

/**
 * Sets what changes, and has the lane try at once: what it waits for was learned under other settings. An endpoint that
 * is activated again is judged anew.
 */
export const updateSettings = (sql: Database, id: string, change: EndpointChange): Query<object> => {
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
    -- name: webhook_endpoints.update settings
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

/** An endpoint that is not deleted, locked until the end of the transaction. */
export const lockEndpoint = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: webhook_endpoints.lock for deletion
    SELECT id FROM webhook_endpoints WHERE id = ${id} AND deleted_at IS NULL FOR UPDATE`

/** Deletes an endpoint for everybody. Its row is kept until every node knows. */
export const updateDeleted = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: webhook_endpoints.update deleted
    UPDATE webhook_endpoints SET deleted_at = now(), is_active = false, disabled_reason = NULL, headers = NULL,
      changed_xid = pg_current_xact_id()
    WHERE id = ${id}`

/** Removes endpoints that were deleted long enough ago for every node to know; answers a row for each. */
export const deleteLongDeleted = (sql: Database, limit: number): Query<object> =>
  sql`
    -- name: webhook_endpoints.delete long deleted
    DELETE FROM webhook_endpoints WHERE id = ANY(ARRAY(
      SELECT id FROM webhook_endpoints WHERE deleted_at < now() - interval '10 minutes'
      -- guard: the purge passes by an endpoint that is locked
      ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED)) RETURNING 1`
