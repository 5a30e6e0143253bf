import type { Statement } from "effect/sql"
import type { Foreseen, ReconciliationFailure } from "../../../domain/sales/billing/Reconciliation.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"

/** How long a claim lasts without being extended, in seconds. */
const claimSeconds = 20

/** How many reconciliations of a connection are kept, the newest. */
const kept = 20

const shownColumns = (sql: Database): Statement.Fragment =>
  sql`r.id, r.connection_id, r.is_dry_run AS dry_run, r.status, r.pages, r.failure, r.created_by, r.created_at,
    r.updated_at, r.finished_at, CASE WHEN r.status = 'queued' AND r.failure IS NOT NULL THEN r.due_at END AS next_attempt_at,
    r.same + found.same AS same, found.missing, found.differs, found.unknown`

const shownTables = (sql: Database): Statement.Fragment =>
  sql`FROM billing_reconciliations r CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE finding = 'same') AS same, count(*) FILTER (WHERE finding = 'missing') AS missing,
        count(*) FILTER (WHERE finding = 'differs') AS differs, count(*) FILTER (WHERE finding = 'unknown') AS unknown
      FROM billing_reconciliation_purchases WHERE reconciliation_id = r.id
    ) found`

/** Makes a reconciliation of a connection that none is under way of; answers nothing where one is. */
export const insertReconciliation = (
  sql: Database,
  made: {
    readonly id: string
    readonly connectionId: string
    readonly isDryRun: boolean
    readonly paths: ReadonlyArray<string>
    readonly createdBy: string
  }
): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: billing_reconciliations.insert
    INSERT INTO billing_reconciliations (id, connection_id, is_dry_run, paths, created_by)
    VALUES (${made.id}, ${made.connectionId}, ${made.isDryRun}, ${JSON.stringify(made.paths)}::jsonb, ${made.createdBy})
    -- guard: a connection is reconciled once at a time
    ON CONFLICT (connection_id) WHERE status IN ('queued', 'running') DO NOTHING RETURNING id`

/** Removes the reconciliations of a connection beyond the newest ones. */
export const deleteOlder = (sql: Database, connectionId: string): Query<object> =>
  sql`
    -- name: billing_reconciliations.delete older
    DELETE FROM billing_reconciliations WHERE connection_id = ${connectionId} AND status IN ('done', 'failed')
      AND id NOT IN (SELECT id FROM billing_reconciliations WHERE connection_id = ${connectionId}
        ORDER BY id DESC LIMIT ${kept})`

/** A reconciliation as it is shown, without what it found. */
export const findReconciliation = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: billing_reconciliations.find
    SELECT ${shownColumns(sql)} ${shownTables(sql)} WHERE r.id = ${id}`

/** The reconciliations of a connection, newest first. */
export const listReconciliations = (sql: Database, connectionId: string): Query<object> =>
  sql`
    -- name: billing_reconciliations.list
    SELECT ${shownColumns(sql)} ${shownTables(sql)} WHERE r.connection_id = ${connectionId} ORDER BY r.id DESC`

/** A purchase that was another one than at its provider. */
export interface FindingRow {
  readonly name: string
  readonly finding: "missing" | "differs" | "unknown"
  readonly members: ReadonlyArray<string>
  readonly purchase_id: string | null
  /** The outcome that a dry run foresees; NULL without one. */
  readonly foreseen: Foreseen | null
}

/** The findings of a reconciliation; of more than these, those first by which a license is doubled, or that wait or fail. */
export const listFindings = (sql: Database, id: string, limit: number): Query<FindingRow> =>
  sql<FindingRow>`
    -- name: billing_reconciliation_purchases.list findings
    SELECT f.name, f.finding, f.members, f.foreseen, p.id AS purchase_id
    FROM billing_reconciliation_purchases f JOIN billing_reconciliations r ON r.id = f.reconciliation_id
    LEFT JOIN purchases p ON p.connection_id = r.connection_id AND p.name = f.name
    WHERE f.reconciliation_id = ${id} AND f.finding <> 'same' ORDER BY f.foreseen ->> 'outcome' IN ('doubles', 'waits', 'fails') DESC NULLS LAST, f.name
    LIMIT ${limit}`

