import type { Statement } from "effect/sql"
import type { ObjectName } from "../../../domain/sales/providers/Fact.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { integers } from "../../ground/persistence/NumberArrays.ts"

/** Whether a payer leads to a purchase of somebody who was not erased, or to what may become one. */
export const leadsToPurchase = (
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
