import type { Statement } from "effect/sql"
import type { Meter } from "../../../domain/catalog/terms/Measure.ts"
import { isNamedBySite } from "../../../domain/sales/providers/Provider.ts"
import type { Provider } from "../../../domain/sales/providers/Provider.ts"
import type { Mapping } from "../../../domain/sales/purchases/Mapping.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import type { SortedClauses } from "../../ground/persistence/KeysetPagination.ts"
import { assignments } from "../../ground/persistence/StatementParts.ts"

const shownColumns = (sql: Database, pathPrefix: string): Statement.Fragment =>
  sql`c.id, c.provider, c.name, c.mapping, c.customer_portal_url, c.created_at, c.updated_at,
    c.has_secret AND c.credentials IS NOT NULL AS has_secret,
    c.has_api_key AND c.credentials IS NOT NULL AS has_api_key,
    ${pathPrefix}::text || '/api/v1/billing/connections/' || c.id || '/events' AS events_path,
    (SELECT e.received_at FROM billing_events e WHERE e.connection_id = c.id ORDER BY e.sequence DESC LIMIT 1)
      AS last_event_at`

/** A page of connections as they are shown. Paths of an environment beside the live one begin with its prefix. */
export const listConnections = (
  sql: Database,
  { orderBy, place, where }: SortedClauses,
  { limit, pathPrefix }: { readonly limit: number; readonly pathPrefix: string }
): Query<object> =>
  sql`
    -- name: billing_connections.list
    SELECT ${shownColumns(sql, pathPrefix)} ${place} FROM billing_connections c ${where} ${orderBy} LIMIT ${limit}`

/** A connection as it is shown. */
export const findConnection = (sql: Database, id: string, pathPrefix: string): Query<object> =>
  sql`
    -- name: billing_connections.find
    SELECT ${shownColumns(sql, pathPrefix)} FROM billing_connections c WHERE c.id = ${id}`

/** The system that the records of a connection `c` are of: what it names is named by that as well. */
export const systemOf = "coalesce(c.records_as, c.provider)"

/** The provider of a connection, the system that its records are of, and its credentials, sealed. */
export interface Receiver {
  readonly provider: Provider
  readonly system: string
  readonly credentials: Uint8Array | null
}

/** The providers and the credentials of those of some connections that there are. */
export const listReceivers = (
  sql: Database,
  ids: ReadonlyArray<string>
): Query<Receiver & { readonly id: string }> =>
  sql<Receiver & { readonly id: string }>`
    -- name: billing_connections.list receivers
    SELECT c.id, c.provider, ${sql.literal(systemOf)} AS system, c.credentials FROM billing_connections c
    WHERE c.id = ANY(${ids}::text[])`

/** A connection that is about to be changed. */
interface LockedConnection {
  readonly credentials: Uint8Array | null
}

/** Locks a connection against changes. */
export const lockConnection = (sql: Database, id: string): Query<LockedConnection> =>
  sql<LockedConnection>`
    -- name: billing_connections.lock for a change
    SELECT credentials FROM billing_connections WHERE id = ${id}
    -- guard: changes of a connection wait for each other
    FOR NO KEY UPDATE`

