import type { Statement } from "effect/sql"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { licensesOf } from "./OwnedSpanSql.ts"

/** A request for a second person. */
interface ApprovalRow {
  readonly id: string
  readonly operation: string
  readonly body: string | null
}

/**
 * The requests that are about a customer, a license which is or was the customer's, or a job with one: by its rows, and until it is
 * there by the IDs that it is asked for with.
 */
const approvalsOf = (sql: Database, customerId: string): Statement.Fragment =>
  sql`FROM approvals WHERE id = ANY(ARRAY(
      WITH owned AS MATERIALIZED (SELECT id FROM (${licensesOf(sql, customerId)}) l)
      SELECT id FROM approvals WHERE resource_id = ${customerId}
      UNION SELECT id FROM approvals WHERE operation IN ('transferLicense', 'updateLicense')
        AND body::jsonb ->> 'customer_id' = ${customerId}
      UNION SELECT a.id FROM owned JOIN approvals a ON a.resource_id = owned.id
      UNION SELECT a.id FROM owned JOIN job_rows r ON r.license_id = owned.id JOIN approvals a ON a.job_id = r.job_id
      UNION SELECT a.id FROM approvals a WHERE a.operation = 'createLicenseJob' AND a.job_id IS NULL
        AND a.body::jsonb #> '{selection,ids}' ?| ARRAY(SELECT id FROM owned)))
    ORDER BY id`

/** The requests for a second person that are about a customer. */
export const listApprovalsOf = (sql: Database, customerId: string): Query<ApprovalRow> =>
  sql<ApprovalRow>`
    -- name: approvals.list of customer
    SELECT id, operation, body ${approvalsOf(sql, customerId)}`

/** Locks the requests for a second person that are about a customer, by id. */
export const lockApprovalsOf = (sql: Database, customerId: string): Query<ApprovalRow> =>
  sql<ApprovalRow>`
    -- name: approvals.lock of customer
    SELECT id, operation, body ${approvalsOf(sql, customerId)} FOR UPDATE`

/** Takes the reasons of locked requests, which have these bodies from now on. What is asked for stays, because it may still wait. */
export const updateApprovalsErased = (
  sql: Database,
  rows: ReadonlyArray<Omit<ApprovalRow, "operation">>
): Query<object> =>
  sql`
    -- name: approvals.update erased
    UPDATE approvals a SET reason = NULL, decision_reason = NULL, failure = NULL, body = nullif(e.body, '')
    FROM unnest(${rows.map(({ id }) => id)}::text[], ${rows.map(({ body }) => body ?? "")}::text[]) AS e (id, body)
    WHERE a.id = e.id AND (a.reason IS NOT NULL OR a.decision_reason IS NOT NULL OR a.failure IS NOT NULL
      OR a.body IS DISTINCT FROM nullif(e.body, '')) RETURNING 1`
