import type { Statement } from "effect/sql"
import type { Approval, ApprovalFailure, ApprovalState } from "../../../domain/people/approvals/Approval.ts"
import { waitingHours } from "../../../domain/people/approvals/Approval.ts"
import type { ApprovalReach } from "../../../domain/people/approvals/ApprovalReach.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import type { SortedClauses } from "../../ground/persistence/KeysetPagination.ts"
import { isOfProducts } from "../../ground/persistence/ProductLimit.ts"

/** How long a request is kept after it was decided. */
const kept = "90 days"

/** Somebody as a column: who it is, by name and roles of that time. */
const author = (who: "requester" | "decider", as: string): string =>
  `CASE WHEN ${who}_id IS NULL THEN NULL ELSE jsonb_build_object('type', 'person', 'id', ${who}_id, 'name', ${who}_name,
    'roles', to_jsonb(${who}_roles)) END AS ${as}`

const shown = (sql: Database): Statement.Fragment =>
  sql`id, operation, params, body::json AS body, if_match, reason, ${
    sql.literal(author("requester", "requested_by"))
  }, state, ${
    sql.literal(author("decider", "decided_by"))
  }, decision_reason, failure, created_at, expires_at, decided_at`

/** A person who asks or decides. */
export interface Party {
  readonly id: string
  readonly name: string
  readonly roles: ReadonlyArray<string>
}

/** A request that is to wait for a second person. */
export interface NewApproval extends Pick<Approval, "operation" | "params"> {
  readonly id: string
  /** The license or customer that it is about, if any: with its erasure the reason goes. */
  readonly resourceId: string | undefined
  /** The job that it is about, if any. */
  readonly jobId: string | undefined
  readonly body: string | undefined
  readonly ifMatch: string | undefined
  readonly reason: string
  readonly requester: Party
  /** The licenses that the filter of a job matches. */
  readonly selected?: ReadonlyArray<string> | undefined
}

/** Lets a request wait, in the product of its license, if it is about one. */
export const insertApproval = (sql: Database, made: NewApproval): Query<object> =>
  sql`
    -- name: approvals.insert
    INSERT INTO approvals (id, operation, params, resource_id, job_id, product_id, body, selected, if_match, reason,
      requester_id, requester_name, requester_roles, expires_at)
    VALUES (${made.id}, ${made.operation}, ${JSON.stringify(made.params)}::jsonb, ${made.resourceId ?? null},
      ${made.jobId ?? null}, (SELECT product_id FROM licenses WHERE id = ${made.resourceId ?? null}), ${
    made.body ?? null
  }, ${made.selected ?? null}::text[],
      ${made.ifMatch ?? null}, ${made.reason}, ${made.requester.id}, ${made.requester.name},
      ${made.requester.roles}::text[], now() + ${waitingHours}::int * interval '1 hour')
    RETURNING ${shown(sql)}`

/** Lets one request of a person be asked for at a time, so that each sees those that wait. */
export const lockAsking = (sql: Database, requesterId: string): Query<object> =>
  sql`
    -- name: approvals.lock asking
    SELECT pg_advisory_xact_lock(hashtext('countersign approvals of ' || ${requesterId}::text))`

/** How many requests of a person wait. */
export const countWaiting = (sql: Database, requesterId: string): Query<{ readonly waiting: number }> =>
  sql<{ readonly waiting: number }>`
    -- name: approvals.count waiting
    SELECT count(*)::int AS waiting FROM approvals
    WHERE state = 'pending' AND expires_at > now() AND requester_id = ${requesterId}`

/** The same request of the same person that waits already. */
export const findWaiting = (
  sql: Database,
  { body, ifMatch, operation, params, requester, selected }: Omit<
    NewApproval,
    "id" | "jobId" | "reason" | "resourceId"
  >
): Query<object> =>
  sql`
    -- name: approvals.find waiting
    SELECT ${shown(sql)} FROM approvals
    WHERE state = 'pending' AND expires_at > now() AND requester_id = ${requester.id} AND operation = ${operation}
      AND params = ${JSON.stringify(params)}::jsonb AND body IS NOT DISTINCT FROM ${body ?? null}
      AND if_match IS NOT DISTINCT FROM ${ifMatch ?? null} AND selected IS NOT DISTINCT FROM ${selected ?? null}::text[]
    LIMIT 1`

/** Requests of operations, of products where a right is limited to some. */
const isReached = (sql: Database, reach: ApprovalReach["sees"]): Statement.Fragment =>
  reach.length === 0 ? sql`false` : sql.or(
    reach.map(({ operation, products }) =>
      products === undefined
        ? sql`operation = ${operation}`
        : sql`(operation = ${operation} AND ${isOfProducts(sql, "product_id", products)})`
    )
  )

/** Whether somebody sees a request: his or her own, and those of operations within reach. */
export const isSeen = (sql: Database, { id, sees }: ApprovalReach): Statement.Fragment =>
  sql`(requester_id = ${id} OR ${isReached(sql, sees)})`

/** Whether a request waits for somebody's decision: it is another's, and of an operation within reach. */
export const isAwaiting = (sql: Database, { decides, id }: ApprovalReach): Statement.Fragment =>
  sql`(state = 'pending' AND expires_at > now() AND requester_id <> ${id} AND ${isReached(sql, decides)})`

/** Whether a request is in a state. */
export const isInState = (sql: Database, state: ApprovalState): Statement.Fragment => sql`state = ${state}`

/** Whether a request is about a license or a customer. */
export const isAbout = (sql: Database, resourceId: string): Statement.Fragment => sql`resource_id = ${resourceId}`

