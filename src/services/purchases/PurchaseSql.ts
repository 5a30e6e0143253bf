import type { Database, Query } from "../persistence/Database.ts"

/** Asks that a purchase be looked at. */
export const insertWork = (sql: Database, purchaseIds: ReadonlyArray<string>): Query<object> =>
  sql`
    -- name: purchase_work.insert
    INSERT INTO purchase_work (purchase_id) SELECT unnest(${purchaseIds}::text[])`
