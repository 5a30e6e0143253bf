import type { Statement } from "effect/sql"
import type { JobFailure } from "../../domain/jobs/Job.ts"
import type { Database, Query } from "../ground/persistence/Database.ts"
import { andWithinProducts } from "../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../ground/persistence/ProductLimit.ts"

/** A license that a job has a row of. */
interface ChosenRow {
  readonly license_id: string
}

/** Makes rows of the licenses that match conditions, in the order of the list; answers at most `limit`. */
export const insertMatching = (
  sql: Database,
  jobId: string,
  conditions: ReadonlyArray<Statement.Fragment>,
  limit: number
): Query<ChosenRow> =>
  sql<ChosenRow>`
    -- name: job_rows.insert matching
    INSERT INTO job_rows (job_id, position, license_id)
    SELECT ${jobId}::text, row_number() OVER (ORDER BY id DESC), id
    FROM (SELECT l.id FROM licenses l JOIN policies p ON p.id = l.policy_id
      WHERE ${sql.and([...conditions, sql`true`])} ORDER BY l.id DESC LIMIT ${limit}) matching
    RETURNING license_id`

/** Makes rows of licenses by their ids. */
export const insertNamed = (sql: Database, jobId: string, ids: ReadonlyArray<string>): Query<ChosenRow> =>
  sql<ChosenRow>`
    -- name: job_rows.insert named
    INSERT INTO job_rows (job_id, position, license_id)
    SELECT ${jobId}::text, position, id FROM unnest(${ids}::text[]) WITH ORDINALITY AS named (id, position) RETURNING license_id`

/** The places, from 0, of ids that no license within some products has; the first `limit` of them. */
export const listUnknown = (
  sql: Database,
  ids: ReadonlyArray<string>,
  { limit, products }: { readonly limit: number; readonly products: ProductLimit }
): Query<{ readonly place: number }> =>
  sql<{ readonly place: number }>`
    -- name: licenses.list unknown
    SELECT (position - 1)::int AS place FROM unnest(${ids}::text[]) WITH ORDINALITY AS named (id, position)
    WHERE NOT EXISTS (SELECT FROM licenses l WHERE l.id = named.id ${andWithinProducts(sql, "l.product_id", products)})
    ORDER BY position LIMIT ${limit}`

/** Makes rows of the licenses that failed in another job. */
export const insertFailedOf = (sql: Database, jobId: string, of: string): Query<ChosenRow> =>
  sql<ChosenRow>`
    -- name: job_rows.insert failed
    INSERT INTO job_rows (job_id, position, license_id)
    SELECT ${jobId}::text, row_number() OVER (ORDER BY position), license_id FROM job_rows
    WHERE job_id = ${of} AND outcome = 'failed' RETURNING license_id`

/** How many licenses match conditions, up to one more than `limit`, and the first of them. */
export const listMatching = (
  sql: Database,
  conditions: ReadonlyArray<Statement.Fragment>,
  limit: number
): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: licenses.list matching
    SELECT l.id FROM licenses l JOIN policies p ON p.id = l.policy_id
    WHERE ${sql.and([...conditions, sql`true`])} ORDER BY l.id DESC LIMIT ${limit}`

/** Whether a license `l` is one of these. */
export const isAmong = (sql: Database, ids: ReadonlyArray<string>): Statement.Fragment =>
  sql`l.id = ANY(${ids}::text[])`

/** A row that nobody has tried. */
export interface PendingRow {
  readonly position: number
  readonly license_id: string
}

/** The next rows of a job. */
export const listPending = (sql: Database, jobId: string, limit: number): Query<PendingRow> =>
  sql<PendingRow>`
    -- name: job_rows.list pending
    SELECT position, license_id FROM job_rows WHERE job_id = ${jobId} AND outcome IS NULL ORDER BY position LIMIT ${limit}`

/** Writes what became of a row; none where another has written it. */
export const updateOutcome = (
  sql: Database,
  { jobId, position }: { readonly jobId: string; readonly position: number },
  outcome: "done" | "skipped" | "failed",
  failure?: JobFailure
): Query<object> =>
  sql`
    -- name: job_rows.update outcome
    UPDATE job_rows SET outcome = ${outcome}, failure = ${failure === undefined ? null : JSON.stringify(failure)}::jsonb
    -- guard: a row of a job is done once
    WHERE job_id = ${jobId} AND position = ${position} AND outcome IS NULL RETURNING 1`

/** Gives a row that the same transaction has claimed its other outcome. */
export const updateSkipped = (
  sql: Database,
  { jobId, position }: { readonly jobId: string; readonly position: number },
  failure: JobFailure
): Query<object> =>
  sql`
    -- name: job_rows.update skipped
    UPDATE job_rows SET outcome = 'skipped', failure = ${JSON.stringify(failure)}::jsonb
    WHERE job_id = ${jobId} AND position = ${position} RETURNING 1`

/** A row as it is shown, with its position as the key of its page. */
export interface ShownRow {
  readonly position: number
}

/** The rows of a job behind a position, with the owner of each license. */
export const listRows = (
  sql: Database,
  jobId: string,
  { after, limit, outcome }: {
    readonly after: number
    readonly limit: number
    readonly outcome: "pending" | "done" | "skipped" | "failed" | undefined
  }
): Query<ShownRow> =>
  sql<ShownRow>`
    -- name: job_rows.list
    SELECT r.position, r.license_id, coalesce(l.customer_name, c.name, l.customer_email) AS owner,
      coalesce(r.outcome, 'pending') AS outcome, r.failure
    FROM job_rows r LEFT JOIN licenses l ON l.id = r.license_id LEFT JOIN customers c ON c.id = l.customer_id
    WHERE r.job_id = ${jobId} AND r.position > ${after} AND ${
    outcome === undefined ? sql`true` : outcome === "pending" ? sql`r.outcome IS NULL` : sql`r.outcome = ${outcome}`
  }
    ORDER BY r.position LIMIT ${limit}`

/** How many of some licenses a purchase pays for. */
export const countPaid = (sql: Database, ids: ReadonlyArray<string>): Query<{ readonly licenses: number }> =>
  sql<{ readonly licenses: number }>`
    -- name: purchase_licenses.count paid
    SELECT count(DISTINCT license_id)::int AS licenses FROM purchase_licenses
    WHERE license_id = ANY(${ids}::text[]) AND NOT is_adopted`
