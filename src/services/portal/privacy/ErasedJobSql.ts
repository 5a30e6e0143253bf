import type { Statement } from "effect/sql"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { licensesOf } from "./OwnedSpanSql.ts"

/** A job that had a license of a customer. */
export interface ErasedJob {
  readonly id: string
  /** Whether it is running on a filter that may name the customer: without that, it would take other licenses. */
  readonly stops: boolean
}

/** The jobs that had a license which is or was a customer's, by id. */
const jobsOf = (sql: Database, customerId: string): Statement.Fragment =>
  sql`FROM jobs WHERE id = ANY(ARRAY(
      SELECT r.job_id FROM (${licensesOf(sql, customerId)}) l JOIN job_rows r ON r.license_id = l.id))
    ORDER BY id`

/** Whether something of a job may name a person. */
const isPersonalJob = "(reason IS NOT NULL OR selection -> 'filter' ?| ARRAY['q', 'customer_email'])"

/** The jobs of a customer, and what an erasure would take from them. */
export const listJobsOf = (
  sql: Database,
  customerId: string
): Query<{ readonly id: string; readonly is_personal: boolean }> =>
  sql<{ readonly id: string; readonly is_personal: boolean }>`
    -- name: jobs.list of customer
    SELECT id, coalesce(${sql.literal(isPersonalJob)}, false) AS is_personal ${jobsOf(sql, customerId)}`

/** Locks the jobs that had a license which is or was a customer's. */
export const lockJobsOf = (sql: Database, customerId: string): Query<ErasedJob> =>
  sql<ErasedJob>`
    -- name: jobs.lock of customer
    SELECT id, state = 'running' AND coalesce(selection -> 'filter' ?| ARRAY['q', 'customer_email'], false) AS stops
    ${jobsOf(sql, customerId)} FOR UPDATE`

/** Takes the reasons of locked jobs, and what their filters say of people. */
export const updateJobsErased = (sql: Database, ids: ReadonlyArray<string>): Query<object> =>
  sql`
    -- name: jobs.update erased
    UPDATE jobs SET reason = NULL, selection = selection #- '{filter,q}' #- '{filter,customer_email}'
    WHERE id = ANY(${ids}::text[]) AND ${sql.literal(isPersonalJob)} RETURNING 1`
