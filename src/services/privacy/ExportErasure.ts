import { Effect } from "effect"
import { makeExportPieces } from "../exports/ExportPieces.ts"
import type { Database } from "../persistence/Database.ts"

/**
 * Takes exports away that hold personal values of a customer. What was frozen cannot be changed, because its digest is
 * signed: the export expires, and digests and manifest are left. What is being made is made anew, from the tables as
 * they are then.
 */
export const makeErasedExports = (sql: Database) => {
  const pieces = makeExportPieces(sql)

  /**
   * In the erasure's last transaction, once the tables are erased: answers how many exports expired. Their files are
   * removed after the commit; from the commit on nobody is given them.
   *
   * An export that is fixed later cannot slip through: erasures are numbered under a lock that whoever fixes a snapshot
   * shares. One that was fixed before is seen here; one that comes after sees this number, and that it was read before.
   */
  return Effect.fnUntraced(function*(customerId: string) {
    yield* sql`LOCK TABLE customer_erasures IN SHARE ROW EXCLUSIVE MODE`.unprepared
    yield* sql`
      INSERT INTO customer_erasures (number, customer_id)
      SELECT coalesce(max(number), 0) + 1, ${customerId} FROM customer_erasures`
    // Where nobody wrote down whom an export names, it names whom it could.
    const names = sql`
      EXISTS (SELECT 1 FROM report_export_customers n WHERE n.customer_id = ${customerId} AND n.export_id = e.id)
      OR NOT names_recorded AND (
        report_kind = 'customer-summary' AND filters ->> 'customer_id' = ${customerId}
        OR report_kind = 'usage-summary' AND filters ->> 'group_by' = 'customer_id'
          AND coalesce(filters ->> 'customer_id', ${customerId}) = ${customerId})`
    // The claim is taken from its worker, whose snapshot of the database may be older than the erasure. One that is
    // waiting counts too: its next claim may be under way.
    yield* sql`
      UPDATE report_exports e SET status = 'queued', leased_until = NULL, attempt = attempt + 1, due_at = now(),
        as_of_sequence = NULL, checkpoint = NULL, digest = NULL, snapshot_size = NULL, seal = NULL, frozen_at = NULL,
        names_recorded = false, progress_rows = 0, progress_total = NULL, updated_at = now()
      WHERE status IN ('queued', 'running') AND (${names})`
    const expired = yield* sql<{ readonly id: string }>`
      UPDATE report_exports e SET status = 'expired', expired_reason = 'customer_erased', expires_at = now(),
        updated_at = now()
      WHERE status = 'ready' AND (${names})
      RETURNING id`
    const ids = expired.map(({ id }) => id)
    if (ids.length > 0) yield* sql.afterCommit(Effect.forEach(ids, pieces.discard, { discard: true }))
    return ids.length
  })
}
