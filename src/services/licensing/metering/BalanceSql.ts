import type { Database, Query } from "../../ground/persistence/Database.ts"
import { andWithinProducts } from "../../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"

/** A page of the licenses of a customer, the newest first, as far as the caller may see them. */
export const listLicensesOf = (
  sql: Database,
  customerId: string,
  { after, limit, products }: {
    readonly after: string | undefined
    readonly limit: number
    readonly products: ProductLimit
  }
): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: licenses.list of customer
    SELECT id FROM licenses
    WHERE customer_id = ${customerId} AND (${after ?? null}::text IS NULL OR id < ${after ?? null}::text)
      ${andWithinProducts(sql, "product_id", products)}
    ORDER BY id DESC LIMIT ${limit}`
