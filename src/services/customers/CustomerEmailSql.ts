import type { Database, Query } from "../ground/persistence/Database.ts"
import { isCustomerOfProducts } from "../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../ground/persistence/ProductLimit.ts"
import { isText } from "../ground/persistence/TextSearch.ts"

/**
 * Locks an email address until the transaction ends: whoever looks for its customer at the same moment waits, and finds the
 * one that was created meanwhile.
 */
export const lockCustomerEmail = (sql: Database, email: string): Query<object> =>
  sql`
    -- name: advisory_locks.lock customer email
    -- guard: customers of one address are found or created one after the other
    SELECT 1 FROM pg_advisory_xact_lock(hashtextextended('customer email:' || lower(${email}), 0))`

/**
 * The customers with an email address, upper and lower case alike, two at most; each stays until the transaction ends. What
 * is beyond the products of a limited key is not there for it.
 */
export const lockCustomersByEmail = (
  sql: Database,
  email: string,
  limit: ProductLimit
): Query<{ readonly id: string; readonly of_limited_key: boolean }> =>
  sql`
    -- name: customers.lock by email
    SELECT id, product_ids IS NOT NULL AS of_limited_key FROM customers
    WHERE ${isText(sql, "email", email)} ${limit === undefined ? sql`` : sql`AND (${isCustomerOfProducts(sql, limit)})`}
    ORDER BY product_ids IS NOT NULL, id LIMIT 2 FOR KEY SHARE`

/** Whether a customer has a license: a row where that is so. */
export const findOwning = (sql: Database, customerId: string): Query<object> =>
  sql`
    -- name: licenses.find any of customer
    SELECT 1 FROM licenses WHERE customer_id = ${customerId} LIMIT 1`
