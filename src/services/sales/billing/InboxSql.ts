import type { Statement } from "effect/sql"
import type { Fact, ObjectName } from "../../../domain/sales/providers/Fact.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { integers } from "../../ground/persistence/StatementParts.ts"

/** Whether a payer leads to a purchase of somebody who was not erased, or to what may become one. */
const leadsToPurchase = (
  sql: Database,
  { connection, payer }: { readonly connection: Statement.Fragment; readonly payer: Statement.Fragment }
): Statement.Fragment =>
  sql`EXISTS (SELECT FROM billing_links l
    LEFT JOIN purchases q ON q.connection_id = l.connection_id AND q.name = l.target
    WHERE l.connection_id = ${connection} AND l.about = ${payer}
      AND NOT EXISTS (SELECT FROM customer_erasures x WHERE x.customer_id = q.customer_id))`

/** Remembers payers who were erased, by the hashes of their names. */
export const insertErasedPayers = (sql: Database, digests: ReadonlyArray<string>): Query<object> =>
  sql`
    -- name: erased_payers.insert
    INSERT INTO erased_payers (digest) SELECT DISTINCT decode(d, 'hex') FROM unnest(${digests}::text[]) AS d ORDER BY 1
    ON CONFLICT (digest) DO NOTHING`

/** Erased payers, of these, who lead to no purchase of anybody else. */
export const listForgotten = (
  sql: Database,
  connectionId: string,
  payers: ReadonlyArray<string>
): Query<{ readonly object: ObjectName }> =>
  sql<{ readonly object: ObjectName }>`
    -- name: billing_links.list forgotten payers
    SELECT p.object FROM unnest(${payers}::text[]) AS p (object)
    WHERE NOT ${leadsToPurchase(sql, { connection: sql`${connectionId}`, payer: sql`p.object` })}`

/** Deletes what leads from payers to objects. */
export const deletePayerLinks = (
  sql: Database,
  connectionId: string,
  targets: ReadonlyArray<string>
): Query<object> =>
  sql`
    -- name: billing_links.delete of payers
    DELETE FROM billing_links
    WHERE connection_id = ${connectionId} AND target = ANY(${targets}::text[]) AND starts_with(about, 'customer/')`

/** Deletes who the payers of locked events are. */
export const deletePayerObjects = (sql: Database, sequences: ReadonlyArray<bigint>): Query<object> =>
  sql`
    -- name: billing_event_objects.delete of payers
    DELETE FROM billing_event_objects
    WHERE sequence = ANY(${integers(sequences)}::bigint[]) AND starts_with(object, 'customer/')`

/**
 * Waits for the events that are being stored. What is stored by a statement that begins later knows which payers have been
 * erased by now: it locks the table before it looks.
 */
export const lockStoring = (sql: Database): Query<object> =>
  sql`
    -- name: billing_events.lock storing
    LOCK TABLE billing_events IN SHARE MODE`

/** A payer who may have been erased. */
export interface ForgettablePayer {
  readonly object: string
  /** The hash of their name, in hexadecimal digits. */
  readonly digest: string
}

/** An event that is stored, with the objects that it is about and the links that it tells. */
export interface StoredEvent {
  readonly event_id: string
  readonly type: string
  readonly occurred_at: string
  readonly api_version: string | undefined
  /** The body, or what is kept in its place. */
  readonly body: Uint8Array | null
  readonly facts: ReadonlyArray<Fact> | null
  readonly objects: ReadonlyArray<string>
  readonly links: ReadonlyArray<{ readonly about: string; readonly to: string }>
  /** The payers that it is about, if about nothing else: an event of one who was erased is not stored. */
  readonly payers?: ReadonlyArray<ForgettablePayer>
}

/** The events of a body, and the connection that it came by. */
export interface StoredBody {
  readonly connectionId: string
  readonly events: ReadonlyArray<StoredEvent>
}

/**
 * Stores the events of bodies that are not there yet, each with its body and what it is about; answers those that were new.
 * One about a payer who was erased, and who leads to no purchase of anybody else, is not stored. One that is about nothing
 * needs no routing. Links are kept of repeats, too: they are the same ones. One statement for all
 * of them, so that rows are written in one order, whoever writes the same ones meanwhile.
 */
export const insertEvents = (
  sql: Database,
  bodies: ReadonlyArray<StoredBody>,
  { isRouted = false }: {
    /** Whether nobody has to be told of them: who stores them looks at their purchase, and there is no other. */
    readonly isRouted?: boolean
  } = {}
): Query<{ readonly connection_id: string; readonly event_id: string }> => {
  const all = bodies.flatMap(({ connectionId, events }) =>
    events.map((event) => ({ ...event, connection_id: connectionId }))
  )
  const bytes = [...new Set(all.flatMap(({ body }) => body ?? []))]
  const rows = all.map(({ body, links: _links, objects, payers: _payers, ...event }) => ({
    ...event,
    body: body === null ? null : bytes.indexOf(body) + 1,
    is_routed: isRouted || objects.length === 0
  }))
  const payers = all.flatMap(({ connection_id, event_id, payers = [] }) =>
    payers.map((payer) => ({ connection_id, event_id, ...payer }))
  )
  const objects = all.flatMap(({ connection_id, event_id, objects }) =>
    objects.map((object) => ({ connection_id, event_id, object }))
  )
  const links = all.flatMap(({ connection_id, links }) => links.map((link) => ({ connection_id, ...link })))
  return sql<{ readonly connection_id: string; readonly event_id: string }>`
    -- name: billing_events.insert
    WITH new AS (
      INSERT INTO billing_events (connection_id, event_id, type, occurred_at, api_version, body, facts, is_routed)
      SELECT e.connection_id, e.event_id, e.type, e.occurred_at, e.api_version, (${bytes}::bytea[])[e.body], e.facts,
        e.is_routed
      FROM json_to_recordset(${JSON.stringify(rows)}::json) AS e (connection_id text, event_id text, type text,
        occurred_at text, api_version text, body integer, facts json, is_routed boolean)
      WHERE NOT EXISTS (
        SELECT FROM json_to_recordset(${JSON.stringify(payers)}::json)
          AS p (connection_id text, event_id text, object text, digest text)
        JOIN erased_payers f ON f.digest = decode(p.digest, 'hex')
        WHERE p.connection_id = e.connection_id AND p.event_id = e.event_id
          AND NOT ${leadsToPurchase(sql, { connection: sql`p.connection_id`, payer: sql`p.object` })})
      ORDER BY e.connection_id, e.event_id
      -- guard: a repeat of an event is none
      ON CONFLICT (connection_id, event_id) DO NOTHING RETURNING sequence, connection_id, event_id
    ), objects AS (
      INSERT INTO billing_event_objects (connection_id, object, sequence)
      SELECT DISTINCT n.connection_id, o.object, n.sequence FROM new n
      JOIN json_to_recordset(${JSON.stringify(objects)}::json) AS o (connection_id text, event_id text, object text)
        USING (connection_id, event_id)
    ), links AS (
      INSERT INTO billing_links (connection_id, about, target)
      SELECT DISTINCT l.connection_id, l.about, l."to"
      FROM json_to_recordset(${JSON.stringify(links)}::json) AS l (connection_id text, about text, "to" text)
      ORDER BY 1, 2, 3
      ON CONFLICT DO NOTHING
    )
    SELECT connection_id, event_id FROM new`
}
