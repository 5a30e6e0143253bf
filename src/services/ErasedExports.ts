import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Customer } from "../domain/Customer.ts"
import { erasedName } from "../domain/CustomerErasure.ts"
import { inTransaction } from "./Transaction.ts"

/** Bytes of the next piece that are searched with a piece: more than anything that is searched for. */
const overlap = 256

/**
 * Takes frozen exports away that hold personal values of a customer, name and address, which stand in the summary of
 * that customer and in use added up by customer. What was frozen cannot be changed, because its digest is signed: the
 * export expires, and digests and manifest are left. What is being made is made anew, from the tables as they are then.
 * Answers how many expired. Called again, it leaves what was made after an erasure.
 */
export const makeErasedExports =
  (sql: SqlClient.SqlClient) => ({ created_at, id }: Pick<Customer, "created_at" | "id">): Effect.Effect<number> => {
    const isSummary = sql`report_kind = 'customer-summary' AND filters ->> 'customer_id' = ${id}`
    const isByCustomer = sql`
    report_kind = 'usage-summary' AND filters ->> 'group_by' = 'customer_id'
      AND coalesce(filters ->> 'customer_id', ${id}) = ${id}`
    const utf8 = (text: string) => sql`convert_to(${text}::text, 'UTF8')`
    const bytes = sql`
    SELECT octet_length(bytes) AS size,
      bytes || coalesce(substring(lead(bytes) OVER (ORDER BY start_at) FROM 1 FOR ${overlap}::int), ''::bytea) AS text
    FROM report_export_pieces WHERE export_id = e.id AND part = 'snapshot'`
    // Snapshots are canonical JSON, so that a customer without name and address is always the same text.
    const erasedCustomer = utf8(
      `"created_at":"${created_at}","id":${JSON.stringify(id)},"name":${JSON.stringify(erasedName)}`
    )
    const group = `"group":${JSON.stringify(id)},"label":`
    const erasedGroup = `${group}${JSON.stringify(erasedName)}`
    return inTransaction(
      sql,
      Effect.gen(function*() {
        // The claim is taken from its worker, whose snapshot of the database may be older than the erasure. One that is
        // waiting counts too: its next claim may be under way.
        yield* sql`
        UPDATE report_exports SET status = 'queued', leased_until = NULL, attempt = attempt + 1, due_at = now(),
          as_of_sequence = NULL, checkpoint = NULL, digest = NULL, snapshot_size = NULL, seal = NULL, frozen_at = NULL,
          progress_rows = 0, progress_total = NULL, updated_at = now()
        WHERE status IN ('queued', 'running') AND ((${isSummary}) OR (${isByCustomer}))`
        // A customer has one name in a snapshot: the first place where it stands tells.
        const expired = yield* sql<{ readonly id: string }>`
        UPDATE report_exports e SET status = 'expired', expired_reason = 'customer_erased', expires_at = now(),
          updated_at = now()
        WHERE status = 'ready' AND (
          (${isSummary} AND NOT EXISTS (SELECT 1 FROM (${bytes}) p WHERE position(${erasedCustomer} IN text) > 0))
          OR (${isByCustomer} AND EXISTS (
            SELECT 1 FROM (SELECT *, position(${utf8(group)} IN text) AS place FROM (${bytes}) p) p
            WHERE place BETWEEN 1 AND size
              AND substring(text FROM place FOR ${erasedGroup.length}::int) <> ${utf8(erasedGroup)})))
        RETURNING id`
        yield* sql`DELETE FROM report_export_pieces WHERE export_id = ANY(${expired.map(({ id }) => id)}::text[])`
        return expired.length
      }).pipe(Effect.orDie)
    )
  }
