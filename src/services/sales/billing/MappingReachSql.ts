import type { PurchaseState } from "../../../domain/sales/purchases/PurchaseState.ts"
import type { Said } from "../../../domain/sales/purchases/Said.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"

/** A license that was sold by a connection, and its purchase. */
export interface SoldLicense {
  readonly license_id: string
  readonly policy_id: string
  readonly purchase_id: string
  readonly customer_id: string | null
  readonly item: string
  readonly said: Said | null
  readonly state: PurchaseState
}

/** The licenses of a connection whose purchases go on, in the order of their ids: so many after one. */
export const listSold = (
  sql: Database,
  connectionId: string,
  { after, limit }: { readonly after: string; readonly limit: number }
): Query<SoldLicense> =>
  sql<SoldLicense>`
    -- name: purchase_licenses.list sold
    SELECT pl.license_id, l.policy_id, p.id AS purchase_id, p.customer_id, pl.item, pl.said, p.state
    FROM purchases p JOIN purchase_licenses pl ON pl.purchase_id = p.id AND NOT pl.is_adopted
    JOIN licenses l ON l.id = pl.license_id AND l.state <> 'revoked'
    WHERE p.connection_id = ${connectionId} AND p.state ->> 'state' NOT IN ('canceled', 'failed', 'incomplete_expired')
      AND pl.license_id > ${after}
    ORDER BY pl.license_id LIMIT ${limit}`

/** Locks purchases, in the order of their ids. */
export const lockSold = (sql: Database, purchaseIds: ReadonlyArray<string>): Query<object> =>
  sql`
    -- name: purchases.lock of another mapping
    SELECT 1 FROM purchases WHERE id = ANY(${purchaseIds}::text[]) ORDER BY id
    -- guard: no look at a purchase says something else meanwhile
    FOR NO KEY UPDATE`

/** Keeps what is said of licenses of purchases. */
export const updateSaidOfAll = (
  sql: Database,
  rows: ReadonlyArray<{ readonly license_id: string; readonly said: Said }>
): Query<object> =>
  sql`
    -- name: purchase_licenses.update said of all
    UPDATE purchase_licenses p SET said = v.said
    FROM json_to_recordset(${JSON.stringify(rows)}::json) AS v (license_id text, said jsonb)
    WHERE p.license_id = v.license_id AND NOT p.is_adopted`
