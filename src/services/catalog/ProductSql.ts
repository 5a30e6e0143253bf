import type { Database, Query } from "../ground/persistence/Database.ts"

/**
 * Lets one transaction after the other give out codes of products. A unique index does not see a code among former ones,
 * and two products with one code would be one to an app.
 */
export const lockCodes = (sql: Database): Query<object> =>
  sql`
    -- name: advisory_locks.lock product codes
    -- guard: codes of products are given out one after the other
    SELECT pg_advisory_xact_lock(hashtext('countersign product codes'))`

/** Another product than `id` that had a code. */
export const findFormerOwner = (sql: Database, code: string, id: string): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: products.find former owner
    SELECT id FROM products WHERE ${code} = ANY(former_codes) AND id <> ${id}`
