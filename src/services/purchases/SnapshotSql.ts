import type { PurchaseName } from "../../domain/providers/Fact.ts"
import type { Database, Query } from "../persistence/Database.ts"

/** A purchase that is compared: its id, and whether its customer was erased. */
interface ComparedPurchase {
  readonly id: string
  readonly is_erased: boolean
}

/** The purchase of a name, where there is one. */
export const findCompared = (sql: Database, connectionId: string, name: PurchaseName): Query<ComparedPurchase> =>
  sql<ComparedPurchase>`
    -- name: purchases.find compared
    SELECT p.id, EXISTS (SELECT FROM customer_erasures e WHERE e.customer_id = p.customer_id) AS is_erased
    FROM purchases p WHERE p.connection_id = ${connectionId} AND p.name = ${name}`
