import type { Statement } from "effect/sql"
import type { JobFailure } from "../../domain/jobs/Job.ts"
import type { Author } from "../../domain/people/notes/Note.ts"
import type { Database, Query } from "../ground/persistence/Database.ts"
import type { SortedClauses } from "../ground/persistence/KeysetPagination.ts"

/** How long an ended job is kept. */
const kept = "90 days"

/** A job as it is shown. */
const shown = (sql: Database): Statement.Fragment =>
  sql`j.id, j.action, j.selection, j.parameters, j.reason,
    jsonb_strip_nulls(jsonb_build_object('type', j.author_type, 'id', j.author_id, 'name', j.author_name,
      'roles', to_jsonb(j.author_roles))) AS author,
    j.state, j.failure, j.repeats,
    (SELECT id FROM jobs r WHERE r.repeats = j.id) AS repeated_by, c.total, c.done, c.skipped, c.failed, j.created_at, j.ended_at`

/** The outcomes of the rows of a job `j`, counted: 50,000 take some 10 ms. */
const counting = `(SELECT count(*)::int AS total, (count(*) FILTER (WHERE outcome = 'done'))::int AS done,
    (count(*) FILTER (WHERE outcome = 'skipped'))::int AS skipped,
    (count(*) FILTER (WHERE outcome = 'failed'))::int AS failed
  FROM job_rows WHERE job_id = j.id)`

/** The counts of a job `j`: those that its end has written, or of its rows as they are. */
const counted = (sql: Database): Statement.Fragment =>
  sql`CROSS JOIN LATERAL (
      SELECT * FROM jsonb_to_record(j.counts) AS c (total int, done int, skipped int, failed int) WHERE j.counts IS NOT NULL
      UNION ALL SELECT * FROM ${sql.literal(counting)} c WHERE j.counts IS NULL
    ) c`

/** A page of jobs. */
export const listJobs = (sql: Database, { orderBy, place, where }: SortedClauses, limit: number): Query<object> =>
  sql`
    -- name: jobs.list
    SELECT ${shown(sql)} ${place} FROM (SELECT * FROM jobs j ${where} ${orderBy} LIMIT ${limit}) j ${
    counted(sql)
  } ${orderBy}`

/** A job. */
export const findJob = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: jobs.find
    SELECT ${shown(sql)} FROM jobs j ${counted(sql)} WHERE j.id = ${id}`

/** Whether a job is within products: whoever asked for it was limited to some of them. */
export const isJobWithin = (sql: Database, products: ReadonlyArray<string>): Statement.Fragment =>
  sql`coalesce(j.product_ids <@ ${products}::text[], false)`

/** A new job. */
export interface NewJob {
  readonly id: string
  readonly action: string
  readonly selection: object
  readonly parameters: object
  readonly reason: string | undefined
  readonly author: Author
  readonly products: ReadonlyArray<string> | undefined
  readonly requestId: string | undefined
  readonly repeats: string | undefined
}

/** Inserts a job; none where who asks has one running. */
export const insertJob = (sql: Database, job: NewJob): Query<object> =>
  sql`
    -- name: jobs.insert
    INSERT INTO jobs (id, action, selection, parameters, reason, author_type, author_id, author_name, author_roles,
      product_ids, request_id, repeats)
    VALUES (${job.id}, ${job.action}, ${JSON.stringify(job.selection)}::jsonb, ${JSON.stringify(job.parameters)}::jsonb,
      ${job.reason ?? null}, ${job.author.type}, ${job.author.id},
      coalesce(${job.author.name ?? null}::text, (SELECT name FROM management_keys WHERE id = ${job.author.id})),
      ${job.author.roles ?? null}::text[], ${job.products ?? null}::text[], ${job.requestId ?? null},
      ${job.repeats ?? null})
    -- guard: one who asks has one job running
    ON CONFLICT (author_type, author_id) WHERE state = 'running' DO NOTHING RETURNING id`

/** Notes which job came of a request that a second person approved: the request is about its licenses. */
export const updateApprovalOfJob = (sql: Database, approvalId: string, id: string): Query<object> =>
  sql`
    -- name: approvals.update job
    UPDATE approvals SET job_id = ${id} WHERE id = ${approvalId} RETURNING id`

/** The running job of somebody. */
export const findRunningOf = (sql: Database, { id, type }: Author): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: jobs.find running
    SELECT id FROM jobs WHERE author_type = ${type} AND author_id = ${id} AND state = 'running'`

