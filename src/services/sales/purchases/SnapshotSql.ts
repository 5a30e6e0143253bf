import type { PurchaseName } from "../../../domain/sales/providers/Fact.ts"
import type { Provider } from "../../../domain/sales/providers/Provider.ts"
import type { Mapping } from "../../../domain/sales/purchases/Mapping.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"

/** A purchase that is compared: the mapping of its connection, and whether its customer was erased. */
interface ComparedPurchase {
  readonly mapping: Mapping
  readonly is_erased: boolean
}

/** The purchase of a name, where there is one. */
export const findCompared = (sql: Database, connectionId: string, name: PurchaseName): Query<ComparedPurchase> =>
  sql<ComparedPurchase>`
    -- name: purchases.find compared
    SELECT c.mapping, EXISTS (SELECT FROM customer_erasures e WHERE e.customer_id = p.customer_id) AS is_erased
    FROM purchases p JOIN billing_connections c ON c.id = p.connection_id WHERE p.connection_id = ${connectionId} AND p.name = ${name}`

/** A purchase that has work and can be read at its provider, and what it is read with. */
export interface ReadablePurchase {
  readonly connection_id: string
  readonly name: PurchaseName
  readonly provider: Provider
  readonly credentials: Uint8Array | null
}

/** A purchase that is about to be looked at, where its connection has an API key, and who asks has not read it. */
export const findReadable = (sql: Database, id: string): Query<ReadablePurchase> =>
  sql<ReadablePurchase>`
    -- name: purchases.find readable
    SELECT p.connection_id, p.name, c.provider, c.credentials
    FROM purchases p JOIN billing_connections c ON c.id = p.connection_id
    WHERE p.id = ${id} AND c.has_api_key AND EXISTS (SELECT FROM purchase_work w
      WHERE w.purchase_id = p.id AND NOT w.is_read)`

/** Notes that a purchase was read at its provider, or why it was not. */
export const updateRead = (
  sql: Database,
  id: string,
  failure: { readonly code: string; readonly message: string } | undefined
): Query<object> =>
  sql`
    -- name: purchases.update read
    UPDATE purchases SET read_failure = ${failure === undefined ? null : JSON.stringify(failure)}::jsonb,
      read_at = CASE WHEN ${failure === undefined} THEN now() ELSE read_at END
    WHERE id = ${id}`

/** Notes that a purchase was read at its provider among others. */
export const updateReadByName = (sql: Database, connectionId: string, name: PurchaseName): Query<object> =>
  sql`
    -- name: purchases.update read by name
    UPDATE purchases SET read_failure = NULL, read_at = now() WHERE connection_id = ${connectionId} AND name = ${name}`

/** Has events told to whomever they are about, after all. */
export const updateUnrouted = (sql: Database, connectionId: string, eventIds: ReadonlyArray<string>): Query<object> =>
  sql`
    -- name: billing_events.update unrouted
    UPDATE billing_events SET is_routed = false
    WHERE connection_id = ${connectionId} AND event_id = ANY(${eventIds}::text[])`
