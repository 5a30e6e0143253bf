import type { Statement } from "effect/sql"
import type { PurchaseName } from "../../../domain/sales/providers/Fact.ts"
import type { Provider } from "../../../domain/sales/providers/Provider.ts"
import type { KeptEvent } from "../../../domain/sales/providers/ReadEvents.ts"
import type { Mapping } from "../../../domain/sales/purchases/Mapping.ts"
import type { PurchaseState } from "../../../domain/sales/purchases/PurchaseState.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { systemOf } from "../billing/ConnectionSql.ts"

/** A purchase of a customer. */
export interface OwnedPurchase {
  readonly id: string
  readonly connection_id: string
  readonly name: PurchaseName
  readonly state: PurchaseState | null
}

/** The objects that a customer leads to by the name in their billing system, at each connection to it. */
const reachedFrom = (sql: Database, customerId: string): Statement.Fragment =>
  sql`reached (connection_id, object) AS (
      SELECT c.id, ('customer/' || k.external_id) COLLATE "C" FROM customers k
      JOIN billing_connections c ON ${sql.literal(systemOf)} = k.external_system WHERE k.id = ${customerId}
      UNION SELECT l.connection_id, l.target FROM reached r
      JOIN billing_links l ON l.connection_id = r.connection_id AND l.about = r.object
    )`

/** The names of what a customer has bought and no purchase has been made of. */
export const listUnmade = (
  sql: Database,
  customerId: string
): Query<{ readonly connection_id: string; readonly name: PurchaseName }> =>
  sql<{ readonly connection_id: string; readonly name: PurchaseName }>`
    -- name: billing_links.list unmade
    WITH RECURSIVE ${reachedFrom(sql, customerId)}
    SELECT r.connection_id, r.object AS name FROM reached r
    WHERE (starts_with(r.object, 'subscription/') OR starts_with(r.object, 'order/'))
      AND NOT EXISTS (SELECT FROM purchases p WHERE p.connection_id = r.connection_id AND p.name = r.object)`

/**
 * The purchases of a customer, locked: those that were found to be theirs, those whose events name them, also before
 * anybody has looked at one, and those without a payer whose licenses they have.
 */
export const lockPurchasesOf = (sql: Database, customerId: string): Query<OwnedPurchase> =>
  sql<OwnedPurchase>`
    -- name: purchases.lock of customer
    WITH RECURSIVE ${reachedFrom(sql, customerId)}, found AS (
      SELECT id FROM purchases WHERE customer_id = ${customerId}
      UNION SELECT q.id FROM reached r JOIN purchases q ON q.connection_id = r.connection_id AND q.name = r.object
      UNION SELECT q.id FROM customers k JOIN billing_connections c ON ${sql.literal(systemOf)} = k.external_system
      JOIN purchases q ON q.connection_id = c.id AND q.state #>> '{payer,id}' = k.external_id WHERE k.id = ${customerId}
      UNION SELECT q.id FROM licenses l JOIN purchase_licenses h ON h.license_id = l.id
      JOIN purchases q ON q.id = h.purchase_id AND q.customer_id IS NULL AND q.state #>> '{payer,id}' IS NULL
      WHERE l.customer_id = ${customerId}
    )
    SELECT p.id, p.connection_id, p.name, p.state FROM purchases p
    WHERE p.id IN (SELECT id FROM found) ORDER BY p.id
    -- guard: no look tells of a customer who is being erased
    FOR NO KEY UPDATE OF p`

/** A connection whose events tell of a customer. */
export interface ErasableConnection {
  readonly id: string
  readonly provider: Provider
  /** The system that its records are of. */
  readonly system: string
  readonly mapping: Mapping
}

/** The connections of purchases, and those to a customer's billing system, where the customer is a payer. */
export const listErasableConnections = (
  sql: Database,
  customerId: string,
  purchaseIds: ReadonlyArray<string>
): Query<ErasableConnection & { readonly payer: string | null }> =>
  sql<ErasableConnection & { readonly payer: string | null }>`
    -- name: billing_connections.list to erase
    SELECT c.id, c.provider, ${
    sql.literal(systemOf)
  } AS system, c.mapping, 'customer/' || k.external_id AS payer FROM billing_connections c
    LEFT JOIN customers k ON k.id = ${customerId} AND k.external_system = ${sql.literal(systemOf)}
    WHERE k.id IS NOT NULL
      OR c.id IN (SELECT p.connection_id FROM purchases p WHERE p.id = ANY(${purchaseIds}::text[]))
    ORDER BY c.id`

/** An event in the form in which it is kept. */
type ErasableEvent = KeptEvent & { readonly sequence: bigint }

/** The events about objects, locked: what is erased of one is not written again by who keeps what was read of it. */
export const lockEventsAbout = (
  sql: Database,
  connectionId: string,
  objects: ReadonlyArray<string>
): Query<ErasableEvent> =>
  sql<ErasableEvent>`
    -- name: billing_events.lock about objects
    SELECT e.sequence, e.event_id, e.occurred_at, e.body, e.facts FROM billing_events e
    WHERE e.sequence IN (SELECT o.sequence FROM billing_event_objects o
      WHERE o.connection_id = ${connectionId} AND o.object = ANY(${objects}::text[]))
    ORDER BY e.sequence
    -- guard: an erasure waits for who takes the body away, and erases what is left instead
    FOR NO KEY UPDATE OF e`

/** Writes what is left of a locked purchase, and that it is of the customer who was erased. */
export const updateErasedPurchase = (
  sql: Database,
  id: string,
  { customerId, state }: { readonly customerId: string; readonly state: PurchaseState | null }
): Query<object> =>
  sql`
    -- name: purchases.update erased
    UPDATE purchases SET state = ${state === null ? null : JSON.stringify(state)}::jsonb,
      customer_id = coalesce(customer_id, ${customerId})
    WHERE id = ${id}`

/** Asks for looks at the purchases of a customer that are not among these. */
export const insertWorkOfOthers = (
  sql: Database,
  customerId: string,
  purchaseIds: ReadonlyArray<string>
): Query<object> =>
  sql`
    -- name: purchase_work.insert of others of customer
    INSERT INTO purchase_work (purchase_id)
    SELECT id FROM purchases WHERE customer_id = ${customerId} AND id <> ALL(${purchaseIds}::text[])`

/** Whether a customer was erased. */
export const findErasure = (sql: Database, customerId: string): Query<object> =>
  sql`
    -- name: customer_erasures.find of customer
    SELECT 1 FROM customer_erasures WHERE customer_id = ${customerId} LIMIT 1`
