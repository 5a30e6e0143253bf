import type { Statement } from "effect/sql"
import type { Database, Query } from "../persistence/Database.ts"
import { isPersonal, licensesOf } from "./OwnedSpanSql.ts"
import type { Erasable } from "./OwnedSpanSql.ts"

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

/** How many activities of jobs have a reason. */
export const countJobReasons = (
  sql: Database,
  ids: ReadonlyArray<string>
): Query<{ readonly reasons: number }> =>
  sql<{ readonly reasons: number }>`
    -- name: activities.count job reasons
    SELECT count(*)::int AS reasons FROM activities
    WHERE resource_type = 'job' AND resource_id = ANY(${ids}::text[]) AND reason IS NOT NULL`

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

/** The events of jobs that still have personal values: their reasons. */
export const listErasableOfJobs = (sql: Database, ids: ReadonlyArray<string>): Query<Erasable> =>
  sql<Erasable>`
    -- name: events.list erasable of jobs
    SELECT e.ordinal FROM unnest(${ids}::text[]) AS j (id)
    JOIN events e ON e.resource_key = right(j.id, 7) AND e.resource_id = j.id
    WHERE ${sql.literal(isPersonal("e"))}
    UNION
    SELECT e.ordinal FROM event_outbox e WHERE e.resource_id = ANY(${ids}::text[]) AND ${sql.literal(isPersonal("e"))}`

/** Takes the reasons of what was done with jobs. */
export const updateJobReasonsErased = (sql: Database, ids: ReadonlyArray<string>): Query<object> =>
  sql`
    -- name: activities.update job reasons erased
    UPDATE activities SET reason = NULL
    WHERE resource_type = 'job' AND resource_id = ANY(${ids}::text[]) AND reason IS NOT NULL RETURNING 1`
