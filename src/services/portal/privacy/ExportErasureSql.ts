import type { Statement } from "effect/sql"
import type { Database, Query } from "../../ground/persistence/Database.ts"

/** The customer whose exports are looked for. */
interface Named {
  /** Null where it is a user of a license, of whom the reasons alone may be shown. */
  readonly customerId: string | null
  /** Activities whose reasons are the customer's, although they name no customer, or the user's. */
  readonly inherited: ReadonlyArray<string>
}

/**
 * Whether an export names a customer. One whose customers were not recorded counts as naming every customer that its
 * filters allow. An audit shows the reasons of what was done to a license while it was the customer's, and inherited ones.
 */
const names = (sql: Database, { customerId, inherited }: Named): Statement.Fragment =>
  sql`(
    EXISTS (SELECT 1 FROM report_export_customers n WHERE n.customer_id = ${customerId} AND n.export_id = e.id)
    OR NOT names_recorded AND (
      report_kind = 'customer-summary' AND filters ->> 'customer_id' = ${customerId}
      OR report_kind = 'usage-summary' AND filters ->> 'group_by' = 'customer_id'
        AND coalesce(filters ->> 'customer_id', ${customerId}) = ${customerId})
    OR report_kind = 'license-audit' AND EXISTS (
      SELECT 1 FROM activities a WHERE a.license_id = e.filters ->> 'license_id' AND a.reason IS NOT NULL
        AND (a.customer_id = ${customerId} OR a.id = ANY(${inherited}::text[]))))`

/** How many exports that can be downloaded name a customer. */
export const countNaming = (sql: Database, named: Named): Query<{ readonly count: number }> =>
  sql<{ readonly count: number }>`
    -- name: report_exports.count naming
    SELECT count(*)::int AS count FROM report_exports e WHERE status = 'ready' AND ${names(sql, named)}`

/** Locks the numbers of erasures against a snapshot that freezes, which locks them too. */
export const lockErasureNumbers = (sql: Database): Query<object> =>
  sql`
    -- name: customer_erasures.lock
    LOCK TABLE customer_erasures IN SHARE ROW EXCLUSIVE MODE`

/** Numbers the erasure of a customer. */
export const insertErasure = (sql: Database, customerId: string): Query<object> =>
  sql`
    -- name: customer_erasures.insert
    INSERT INTO customer_erasures (number, customer_id)
    SELECT coalesce(max(number), 0) + 1, ${customerId} FROM customer_erasures`

/**
 * Queues unfinished exports that name a customer anew. The worker loses its claim, because its snapshot of the database
 * may be older than the erasure. A queued export counts too: its next claim may already be under way.
 */
export const updateQueuedAnew = (sql: Database, named: Named): Query<object> =>
  sql`
    -- name: report_exports.update queued anew
    UPDATE report_exports e SET status = 'queued', leased_until = NULL, attempt = attempt + 1, due_at = now(),
      as_of_sequence = NULL, checkpoint = NULL, digest = NULL, snapshot_size = NULL, seal = NULL, frozen_at = NULL,
      names_recorded = false, progress_rows = 0, progress_total = NULL, updated_at = now()
    WHERE status IN ('queued', 'running') AND ${names(sql, named)}`

/** Lets the exports that name a customer expire. */
export const updateExpiredNaming = (sql: Database, named: Named): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: report_exports.update expired naming
    UPDATE report_exports e SET status = 'expired', expired_reason = 'customer_erased', expires_at = now(),
      updated_at = now()
    WHERE status = 'ready' AND ${names(sql, named)}
    RETURNING id`
