import { Effect } from "effect"
import { erasedName } from "../../domain/commerce/CustomerErasure.ts"
import type { ReportFilters, ReportKind, ReportRow } from "../../domain/reports/Report.ts"
import type { Database } from "../persistence/Database.ts"
import type { OpenedReport } from "../reports/OpenedReport.ts"

/** Pieces of files that are removed in one transaction, some 4 MB. */
const slice = 64

/**
 * Whom a report names: the customers whose name or address it holds. They stand in the summary of a customer, and in use
 * added up by customer as the labels of its rows.
 */
export const namedBy = (kind: ReportKind, filters: ReportFilters, { summary }: Pick<OpenedReport, "summary">): {
  /** In the head of the report. */
  readonly inSummary: ReadonlyArray<string>
  readonly inRow: (row: ReportRow) => ReadonlyArray<string>
} => {
  const none = () => []
  if (kind === "customer-summary") {
    const { email, id, name } = summary["customer"] as { readonly [member in "email" | "id" | "name"]?: string }
    return { inSummary: name === erasedName && email === undefined ? [] : [id!], inRow: none }
  }
  return kind === "usage-summary" && (filters as ReportFilters<"usage-summary">).group_by === "customer_id"
    ? {
      inSummary: [],
      inRow: ({ group, label }) => typeof label === "string" && label !== erasedName ? [String(group)] : []
    }
    : { inSummary: [], inRow: none }
}

/**
 * Takes exports away that hold personal values of a customer. What was frozen cannot be changed, because its digest is
 * signed: the export expires, and digests and manifest are left. What is being made is made anew, from the tables as
 * they are then.
 */
export const makeErasedExports = (sql: Database) => {
  /** Removes the files of exports that have expired, in slices; what a crash leaves, the worker of exports removes. */
  const remove = (ids: ReadonlyArray<string>) =>
    sql`
      DELETE FROM report_export_pieces WHERE ctid = ANY(ARRAY(
        SELECT p.ctid FROM report_exports e JOIN report_export_pieces p ON p.export_id = e.id
        WHERE e.status = 'expired' AND e.id = ANY(${ids}::text[]) LIMIT ${slice} FOR UPDATE OF p SKIP LOCKED))
      RETURNING 1`.pipe(
      Effect.repeat({ while: ({ length }) => length === slice }),
      Effect.asVoid
    )

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
    if (ids.length > 0) yield* sql.afterCommit(remove(ids))
    return ids.length
  })
}
