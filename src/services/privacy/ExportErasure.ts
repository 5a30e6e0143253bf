import { Effect } from "effect"
import { makeExportPieces } from "../exports/ExportPieces.ts"
import type { Database } from "../persistence/Database.ts"

/**
 * Removes the exports that hold personal values of a customer. A frozen snapshot cannot be changed, because its digest
 * is signed: the export expires, and only its digests and manifest stay. An export still in progress starts again from
 * the tables as they are then.
 */
export const makeErasedExports = (sql: Database) => {
  const pieces = makeExportPieces(sql)

  /** An export whose customers were not recorded counts as naming every customer that its filters allow. An audit shows
   * the reasons of what was done to a license while it was the customer's, and the `inherited` ones. */
  const names = (customerId: string, inherited: ReadonlyArray<string>) =>
    sql`
      EXISTS (SELECT 1 FROM report_export_customers n WHERE n.customer_id = ${customerId} AND n.export_id = e.id)
      OR NOT names_recorded AND (
        report_kind = 'customer-summary' AND filters ->> 'customer_id' = ${customerId}
        OR report_kind = 'usage-summary' AND filters ->> 'group_by' = 'customer_id'
          AND coalesce(filters ->> 'customer_id', ${customerId}) = ${customerId})
      OR report_kind = 'license-audit' AND EXISTS (
        SELECT 1 FROM activities a WHERE a.license_id = e.filters ->> 'license_id' AND a.reason IS NOT NULL
          AND (a.customer_id = ${customerId} OR a.id = ANY(${inherited}::text[])))`

  /** How many exports {@link makeErasedExports} would let expire. */
  const count = (customerId: string, inherited: ReadonlyArray<string>) =>
    Effect.map(
      sql<{ readonly count: number }>`
        SELECT count(*)::int AS count FROM report_exports e WHERE status = 'ready' AND (${
        names(customerId, inherited)
      })`,
      ([row]) => row!.count
    )

  /**
   * Runs in the erasure's last transaction, after the tables are erased; returns the number of exports that expired.
   * Their files are removed after the commit; from the commit on they are no longer served.
   *
   * No export can slip through. Erasures are numbered under a lock that conflicts with the one for freezing a snapshot.
   * A snapshot frozen before is seen here; one frozen later finds an erasure newer than the data it was read from.
   */
  const expire = Effect.fnUntraced(function*(customerId: string, inherited: ReadonlyArray<string>) {
    yield* sql`LOCK TABLE customer_erasures IN SHARE ROW EXCLUSIVE MODE`.unprepared
    yield* sql`
      INSERT INTO customer_erasures (number, customer_id)
      SELECT coalesce(max(number), 0) + 1, ${customerId} FROM customer_erasures`
    // The worker loses its claim, because its snapshot of the database may be older than the erasure. A queued export
    // counts too: its next claim may already be under way.
    yield* sql`
      UPDATE report_exports e SET status = 'queued', leased_until = NULL, attempt = attempt + 1, due_at = now(),
        as_of_sequence = NULL, checkpoint = NULL, digest = NULL, snapshot_size = NULL, seal = NULL, frozen_at = NULL,
        names_recorded = false, progress_rows = 0, progress_total = NULL, updated_at = now()
      WHERE status IN ('queued', 'running') AND (${names(customerId, inherited)})`
    const expired = yield* sql<{ readonly id: string }>`
      UPDATE report_exports e SET status = 'expired', expired_reason = 'customer_erased', expires_at = now(),
        updated_at = now()
      WHERE status = 'ready' AND (${names(customerId, inherited)})
      RETURNING id`
    const ids = expired.map(({ id }) => id)
    if (ids.length > 0) yield* sql.afterCommit(Effect.forEach(ids, pieces.discard, { discard: true }))
    return ids.length
  })

  return { count, expire }
}