/** How many purchases each outcome is foreseen of. */
export const countForeseen = (
  sql: Database,
  id: string
): Query<{ readonly outcome: Foreseen["outcome"]; readonly count: bigint }> =>
  sql<{ readonly outcome: Foreseen["outcome"]; readonly count: bigint }>`
    -- name: billing_reconciliation_purchases.count foreseen
    SELECT foreseen ->> 'outcome' AS outcome, count(*) AS count FROM billing_reconciliation_purchases
    WHERE reconciliation_id = ${id} AND foreseen IS NOT NULL GROUP BY 1`

/** A reconciliation that a worker has claimed; `attempt` is the number of the claim (fencing token). */
export interface ClaimedReconciliation {
  readonly id: string
  readonly connection_id: string
  readonly is_dry_run: boolean
  readonly attempt: number
  readonly tries: number
  readonly pages: number
  readonly paths: ReadonlyArray<string>
}

const claimedColumns = "id, connection_id, is_dry_run, attempt, tries, pages, paths"

/** When the next reconciliation may be claimed. */
export const reconciliationsDue = (sql: Database): Statement.Fragment =>
  sql`SELECT min(CASE status WHEN 'queued' THEN due_at ELSE leased_until END) FROM billing_reconciliations
    WHERE status IN ('queued', 'running')`

/** Claims the reconciliation that has waited longest, or one whose claim has lapsed. */
export const claimReconciliation = (sql: Database): Query<ClaimedReconciliation> =>
  sql<ClaimedReconciliation>`
    -- name: billing_reconciliations.claim
    UPDATE billing_reconciliations SET status = 'running', attempt = attempt + 1, tries = tries + 1,
      leased_until = now() + ${claimSeconds} * interval '1 second', updated_at = now()
    WHERE id = (
      SELECT id FROM billing_reconciliations
      -- guard: a reconciliation waits until it is due
      WHERE (status = 'queued' AND due_at <= now())
        -- guard: a claim of a reconciliation that lasts is taken from nobody
        OR (status = 'running' AND leased_until < now())
      -- guard: a reconciliation is claimed by one worker
      ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING ${sql.literal(claimedColumns)}`

type Claim = Pick<ClaimedReconciliation, "id" | "attempt">

const holds = (sql: Database, { attempt, id }: Claim): Statement.Fragment =>
  sql`id = ${id} AND status = 'running'
    -- guard: a stale claim of a reconciliation
    AND attempt = ${attempt}
  `

/** Extends a claim that still holds. */
export const updateExtended = (sql: Database, claim: Claim): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: billing_reconciliations.update extended
    UPDATE billing_reconciliations SET leased_until = now() + ${claimSeconds} * interval '1 second'
    WHERE ${holds(sql, claim)} RETURNING id`

/**
 * Writes what is left to be read after a page; the tries begin anew, for the provider answers. `left` says of a page that it
 * was left out, and stays.
 */
export const updatePaths = (
  sql: Database,
  claim: Claim,
  paths: ReadonlyArray<string>,
  left?: ReconciliationFailure
): Query<ClaimedReconciliation> =>
  sql<ClaimedReconciliation>`
    -- name: billing_reconciliations.update paths
    UPDATE billing_reconciliations SET paths = ${JSON.stringify(paths)}::jsonb, pages = pages + 1, tries = 1,
      failure = coalesce(${left === undefined ? null : JSON.stringify(left)}::jsonb,
        CASE WHEN failure ->> 'code' = 'partly_read' THEN failure END),
      leased_until = now() + ${claimSeconds} * interval '1 second', updated_at = now()
    WHERE ${holds(sql, claim)} RETURNING ${sql.literal(claimedColumns)}`

/** Locks a claimed reconciliation against another claim, while something is written for it. */
export const lockClaimed = (sql: Database, claim: Claim): Query<{ readonly tries: number }> =>
  sql<{ readonly tries: number }>`
    -- name: billing_reconciliations.lock claimed
    SELECT tries FROM billing_reconciliations WHERE ${holds(sql, claim)} FOR SHARE`

/** Gives a claim back, for another one in `seconds`; `failure` says what it waits for. */
export const updateQueuedAgain = (
  sql: Database,
  claim: Claim,
  { failure, isCounted, seconds }: {
    readonly seconds: number
    readonly failure: ReconciliationFailure | undefined
    readonly isCounted: boolean
  }
): Query<object> =>
  sql`
    -- name: billing_reconciliations.update queued again
    UPDATE billing_reconciliations SET status = 'queued', leased_until = NULL,
      due_at = now() + ${seconds} * interval '1 second', tries = tries - ${isCounted ? 0 : 1},
      failure = ${failure === undefined ? null : JSON.stringify(failure)}::jsonb, updated_at = now()
    WHERE ${holds(sql, claim)}`

/** Ends a claimed reconciliation: done, or failed for a reason. */
export const updateEnded = (
  sql: Database,
  claim: Claim,
  failure: ReconciliationFailure | undefined
): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: billing_reconciliations.update ended
    UPDATE billing_reconciliations SET status = ${failure === undefined ? "done" : "failed"}, leased_until = NULL,
      failure = coalesce(${failure === undefined ? null : JSON.stringify(failure)}::jsonb,
        CASE WHEN failure ->> 'code' = 'partly_read' THEN failure END),
      paths = '[]', finished_at = now(),
      updated_at = now()
    WHERE ${holds(sql, claim)} RETURNING id`

