import type { Database, Query } from "../../ground/persistence/Database.ts"

/**
 * Has a locked purchase be looked at once more when it has been known for 10 seconds, unless it has been for that long: answers a row if so.
 * Nothing else is written.
 */
export const updateSettling = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: purchases.update settling
    WITH work AS (
      INSERT INTO purchase_work (purchase_id)
      SELECT p.id FROM purchases p WHERE p.id = ${id} AND p.created_at > now() - interval '10 seconds'
      RETURNING id
    )
    UPDATE purchases p SET tried = work.id, next_attempt_at = p.created_at + interval '10 seconds' FROM work
    WHERE p.id = ${id} RETURNING p.id`

/** Has a locked purchase be looked at once more a day before an instant, unless something is told of it before. */
export const updateAhead = (sql: Database, id: string, instant: string): Query<object> =>
  sql`
    -- name: purchases.update ahead
    WITH work AS (INSERT INTO purchase_work (purchase_id) VALUES (${id}) RETURNING id)
    UPDATE purchases p SET tried = work.id, next_attempt_at = ${instant}::text::timestamptz - interval '1 day' FROM work
    WHERE p.id = ${id}`
