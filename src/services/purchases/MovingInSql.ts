import type { RecordName } from "../../domain/purchases/Command.ts"
import type { Database, Query } from "../persistence/Database.ts"
import { recordTables } from "./PurchaseSql.ts"

/**
 * The licenses that belong to records of a purchase since before it was known, and that no purchase has: a vendor's own program issued them.
 * They are taken over once.
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
    JOIN licenses l ON l.${sql(`${kind}_id`)} = r.id AND l.created_at < p.created_at
    WHERE p.id = ${purchaseId} AND p.has_moved_in IS NOT TRUE
      AND NOT EXISTS (SELECT FROM purchase_licenses pl WHERE pl.license_id = l.id)
    ORDER BY l.id LIMIT 1000`

/** Notes that a purchase has taken over licenses that were there before it. */
export const updateMovedIn = (sql: Database, purchaseId: string): Query<object> =>
  sql`
    -- name: purchases.update moved in
    UPDATE purchases SET has_moved_in = true WHERE id = ${purchaseId}`
