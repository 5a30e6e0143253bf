import type { CustomerPlace } from "../../../domain/customers/CustomerTree.ts"
import { longestLine } from "../../../domain/customers/CustomerTree.ts"
import type { Database, Query } from "./Database.ts"

/**
 * The customer of an expression and those above it, nearest first, as an array that may end in NULLs; NULL for no customer. `ANY`
 * takes a sub-select as rows unless it is cast. The joins stand in a function, because they cost the 10 us of their start even
 * where there is no parent.
 */
export const lineOf = (id: string): string =>
  `(SELECT CASE WHEN c.parent_id IS NULL THEN ARRAY[c.id] ELSE customer_line(c.id) END FROM customers c WHERE c.id = ${id})::text[]`

/** How the parents of customers are locked: against being changed, or to change one. */
export type TreeLock = "held" | "changed"

/**
 * Locks who belongs to whom until the transaction ends. Whoever takes units of pools, or places a new customer, holds it beside
 * others; whoever gives a customer another parent waits for them all. It comes after the lock of that customer or of licenses.
 */
export const lockTree = (sql: Database, as: TreeLock): Query<object> =>
  as === "held"
    ? sql`
    -- name: advisory_locks.lock held customer tree
    -- guard: parents stay while units of pools are taken
    SELECT 1 FROM pg_advisory_xact_lock_shared(hashtextextended('countersign customer tree', 0))`
    : sql`
    -- name: advisory_locks.lock changed customer tree
    -- guard: customers get parents one after the other
    SELECT 1 FROM pg_advisory_xact_lock(hashtextextended('countersign customer tree', 0))`

/** Where a customer would stand below a parent. One that is not there yet has nobody below it. */
export const findPlace = (sql: Database, id: string | undefined, parentId: string): Query<CustomerPlace> =>
  sql<CustomerPlace>`
    -- name: customers.find place
    WITH RECURSIVE below AS (
      SELECT id, 1 AS level FROM customers WHERE id = ${id ?? ""}
      UNION ALL
      SELECT c.id, b.level + 1 FROM below b JOIN customers c ON c.parent_id = b.id
      WHERE b.level < ${sql.literal(String(longestLine))}
    )
    SELECT coalesce(array_remove(${sql.literal(lineOf("v.parent_id"))}, NULL), '{}') AS line,
      coalesce((SELECT max(level) FROM below), 1) AS levels
    FROM (SELECT ${parentId}::text AS parent_id) v`