/** Locks a connection against new events, before it is deleted. */
export const lockToDelete = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: billing_connections.lock to delete
    SELECT id FROM billing_connections WHERE id = ${id}
    -- guard: a connection that is deleted gets no event
    FOR UPDATE`

/** The reasons why a connection is not deleted. */
interface ConnectionUse {
  readonly purchases: boolean
  readonly unrouted: boolean
}

/**
 * Whether there are purchases of a connection, or events that may become some. Asked once it is locked: what was stored
 * while the lock was waited for is seen by a later statement alone.
 */
export const findUse = (sql: Database, id: string): Query<ConnectionUse> =>
  sql<ConnectionUse>`
    -- name: billing_connections.find use
    SELECT EXISTS (SELECT FROM purchases WHERE connection_id = ${id}) AS purchases,
      EXISTS (SELECT FROM billing_events WHERE connection_id = ${id} AND NOT is_routed) AS unrouted`

/** The members of a connection that are written. */
export interface ConnectionValues {
  readonly name?: string
  readonly mapping?: Mapping
  /** NULL takes it away. */
  readonly customer_portal_url?: string | null
  readonly credentials?: Uint8Array
  readonly has_secret?: boolean
  readonly has_api_key?: boolean
}

const cells = (
  sql: Database,
  { credentials, mapping, ...rest }: ConnectionValues
): Readonly<Record<string, Statement.Fragment>> => ({
  ...Object.fromEntries(Object.entries(rest).map(([column, value]) => [column, sql`${value}`])),
  ...(mapping === undefined ? {} : { mapping: sql`${JSON.stringify(mapping)}::jsonb` }),
  ...(credentials === undefined ? {} : { credentials: sql`${credentials}::bytea` })
})

/** Inserts a connection. */
export const insertConnection = (
  sql: Database,
  { id, provider, values: { credentials, customer_portal_url, has_api_key, has_secret, mapping, name } }: {
    readonly id: string
    readonly provider: Provider
    readonly values:
      & Required<Omit<ConnectionValues, "customer_portal_url">>
      & Pick<ConnectionValues, "customer_portal_url">
  }
): Query<object> =>
  sql`
    -- name: billing_connections.insert
    INSERT INTO billing_connections (id, provider, name, mapping, credentials, has_secret, has_api_key,
      customer_portal_url, records_as)
    VALUES (${id}, ${provider}, ${name}, ${JSON.stringify(mapping)}::jsonb, ${credentials}::bytea, ${has_secret},
      ${has_api_key}, ${customer_portal_url ?? null},
      -- two sites whose vendors choose the IDs never meet
      CASE WHEN ${isNamedBySite(provider)} AND EXISTS (SELECT FROM billing_connections f WHERE f.provider = ${provider})
        THEN ${provider}::text || ':' || ${id}::text END)`

/** Writes a change of a locked connection. */
export const updateConnection = (sql: Database, id: string, values: ConnectionValues): Query<object> =>
  sql`
    -- name: billing_connections.update
    UPDATE billing_connections SET ${assignments(sql, { ...cells(sql, values), updated_at: sql`now()` })}
    WHERE id = ${id}`

/** Deletes a connection that has no purchase, with what it received. */
export const deleteConnection = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: billing_connections.delete
    WITH links AS (DELETE FROM billing_links WHERE connection_id = ${id}),
      received AS (DELETE FROM billing_events WHERE connection_id = ${id})
    DELETE FROM billing_connections WHERE id = ${id} RETURNING id`

/** Asks that a purchase be looked at. */
export const insertWork = (sql: Database, purchaseIds: ReadonlyArray<string>): Query<object> =>
  sql`
    -- name: purchase_work.insert
    INSERT INTO purchase_work (purchase_id) SELECT unnest(${purchaseIds}::text[])`

/** Asks that the purchases of a connection be looked at again that wait or failed; answers them. */
export const insertWorkOfWaiting = (sql: Database, id: string): Query<{ readonly purchase_id: string }> =>
  sql<{ readonly purchase_id: string }>`
    -- name: purchase_work.insert for those that wait
    INSERT INTO purchase_work (purchase_id)
    SELECT id FROM purchases WHERE connection_id = ${id} AND status IN ('waiting', 'failed')
    RETURNING purchase_id`

/** Policies that there are, of these. */
export const listPolicies = (sql: Database, ids: ReadonlyArray<string>): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: policies.list for a mapping
    SELECT id FROM policies WHERE id = ANY(${ids}::text[])`

/** The features of a mapping that exist, and how they are metered. */
export const listFeatures = (
  sql: Database,
  ids: ReadonlyArray<string>
): Query<{ readonly id: string; readonly meter: Meter | null }> =>
  sql<{ readonly id: string; readonly meter: Meter | null }>`
    -- name: features.list for a mapping
    SELECT id, meter FROM features WHERE id = ANY(${ids}::text[]) AND archived_at IS NULL`
