import type { Statement } from "effect/sql"
import type { Database, Query } from "../persistence/Database.ts"
import { isPersonal, licensesOf } from "./OwnedSpanSql.ts"
import type { Erasable } from "./OwnedSpanSql.ts"

/** A request for a second person. */
interface ApprovalRow {
  readonly id: string
}

/** Whether a request is about a customer, or a license which is or was the customer's. */
const isAboutCustomer = (sql: Database, customerId: string): Statement.Fragment =>
  sql`(resource_id = ${customerId} OR resource_id = ANY(ARRAY(SELECT id FROM (${licensesOf(sql, customerId)}) l)))`

/** The requests for a second person that are about a customer. */
export const listApprovalsOf = (sql: Database, customerId: string): Query<ApprovalRow> =>
  sql<ApprovalRow>`
    -- name: approvals.list of customer
    SELECT id FROM approvals WHERE ${isAboutCustomer(sql, customerId)}`

/** Locks the requests for a second person that are about a customer, or a license which is or was the customer's. */
export const lockApprovalsOf = (sql: Database, customerId: string): Query<ApprovalRow> =>
  sql<ApprovalRow>`
    -- name: approvals.lock of customer
    SELECT id FROM approvals WHERE ${isAboutCustomer(sql, customerId)}
    ORDER BY id FOR UPDATE`

/** Takes the reasons of locked requests, also out of their bodies. What is asked for stays, because it may still wait. */
export const updateApprovalsErased = (sql: Database, ids: ReadonlyArray<string>): Query<object> =>
  sql`
    -- name: approvals.update erased
    UPDATE approvals SET reason = NULL, decision_reason = NULL, failure = NULL,
      body = nullif((body::jsonb - 'reason')::text, '{}')
    WHERE id = ANY(${ids}::text[])
      AND (reason IS NOT NULL OR decision_reason IS NOT NULL OR failure IS NOT NULL OR body::jsonb ? 'reason') RETURNING 1`

/** The events of requests that still have personal values: their reasons. */
export const listErasableOfApprovals = (sql: Database, ids: ReadonlyArray<string>): Query<Erasable> =>
  sql<Erasable>`
    -- name: events.list erasable of approvals
    SELECT e.ordinal FROM unnest(${ids}::text[]) AS a (id)
    JOIN events e ON e.resource_key = right(a.id, 7) AND e.resource_id = a.id
    WHERE ${sql.literal(isPersonal("e"))}
    UNION
    SELECT e.ordinal FROM event_outbox e WHERE e.resource_id = ANY(${ids}::text[]) AND ${sql.literal(isPersonal("e"))}`

/** Takes the reasons of what was done with requests. */
export const updateApprovalReasonsErased = (sql: Database, ids: ReadonlyArray<string>): Query<object> =>
  sql`
    -- name: activities.update approval reasons erased
    UPDATE activities SET reason = NULL
    WHERE resource_type = 'approval' AND resource_id = ANY(${ids}::text[]) AND reason IS NOT NULL RETURNING 1`

/** How many reasons {@link updateApprovalReasonsErased} would take. */
export const countApprovalReasons = (
  sql: Database,
  ids: ReadonlyArray<string>
): Query<{ readonly reasons: number }> =>
  sql<{ readonly reasons: number }>`
    -- name: activities.count approval reasons
    SELECT count(*)::int AS reasons FROM activities
    WHERE resource_type = 'approval' AND resource_id = ANY(${ids}::text[]) AND reason IS NOT NULL`