/** A purchase that was compared. */
export interface ComparedName {
  readonly name: string
  readonly finding: "same" | "missing" | "differs"
  readonly members: ReadonlyArray<string>
  readonly foreseen?: Foreseen | undefined
}

/** Notes purchases that were compared. What was found of one stays found, whatever is compared after it was mended. */
export const insertCompared = (sql: Database, id: string, compared: ReadonlyArray<ComparedName>): Query<object> =>
  sql`
    -- name: billing_reconciliation_purchases.insert
    INSERT INTO billing_reconciliation_purchases AS f (reconciliation_id, name, finding, members, foreseen)
    SELECT ${id}, c.name, c.finding, ARRAY(SELECT jsonb_array_elements_text(c.members)), c.foreseen
    FROM json_to_recordset(${
    JSON.stringify(compared)
  }::json) AS c (name text, finding text, members jsonb, foreseen jsonb)
    ORDER BY c.name
    ON CONFLICT (reconciliation_id, name) DO UPDATE SET
      finding = CASE WHEN f.finding = 'missing' OR excluded.finding = 'same' THEN f.finding ELSE excluded.finding END,
      members = CASE WHEN f.finding = 'missing' THEN f.members
        ELSE ARRAY(SELECT DISTINCT unnest(f.members || excluded.members) ORDER BY 1) END,
      foreseen = coalesce(excluded.foreseen, f.foreseen)`

/**
 * Notes the purchases that are known here since before a reconciliation, go on, and were not among those it read. None where
 * a list was left out.
 */
export const insertUnknown = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: billing_reconciliation_purchases.insert unknown
    INSERT INTO billing_reconciliation_purchases (reconciliation_id, name, finding, members)
    SELECT r.id, p.name, 'unknown', '{}' FROM billing_reconciliations r
    JOIN purchases p ON p.connection_id = r.connection_id AND p.created_at < r.created_at
    WHERE r.id = ${id} AND r.failure IS NULL AND p.state ->> 'kind' IS NOT NULL
      AND p.state ->> 'state' NOT IN ('canceled', 'incomplete_expired', 'failed', 'pending')
    ON CONFLICT (reconciliation_id, name) DO NOTHING`

/** Removes the purchases that were the same, which only their number is kept of. */
export const deleteSame = (sql: Database, id: string): Query<object> =>
  sql`
    -- name: billing_reconciliation_purchases.delete same
    WITH gone AS (
      DELETE FROM billing_reconciliation_purchases WHERE reconciliation_id = ${id} AND finding = 'same' RETURNING 1
    )
    UPDATE billing_reconciliations SET same = same + (SELECT count(*) FROM gone) WHERE id = ${id}`
