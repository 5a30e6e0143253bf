import type { Statement } from "effect/sql"
import type { PurchaseName } from "../../domain/providers/Fact.ts"
import type { KeptEvent } from "../../domain/providers/KeptEvent.ts"
import type { Database, Query } from "../persistence/Database.ts"

/** A purchase of a customer. */
export interface OwnedPurchase {
  readonly id: string
  readonly connection_id: string
  readonly name: PurchaseName
}

/** Whether a customer pays for a purchase, also for one that has given no license yet. */
const isOf = (sql: Database, customerId: string): Statement.Fragment =>
  sql`(customer_id = ${customerId}
    OR state #>> '{payer,id}' = (SELECT external_id FROM customers WHERE id = ${customerId}))`

/** The purchases of a customer, locked: no look adds to them meanwhile. */
export const lockPurchasesOf = (sql: Database, customerId: string): Query<OwnedPurchase> =>
  sql<OwnedPurchase>`
    -- name: purchases.lock of customer
    SELECT id, connection_id, name FROM purchases WHERE ${isOf(sql, customerId)} ORDER BY id FOR NO KEY UPDATE`

/** An event in the form in which it is kept. */
export type ErasableEvent = Pick<KeptEvent, "body" | "facts"> & { readonly sequence: bigint }

/** The events about objects, locked: what is erased of one is not written again by who keeps what was read of it. */
export const lockEventsAbout = (
  sql: Database,
  connectionId: string,
  objects: ReadonlyArray<string>
): Query<ErasableEvent> =>
  sql<ErasableEvent>`
    -- name: billing_events.lock about objects
    SELECT e.sequence, e.body, e.facts FROM billing_events e
    WHERE e.sequence IN (SELECT o.sequence FROM billing_event_objects o
      WHERE o.connection_id = ${connectionId} AND o.object = ANY(${objects}::text[]))
    ORDER BY e.sequence
    -- guard: an erasure waits for who takes the body away, and erases what is left instead
    FOR NO KEY UPDATE OF e`

/** Writes a locked event without what is personal in it. */
export const updateErased = (sql: Database, { body, facts, sequence }: ErasableEvent): Query<object> =>
  sql`
    -- name: billing_events.update erased
    UPDATE billing_events SET body = ${body}::bytea, facts = ${facts === null ? null : JSON.stringify(facts)}::json
    WHERE sequence = ${sequence}`

/** Takes from the purchases of a customer who pays for them. */
export const updatePayerErased = (sql: Database, customerId: string): Query<object> =>
  sql`
    -- name: purchases.update payer erased
    UPDATE purchases SET state = state #- '{payer,email}' #- '{payer,name}' WHERE ${isOf(sql, customerId)}`
