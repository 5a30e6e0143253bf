import type { Statement } from "effect/sql"
import type { KnownPurchase } from "../../domain/portal/PortalPurchase.ts"
import type { Database, Query } from "../ground/persistence/Database.ts"
import type { SortedClauses } from "../ground/persistence/KeysetPagination.ts"

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
    SELECT p.id, c.provider, p.name, p.state, c.customer_portal_url, coalesce((
        SELECT jsonb_agg(jsonb_build_object('feature', g.feature, 'decimals', g.decimals, 'amount', g.amount, 'ends_at', g.expires_at)
          ORDER BY g.feature, g.expires_at)
        FROM (
          SELECT f.name AS feature, f.decimals, sum(u.amount) AS amount, coalesce(l.expires_at, o.expires_at) AS expires_at
          FROM purchase_units u JOIN features f ON f.id = u.feature_id
          LEFT JOIN license_grants l ON l.id = u.grant_id LEFT JOIN pools o ON o.id = u.grant_id
          WHERE u.purchase_id = p.id AND u.taken_by IS NULL AND coalesce(l.revoked_at, o.revoked_at) IS NULL
            AND (coalesce(l.expires_at, o.expires_at) > now()) IS NOT FALSE
          GROUP BY 1, 2, 4
        ) g
      ), '[]') AS units ${place}
    FROM purchases p JOIN billing_connections c ON c.id = p.connection_id ${where} ${orderBy} LIMIT ${limit}`

/** Whether a customer has a purchase that is shown. */
export const findOwnPurchase = (sql: Database, customerId: string): Query<object> =>
  sql`
    -- name: purchases.find own
    SELECT 1 FROM purchases p WHERE ${sql.and(areOwnPurchases(sql, customerId))} LIMIT 1`
