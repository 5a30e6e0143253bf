import type { Database, Query } from "../../ground/persistence/Database.ts"

/** How many licenses of a customer are named. */
const named = 20

/** The customer of a purchase, as far as it is known who that is. */
interface Payer {
  readonly system: string
  readonly id?: string | undefined
  readonly email?: string | undefined
}

/** The licenses of products that a customer has, by address or by the name at the provider, that work and that no purchase pays for. */
export const listUnpaid = (
  sql: Database,
  productIds: ReadonlyArray<string>,
  { email = null, id = null, system }: { readonly [Member in keyof Payer]: Payer[Member] | null }
): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: licenses.list unpaid of payer
    SELECT l.id FROM licenses l LEFT JOIN customers c ON c.id = l.customer_id
    WHERE l.product_id = ANY(${productIds}::text[]) AND l.state <> 'revoked' AND (l.expires_at IS NULL OR l.expires_at > now())
      AND (lower(l.customer_email) = lower(${email}::text) OR lower(c.email) = lower(${email}::text)
        OR (c.external_system = ${system} AND c.external_id = ${id}::text))
      AND NOT EXISTS (SELECT FROM purchase_licenses pl WHERE pl.license_id = l.id)
    ORDER BY l.id LIMIT ${named}`
