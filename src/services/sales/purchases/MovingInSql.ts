import type { PurchaseName } from "../../../domain/sales/providers/Fact.ts"
import type { RecordName } from "../../../domain/sales/purchases/Command.ts"
import type { Said } from "../../../domain/sales/purchases/Said.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { recordTables } from "./PurchaseSql.ts"

/**
 * Waits for other connections that look at the same object of a provider, until the surrounding transaction ends: of two connections to one
 * account one alone issues what was bought.
 */
export const lockObject = (sql: Database, system: string, name: PurchaseName): Query<object> =>
  sql`
    -- name: advisory_locks.lock object of provider
    -- guard: of two connections to one account one alone issues what was bought
    SELECT 1 FROM pg_advisory_xact_lock(hashtextextended('purchase:' || ${system}::text || ':' || ${name}::text, 0))`

/**
 * The licenses that belong to records of a purchase already, of which they are taken over once: those from before it was known that no purchase
 * has, because a vendor's own program issued them, and those of the same object of the provider by another connection.
 */
export const listMovingIn = (
  sql: Database,
  { kind, names, purchaseId, system }: {
    readonly purchaseId: string
    readonly system: string
    readonly kind: RecordName["kind"]
    readonly names: ReadonlyArray<Pick<RecordName, "product_id" | "external_id">>
  }
): Query<{ readonly license_id: string; readonly external_id: string }> =>
  sql<{ readonly license_id: string; readonly external_id: string }>`
    -- name: ${sql.literal(`${recordTables[kind]}.list moving in`)}
    SELECT l.id AS license_id, r.external_id FROM purchases p
    JOIN ${sql(recordTables[kind])} r ON r.external_system = ${system}
      AND (r.product_id, r.external_id) IN (
        SELECT n.product_id, n.external_id
        FROM json_to_recordset(${JSON.stringify(names)}::json) AS n (product_id text, external_id text))
    JOIN licenses l ON l.${sql(`${kind}_id`)} = r.id
    WHERE p.id = ${purchaseId} AND p.has_moved_in IS NOT TRUE
      AND ((l.created_at < p.created_at AND NOT EXISTS (SELECT FROM purchase_licenses pl WHERE pl.license_id = l.id))
        OR EXISTS (SELECT FROM purchase_licenses pl JOIN purchases o ON o.id = pl.purchase_id
          WHERE pl.license_id = l.id AND NOT pl.is_adopted AND o.id <> p.id AND o.name = p.name))
    ORDER BY l.id LIMIT 1000`

/** Notes that a purchase has taken over licenses that were there before it. */
export const updateMovedIn = (sql: Database, purchaseId: string): Query<object> =>
  sql`
    -- name: purchases.update moved in
    UPDATE purchases SET has_moved_in = true WHERE id = ${purchaseId}`

/** A license that another subscription pays for. */
interface AdoptableRow {
  readonly license_id: string
  readonly is_ending: boolean
  /** When that subscription began. */
  readonly began_at: string | null
  /** When it ended, or was said not to be renewed. */
  readonly ended_at: string | null
  /** The last saying of that subscription about it; NULL where that was not kept. */
  readonly said: Said | null
}

/**
 * The licenses that a customer owns and that other subscriptions at the same connection pay for, oldest first; and whether those are not
 * renewed any more. Who has paid for them does not matter: what was handed on is the next owner's.
 */
export const listAdoptable = (
  sql: Database,
  { connectionId, customerId, purchaseId }: {
    readonly connectionId: string
    readonly customerId: string
    readonly purchaseId: string
  }
): Query<AdoptableRow> =>
  sql<AdoptableRow>`
    -- name: purchase_licenses.list adoptable
    SELECT pl.license_id, coalesce(p.state -> 'cancel_at' IS NOT NULL OR p.state ->> 'state' = 'canceled', false) AS is_ending,
      p.state ->> 'began_at' AS began_at, coalesce(p.state ->> 'canceled_at', p.state ->> 'ended_at') AS ended_at, pl.said
    FROM licenses l JOIN purchase_licenses pl ON pl.license_id = l.id AND NOT pl.is_adopted
    JOIN purchases p ON p.id = pl.purchase_id AND p.connection_id = ${connectionId} AND p.id <> ${purchaseId}
      AND p.name LIKE 'subscription/%'
    WHERE l.customer_id = ${customerId}
    ORDER BY pl.license_id LIMIT 1000`
