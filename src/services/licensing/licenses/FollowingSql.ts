import type { Followed } from "../../../domain/licensing/lifecycle/Following.ts"
import { effectiveGrace } from "../../catalog/terms/TermsSql.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"

/** Locks the licenses that follow a subscription and can still change. */
export const lockFollowers = (sql: Database, subscriptionId: string): Query<object> =>
  sql`
    -- name: licenses.lock followers
    SELECT id, state, suspended_by, expires_at, ends_without_grace FROM licenses
    WHERE subscription_id = ${subscriptionId} AND follows_subscription
      -- guard: a revoked license follows nothing
      AND state <> 'revoked'
    ORDER BY id FOR NO KEY UPDATE`

/** The licenses in force of a subscription whose owners are mailed when a payment fails. */
export const listMailedOfSubscription = (sql: Database, subscriptionId: string): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: licenses.list mailed of subscription
    SELECT l.id FROM licenses l JOIN policies p ON p.id = l.policy_id
    WHERE l.subscription_id = ${subscriptionId} AND l.state = 'active' AND 'payment_failed' = ANY(p.mails) ORDER BY l.id`

/** The time now: read after the locks, it is later than every call that was decided before a change. */
export const findNow = (sql: Database): Query<{ readonly now: Date }> =>
  sql<{ readonly now: Date }>`
    -- name: clock.find for followers
    SELECT clock_timestamp() AS now`

/** Writes how locked licenses stand after their subscription. */
export const updateFollowed = (sql: Database, followed: ReadonlyArray<Followed>): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: licenses.update followed
    UPDATE licenses l SET state = v.state, suspended_by = v.suspended_by, expires_at = v.expires_at,
      ends_without_grace = v.ends_without_grace,
      -- guard: a followed license announces its new end
      announced = CASE WHEN l.expires_at IS DISTINCT FROM v.expires_at THEN 'nothing' ELSE l.announced END,
      entitlement_version = l.entitlement_version + 1, updated_at = now()
    FROM json_to_recordset(${
    JSON.stringify(followed.map(({ after, id }) => ({
      id,
      state: after.state,
      suspended_by: after.suspended_by,
      expires_at: after.expires_at === undefined ? undefined : new Date(after.expires_at).toISOString(),
      ends_without_grace: after.ends_without_grace ? true : undefined
    })))
  }::json) AS v (id text, state text, suspended_by text, expires_at timestamptz, ends_without_grace boolean)
    WHERE l.id = v.id RETURNING l.id`

/** Takes licenses that have grace again out of what is announced as over, so that their end is announced again. */
export const updateGraceRegained = (sql: Database, ids: ReadonlyArray<string>): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: licenses.update grace regained
    UPDATE licenses l SET announced = 'grace_period' FROM policies p
    WHERE l.id = ANY(${ids}::text[]) AND p.id = l.policy_id AND l.announced = 'expired'
      AND l.expires_at + ${sql.literal(effectiveGrace)} > clock_timestamp() RETURNING l.id`

/** The order and the subscription that a license comes from. */
export const findOrigin = (
  sql: Database,
  licenseId: string
): Query<{ readonly product_id: string; readonly subscription_id: string | null }> =>
  sql<{ readonly product_id: string; readonly subscription_id: string | null }>`
    -- name: licenses.find origin
    SELECT product_id, subscription_id FROM licenses WHERE id = ${licenseId}`
