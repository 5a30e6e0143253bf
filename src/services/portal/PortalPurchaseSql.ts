import type { Statement } from "effect/sql"
import type { KnownPurchase } from "../../domain/portal/PortalPurchase.ts"
import type { Database, Query } from "../persistence/Database.ts"
import type { SortedClauses } from "../persistence/KeysetPagination.ts"

/** The purchases `p` of a customer of which it is known what they are. */
export const areOwnPurchases = (sql: Database, customerId: string): ReadonlyArray<Statement.Fragment> => [
  sql`p.customer_id = ${customerId}`,
  sql`p.state ->> 'kind' IS NOT NULL`,
  sql`p.state ->> 'state' IS NOT NULL`
]

interface ListedPurchase extends KnownPurchase {
  readonly id: string
  readonly place?: string
}

/** A page of purchases `p`, with the login page of their provider's portal. */
export const listOwnPurchases = (
  sql: Database,
  { orderBy, place, where }: SortedClauses,
  limit: number
): Query<ListedPurchase> =>
  sql<ListedPurchase>`
    -- name: purchases.list own
    SELECT p.id, c.provider, p.name, p.state, c.customer_portal_url ${place}
    FROM purchases p JOIN billing_connections c ON c.id = p.connection_id ${where} ${orderBy} LIMIT ${limit}`

/** Whether a customer has a purchase that is shown. */
export const findOwnPurchase = (sql: Database, customerId: string): Query<object> =>
  sql`
    -- name: purchases.find own
    SELECT 1 FROM purchases p WHERE ${sql.and(areOwnPurchases(sql, customerId))} LIMIT 1`