/** A running job, as its work needs it. */
export interface RunningJob {
  readonly id: string
  readonly action: string
  readonly selection: object
  readonly parameters: object
  readonly author_type: Author["type"]
  readonly author_id: string
  readonly product_ids: ReadonlyArray<string> | null
  readonly request_id: string | null
}

/** A running job, noting that somebody works on it; none where it has ended. */
export const updateWorked = (sql: Database, id: string): Query<RunningJob> =>
  sql<RunningJob>`
    -- name: jobs.update worked
    UPDATE jobs SET worked_at = clock_timestamp() WHERE id = ${id} AND state = 'running'
    RETURNING id, action, selection, parameters, author_type, author_id, product_ids, request_id`

/**
 * Holds a running job against its end until the transaction ends; none where it has ended. The reason is that of this moment: an
 * erasure may have taken it.
 */
export const lockRunning = (sql: Database, id: string): Query<{ readonly reason: string | null }> =>
  sql<{ readonly reason: string | null }>`
    -- name: jobs.lock running
    SELECT reason FROM jobs WHERE id = ${id} AND state = 'running'
    -- guard: a stopped job changes no further license
    FOR SHARE`

/** Ends a running job; none where it has ended. */
export const updateEnded = (
  sql: Database,
  id: string,
  state: "done" | "stopped" | "failed",
  failure?: JobFailure
): Query<object> =>
  sql`
    -- name: jobs.update ended
    UPDATE jobs SET state = ${state}, failure = ${failure === undefined ? null : JSON.stringify(failure)}::jsonb,
      ended_at = now()
    -- guard: a job ends once
    WHERE id = ${id} AND state = 'running' RETURNING id`

/** Writes the counts of a job that has ended: a statement of its own, which sees the rows that the end has waited for. */
export const updateCounts = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: jobs.update counts
    UPDATE jobs j SET counts = (SELECT to_jsonb(c) FROM ${sql.literal(counting)} c) WHERE j.id = ${id} RETURNING j.id`

/** Running jobs that nobody has worked on for a while: whoever did is gone, or was never told. */
export const listLeft = (sql: Database): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: jobs.list left
    SELECT id FROM jobs WHERE state = 'running'
      AND (worked_at < clock_timestamp() - interval '3 seconds' OR worked_at > clock_timestamp()) LIMIT 100`

/** When a running job may be without anybody who works on it, or an ended one is to be deleted. */
export const jobsDue = (sql: Database): Statement.Fragment =>
  sql`SELECT least(
    (SELECT min(CASE WHEN worked_at > clock_timestamp() THEN now() ELSE worked_at + interval '3 seconds' END)
      FROM jobs WHERE state = 'running'),
    (SELECT min(ended_at) FROM jobs) + interval '${sql.literal(kept)}')`

/** Locks a job, which others may want to repeat at the same time; the job that repeats it, if there is one. */
export const lockToRepeat = (sql: Database, id: string): Query<{ readonly repeated_by: string | null }> =>
  sql<{ readonly repeated_by: string | null }>`
    -- name: jobs.lock to repeat
    SELECT (SELECT r.id FROM jobs r WHERE r.repeats = jobs.id) AS repeated_by FROM jobs WHERE id = ${id}
    FOR NO KEY UPDATE`

/** Deletes a few jobs that ended long ago, with their rows. */
export const deleteOldJobs = (sql: Database): Query<object> =>
  sql`
    -- name: jobs.delete old
    DELETE FROM jobs WHERE id = ANY(ARRAY(
      SELECT id FROM jobs WHERE ended_at < now() - interval '${sql.literal(kept)}' ORDER BY ended_at LIMIT 5))
    RETURNING id`