/** A page of requests. */
export const listApprovals = (sql: Database, { orderBy, place, where }: SortedClauses, limit: number): Query<object> =>
  sql`
    -- name: approvals.list
    SELECT ${shown(sql)} ${place} FROM approvals ${where} ${orderBy} LIMIT ${limit}`

/** A request that somebody sees. */
export const findApproval = (sql: Database, id: string, reach: ApprovalReach): Query<object> =>
  sql`
    -- name: approvals.find
    SELECT ${shown(sql)} FROM approvals WHERE id = ${id} AND ${isSeen(sql, reach)}`

/** A request as it is to be done. */
export interface WaitingRow {
  readonly body: string | null
  readonly waits: boolean
  /** Whether it waits for the decision of the one who asks about it. */
  readonly awaiting: boolean
}

/** The body of a request as it was written, and whether it waits, for anybody and for this one. */
export const findToDecide = (sql: Database, id: string, reach: ApprovalReach): Query<WaitingRow> =>
  sql<WaitingRow>`
    -- name: approvals.find to decide
    SELECT body, state = 'pending' AND expires_at > now() AS waits, ${isAwaiting(sql, reach)} AS awaiting
    FROM approvals WHERE id = ${id}`

/** A request that waits and is locked. */
interface LockedRow {
  readonly is_begun: boolean
  /** The licenses that the filter of a job matched when it was asked for. */
  readonly selected: ReadonlyArray<string> | null
}

/** Locks a request that waits; none where it was decided or its time is over. */
export const lockWaiting = (sql: Database, id: string): Query<LockedRow> =>
  sql<LockedRow>`
    -- name: approvals.lock waiting
    SELECT begun_at IS NOT NULL AS is_begun, selected FROM approvals
    -- guard: a request is decided once
    WHERE id = ${id} AND state = 'pending' AND expires_at > now() FOR UPDATE`

/** Lets one erasure of a customer be finished at a time. Such an erasure takes it before it locks any request. */
export const lockErasing = (sql: Database, customerId: string): Query<object> =>
  sql`
    -- name: advisory_locks.lock erasing
    -- guard: two erasures of a customer
    SELECT pg_advisory_xact_lock(hashtext('countersign erasure of ' || ${customerId}::text))`

/** The operations whose bodies name colleagues or customers: with the end of a request, its body goes. */
const ofPeople = "('createPerson', 'updatePerson', 'updateCustomer', 'updateLicense', 'transferLicense')"

/**
 * Begins a locked request of several steps. From then on it is neither declined nor canceled, and has a day for its end, from each
 * approval on.
 */
export const updateBegun = (sql: Database, id: string, decider: Party, reason: string): Query<object> =>
  sql`
    -- name: approvals.update begun
    UPDATE approvals SET begun_at = coalesce(begun_at, now()), decider_id = ${decider.id}, decider_name = ${decider.name},
      decider_roles = ${decider.roles}::text[], decision_reason = ${reason}, failure = NULL,
      expires_at = greatest(expires_at, now() + ${waitingHours}::int * interval '1 hour')
    WHERE id = ${id} RETURNING id`

/** Ends a request that waits; none where it was decided, its time is over, or it has begun and is not to be approved. */
export const updateDecided = (
  sql: Database,
  id: string,
  { decider, reason, state }: {
    readonly state: "approved" | "declined" | "canceled"
    /** The second person; absent where it is canceled. */
    readonly decider?: Party
    readonly reason?: string | undefined
  }
): Query<object> =>
  sql`
    -- name: approvals.update decided
    UPDATE approvals SET state = ${state}, decider_id = ${decider?.id ?? null}, decider_name = ${decider?.name ?? null},
      decider_roles = ${decider?.roles ?? null}::text[], decision_reason = ${reason ?? null}, failure = NULL,
      decided_at = now(), body = CASE WHEN operation IN ${sql.literal(ofPeople)} THEN NULL ELSE body END,
      selected = NULL
    WHERE id = ${id} AND state = 'pending' AND expires_at > now() AND (begun_at IS NULL OR ${state}::text = 'approved')
    RETURNING ${shown(sql)}`

/** Says why a request was refused when it was approved. It goes on waiting. */
export const updateFailed = (sql: Database, id: string, failure: ApprovalFailure): Query<object> =>
  sql`
    -- name: approvals.update failed
    UPDATE approvals SET failure = ${
    JSON.stringify(failure)
  }::jsonb WHERE id = ${id} AND state = 'pending' RETURNING id`

/** Ends a few requests that nobody decided in time. */
export const updateExpired = (sql: Database): Query<object> =>
  sql`
    -- name: approvals.update expired
    UPDATE approvals SET state = 'expired', decided_at = now(),
      body = CASE WHEN operation IN ${sql.literal(ofPeople)} THEN NULL ELSE body END, selected = NULL
    WHERE id = ANY(ARRAY(
      SELECT id FROM approvals WHERE state = 'pending' AND expires_at <= now() ORDER BY expires_at
      -- guard: a request that is being decided does not expire
      LIMIT 100 FOR UPDATE SKIP LOCKED))
    RETURNING ${shown(sql)}`

/** When the next request expires, or one that was decided is to be deleted. */
export const approvalsDue = (sql: Database): Statement.Fragment =>
  sql`SELECT least(
    (SELECT min(expires_at) FROM approvals WHERE state = 'pending'),
    (SELECT min(decided_at) FROM approvals) + interval '${sql.literal(kept)}')`

/** Deletes a few requests that were decided long ago. */
export const deleteOldApprovals = (sql: Database): Query<object> =>
  sql`
    -- name: approvals.delete old
    DELETE FROM approvals WHERE id = ANY(ARRAY(
      SELECT id FROM approvals WHERE decided_at < now() - interval '${
    sql.literal(kept)
  }' ORDER BY decided_at LIMIT 100))
    RETURNING id`
