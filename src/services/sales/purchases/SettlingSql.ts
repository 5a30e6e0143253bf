import type { SourceTime } from "../../../domain/sales/providers/SourceTime.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"

/**
 * The licenses that were issued for a purchase and that nobody has used yet: no device, no person, no use, no file, no units. Asked once they
 * are locked, so that none of these comes meanwhile.
 */
export const listUnused = (sql: Database, purchaseId: string): Query<{ readonly license_id: string }> =>
  sql<{ readonly license_id: string }>`
    -- name: purchase_licenses.list unused
    SELECT pl.license_id FROM purchase_licenses pl
    JOIN purchases p ON p.id = pl.purchase_id JOIN licenses l ON l.id = pl.license_id
    WHERE pl.purchase_id = ${purchaseId} AND NOT pl.is_adopted AND pl.stopped IS NULL AND l.state <> 'revoked'
      AND l.created_at >= p.created_at AND l.customer_id = p.customer_id
      AND NOT EXISTS (SELECT FROM purchase_licenses o WHERE o.license_id = l.id AND o.purchase_id <> p.id)
      AND NOT EXISTS (SELECT FROM devices d WHERE d.license_id = l.id)
      AND NOT EXISTS (SELECT FROM license_users u WHERE u.license_id = l.id)
      AND NOT EXISTS (SELECT FROM leases s WHERE s.license_id = l.id)
      AND NOT EXISTS (SELECT FROM offline_files f WHERE f.license_id = l.id)
      AND NOT EXISTS (SELECT FROM usage_records r WHERE r.license_id = l.id)
      AND NOT EXISTS (SELECT FROM grants g WHERE g.license_id = l.id)
    ORDER BY pl.license_id`

/**
 * Asks for a look at the subscriptions that a customer began at the same connection within a day of when another one ended: they may go on with
 * its license. One that is looked at in this moment, of which nothing is known yet, is looked at once more.
 */
export const insertWorkOfNear = (
  sql: Database,
  { connectionId, customerId, endedAt, purchaseId }: {
    readonly purchaseId: string
    readonly connectionId: string
    readonly customerId: string
    readonly endedAt: SourceTime
  }
): Query<object> =>
  sql`
    -- name: purchase_work.insert near an end
    INSERT INTO purchase_work (purchase_id) SELECT p.id FROM purchases p
    WHERE p.connection_id = ${connectionId} AND p.id <> ${purchaseId} AND p.name LIKE 'subscription/%'
      AND ((p.customer_id = ${customerId} AND abs(extract(epoch FROM
          (p.state ->> 'began_at')::timestamptz - ${endedAt}::text::timestamptz)) <= 86400)
        OR (p.status = 'new' AND p.created_at > now() - interval '1 minute'))`

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
