import type { Statement } from "effect/sql"
import type { PurchaseName } from "../../domain/providers/Fact.ts"
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

/** Writes the body of an event without what is personal in it. */
export const updateBody = (sql: Database, connectionId: string, eventId: string, body: Uint8Array): Query<object> =>
  sql`
    -- name: billing_events.update erased
    UPDATE billing_events SET body = ${body}::bytea WHERE connection_id = ${connectionId} AND event_id = ${eventId}`

/** Takes from the purchases of a customer who pays for them. */
export const updatePayerErased = (sql: Database, customerId: string): Query<object> =>
  sql`
    -- name: purchases.update payer erased
    UPDATE purchases SET state = state #- '{payer,email}' #- '{payer,name}' WHERE ${isOf(sql, customerId)}`
