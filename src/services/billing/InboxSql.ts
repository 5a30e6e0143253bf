import { Base64 } from "effect/encoding"
import type { Database, Query } from "../persistence/Database.ts"

/** An event that is stored, with the objects that it is about and the links that it tells. */
export interface StoredEvent {
  readonly event_id: string
  readonly type: string
  readonly occurred_at: string
  readonly api_version: string | undefined
  readonly objects: ReadonlyArray<string>
  readonly links: ReadonlyArray<{ readonly about: string; readonly to: string }>
}

/**
 * Stores the events of a body that are not there yet, each with what it is about; answers how many were new. One that is
 * about nothing needs no routing. Links are kept of repeats, too: they are the same ones.
 */
export const insertEvents = (
  sql: Database,
  { body, connectionId, events }: {
    readonly connectionId: string
    readonly body: Uint8Array
    readonly events: ReadonlyArray<StoredEvent>
  }
): Query<{ readonly received: number }> => {
  const rows = events.map(({ api_version, event_id, objects, occurred_at, type }) => ({
    event_id,
    type,
    occurred_at,
    api_version,
    is_routed: objects.length === 0
  }))
  const objects = events.flatMap(({ event_id, objects }) => objects.map((object) => ({ event_id, object })))
  const links = events.flatMap(({ links }) => links)
  return sql<{ readonly received: number }>`
    -- name: billing_events.insert
    WITH new AS (
      INSERT INTO billing_events (connection_id, event_id, type, occurred_at, api_version, body, is_routed)
      SELECT ${connectionId}, e.event_id, e.type, e.occurred_at, e.api_version, ${body}::bytea, e.is_routed
      FROM json_to_recordset(${JSON.stringify(rows)}::json)
        AS e (event_id text, type text, occurred_at text, api_version text, is_routed boolean)
      ORDER BY e.event_id
      -- guard: a repeat of an event is none
      ON CONFLICT (connection_id, event_id) DO NOTHING RETURNING sequence, event_id
    ), objects AS (
      INSERT INTO billing_event_objects (connection_id, object, sequence)
      SELECT ${connectionId}, o.object, n.sequence FROM new n
      JOIN json_to_recordset(${JSON.stringify(objects)}::json) AS o (event_id text, object text) USING (event_id)
    ), links AS (
      INSERT INTO billing_links (connection_id, about, target)
      SELECT DISTINCT ${connectionId}, l.about, l."to"
      FROM json_to_recordset(${JSON.stringify(links)}::json) AS l (about text, "to" text) ORDER BY 2, 3
      ON CONFLICT DO NOTHING
    )
    SELECT count(*)::int AS received FROM new`
}

/**
 * Stores events that were read at a provider, each with its body, those that are not there yet. One statement for all of
 * them, so that rows are written in one order, whoever writes the same ones meanwhile.
 */
export const insertReadEvents = (
  sql: Database,
  { bodies, connectionId, isRouted }: {
    readonly connectionId: string
    readonly bodies: ReadonlyArray<{ readonly body: Uint8Array; readonly events: ReadonlyArray<StoredEvent> }>
    /** Whether nobody has to be told of them: who stores them looks at their purchase, and there is no other. */
    readonly isRouted: boolean
  }
): Query<object> => {
  const all = bodies.flatMap(({ body, events }) => {
    const text = Base64.encode(body)
    return events.map((event) => ({ ...event, body: text, is_routed: isRouted || event.objects.length === 0 }))
  })
  const rows = all.map(({ links: _links, objects: _objects, ...event }) => event)
  const objects = all.flatMap(({ event_id, objects }) => objects.map((object) => ({ event_id, object })))
  const links = all.flatMap(({ links }) => links)
  return sql`
    -- name: billing_events.insert read
    WITH new AS (
      INSERT INTO billing_events (connection_id, event_id, type, occurred_at, api_version, body, is_routed)
      SELECT ${connectionId}, e.event_id, e.type, e.occurred_at, e.api_version, decode(e.body, 'base64'), e.is_routed
      FROM json_to_recordset(${JSON.stringify(rows)}::json)
        AS e (event_id text, type text, occurred_at text, api_version text, body text, is_routed boolean)
      ORDER BY e.event_id
      -- guard: what was read twice is one event
      ON CONFLICT (connection_id, event_id) DO NOTHING RETURNING sequence, event_id
    ), objects AS (
      INSERT INTO billing_event_objects (connection_id, object, sequence)
      SELECT DISTINCT ${connectionId}, o.object, n.sequence FROM new n
      JOIN json_to_recordset(${JSON.stringify(objects)}::json) AS o (event_id text, object text) USING (event_id)
    )
    INSERT INTO billing_links (connection_id, about, target)
    SELECT DISTINCT ${connectionId}, l.about, l."to"
    FROM json_to_recordset(${JSON.stringify(links)}::json) AS l (about text, "to" text) ORDER BY 2, 3
    ON CONFLICT DO NOTHING`
}
