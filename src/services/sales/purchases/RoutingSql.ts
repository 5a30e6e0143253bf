import type { Link, ObjectName } from "../../../domain/sales/providers/Fact.ts"
import type { KeptEvent } from "../../../domain/sales/providers/ReadEvents.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { integers } from "../../ground/persistence/StatementParts.ts"

/** An event that no purchase has been told of yet. */
export interface UnroutedEvent {
  readonly sequence: bigint
  readonly connection_id: string
}

/** Locks events that no purchase has been told of, oldest first; those that another router has are passed by. */
export const lockUnrouted = (sql: Database, limit: number): Query<UnroutedEvent> =>
  sql<UnroutedEvent>`
    -- name: billing_events.lock unrouted
    SELECT sequence, connection_id FROM billing_events WHERE NOT is_routed ORDER BY sequence LIMIT ${limit}
    -- guard: two routers take different events
    FOR UPDATE SKIP LOCKED`

/** The objects that events are about. */
export const listObjects = (
  sql: Database,
  sequences: ReadonlyArray<bigint>
): Query<{ readonly sequence: bigint; readonly object: ObjectName }> =>
  sql<{ readonly sequence: bigint; readonly object: ObjectName }>`
    -- name: billing_event_objects.list of events
    SELECT sequence, object FROM billing_event_objects WHERE sequence = ANY(${integers(sequences)}::bigint[])`

/** The links that lead on from objects, whatever the number of steps. */
export const listLinksFrom = (
  sql: Database,
  connectionId: string,
  objects: ReadonlyArray<string>
): Query<Link> =>
  sql<Link>`
    -- name: billing_links.list from objects
    WITH RECURSIVE reached (object) AS (
      SELECT unnest(${objects}::text[]) COLLATE "C"
      UNION SELECT l.target FROM reached r JOIN billing_links l
        ON l.connection_id = ${connectionId} AND l.about = r.object
    )
    SELECT 'link' AS kind, l.about, l.target AS "to" FROM reached r JOIN billing_links l
      ON l.connection_id = ${connectionId} AND l.about = r.object`

/** The links that lead to a purchase, whatever the number of steps. */
export const listLinksTo = (sql: Database, connectionId: string, purchase: string): Query<Link> =>
  sql<Link>`
    -- name: billing_links.list to purchase
    WITH RECURSIVE reached (object) AS (
      SELECT ${purchase}::text COLLATE "C"
      UNION SELECT l.about FROM reached r JOIN billing_links l
        ON l.connection_id = ${connectionId} AND l.target = r.object
    )
    SELECT 'link' AS kind, l.about, l.target AS "to" FROM reached r JOIN billing_links l
      ON l.connection_id = ${connectionId} AND l.target = r.object`

/** Makes purchases that are not there yet; answers nothing of those that are. */
export const insertPurchases = (
  sql: Database,
  purchases: ReadonlyArray<{ readonly id: string; readonly connection_id: string; readonly name: string }>
): Query<object> =>
  sql`
    -- name: purchases.insert
    INSERT INTO purchases (id, connection_id, name, status)
    SELECT p.id, p.connection_id, p.name, 'new'
    FROM json_to_recordset(${JSON.stringify(purchases)}::json) AS p (id text, connection_id text, name text)
    ORDER BY p.connection_id, p.name
    -- guard: an object of a provider is one purchase
    ON CONFLICT (connection_id, name) DO NOTHING`

/** The ids of purchases by their names. */
export const listPurchaseIds = (
  sql: Database,
  purchases: ReadonlyArray<{ readonly connection_id: string; readonly name: string }>
): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: purchases.list by name
    SELECT p.id FROM json_to_recordset(${JSON.stringify(purchases)}::json) AS n (connection_id text, name text)
    JOIN purchases p USING (connection_id, name) ORDER BY p.id`

/** Notes that purchases have been told of events. */
export const updateRouted = (sql: Database, sequences: ReadonlyArray<bigint>): Query<object> =>
  sql`
    -- name: billing_events.update routed
    UPDATE billing_events SET is_routed = true WHERE sequence = ANY(${integers(sequences)}::bigint[])`

/** The events about objects, in the order of their provider's clock. */
export const listEventsAbout = (
  sql: Database,
  connectionId: string,
  objects: ReadonlyArray<string>
): Query<KeptEvent> =>
  sql<KeptEvent>`
    -- name: billing_events.list about objects
    SELECT e.event_id, e.occurred_at, e.body, e.facts FROM billing_events e
    WHERE e.sequence IN (SELECT o.sequence FROM billing_event_objects o
      WHERE o.connection_id = ${connectionId} AND o.object = ANY(${objects}::text[]))
    ORDER BY e.occurred_at, e.sequence`

/** An event as it is shown. */
export interface EventShown {
  readonly id: string
  readonly type: string
  readonly occurred_at: string
  readonly received_at: Date
  readonly api_version: string | null
}

/** The last events about objects, as they are shown, in the order of their provider's clock. */
export const listShownAbout = (
  sql: Database,
  { connectionId, limit, objects }: {
    readonly connectionId: string
    readonly objects: ReadonlyArray<string>
    readonly limit: number
  }
): Query<EventShown> =>
  sql<EventShown>`
    -- name: billing_events.list shown
    SELECT * FROM (
      SELECT e.event_id AS id, e.type, e.occurred_at, e.received_at, e.api_version FROM billing_events e
      WHERE e.sequence IN (SELECT o.sequence FROM billing_event_objects o
        WHERE o.connection_id = ${connectionId} AND o.object = ANY(${objects}::text[]))
      ORDER BY e.occurred_at DESC, e.sequence DESC LIMIT ${limit}
    ) latest ORDER BY occurred_at, id`
