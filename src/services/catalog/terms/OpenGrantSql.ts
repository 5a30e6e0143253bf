import { lateDays } from "../../../domain/licensing/metering/LateUse.ts"
import { lineOf } from "../../ground/persistence/CustomerLineSql.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"

/** Whether a grant `g` has not ended. The clock is read once, so that the index of open grants finds them by their ends. */
export const notEnded = "coalesce(g.expires_at, 'infinity'::timestamptz) > (SELECT clock_timestamp())"

/**
 * Where the last use or, before the first, the feature is older: corrections that ended since, because they lessen what is
 * carried from the periods that they ended with.
 */
const sinceCounted = `least((SELECT clock_timestamp()),
  coalesce(a.period_start, CASE WHEN a.total_consumptions = 0 THEN a.created_at END))`

/**
 * The grants of a feature `a` of `license_features` that are neither spent nor revoked and have not ended, with what is left of
 * each. The index leads past all others, so that a thousand of them cost what two do.
 */
export const openGrants = `
    (SELECT json_agg(json_build_object('id', g.id, 'starts_at', g.starts_at, 'expires_at', g.expires_at,
        'priority', g.priority, 'left', g.amount - g.used))
      FROM grants g
      WHERE g.license_id = a.license_id AND g.feature_id = a.feature_id AND g.is_open
        AND coalesce(g.expires_at, 'infinity'::timestamptz) > ${sinceCounted} AND (g.amount < 0 OR ${notEnded}))`

/** The grants of a feature `a`, and how much they served. NULL, without a look at their table, where there never was one. */
export const storedGrants = `
  CASE WHEN a.granted_consumptions IS NOT NULL THEN json_build_object('drawn', a.granted_consumptions,
    'period_drawn', a.granted_period_consumptions, 'grants', ${openGrants}) END`

/** The members of a grant `g` of which a license took `mine`. */
const sharedMembers = (mine: string) =>
  `'id', g.id, 'feature', g.feature_id, 'starts_at', g.starts_at, 'expires_at', g.expires_at,
      'priority', g.priority, 'left', g.amount - g.used, 'cap', g.max_per_license, 'mine', ${mine}`

/** A grant `g` of which a license took `mine`, with when it was revoked, if it was. */
export const grantThen = (mine: string): string =>
  `json_build_object(${sharedMembers(mine)}, 'revoked_at', g.revoked_at)`

/**
 * The open pools of the customer of a license `l` and of those above it, with what is left of each for all licenses and what this one took, as the column of a
 * snapshot. NULL without one.
 */
export const sharedPools = `
  (SELECT json_agg(json_build_object(${sharedMembers("coalesce(u.used, 0)")}))
    FROM grants g LEFT JOIN pool_uses u ON u.pool_id = g.id AND u.license_id = l.id
    WHERE g.customer_id = ANY(${lineOf("l.customer_id")}) AND g.is_open AND ${notEnded}) AS pools`

/** The pools that a license may take of. */
export const listSharedPools = (sql: Database, licenseId: string): Query<object> =>
  sql`
    -- name: grants.list shared with license
    SELECT ${sql.literal(sharedPools)} FROM licenses l WHERE l.id = ${licenseId}`

/**
 * The grants of a feature at a past instant, with what was left of each and what the license had taken: its own, and those of customers, which
 * are pools. What was used since, by whoever took of them, is added to what is left now; it is added up once for all of them.
 */
export const listGrantsAt = (
  sql: Database,
  { at, customerIds, featureId, licenseId }: {
    readonly licenseId: string
    readonly customerIds: ReadonlyArray<string>
    readonly featureId: string
    readonly at: Date
  }
): Query<object> =>
  sql`
    -- name: grants.list open at
    WITH given AS MATERIALIZED (
      SELECT g.*, coalesce(m.used, 0) AS mine FROM (
        SELECT * FROM grants WHERE license_id = ${licenseId}
        UNION ALL SELECT * FROM grants WHERE customer_id = ANY(${customerIds}::text[])
      ) g LEFT JOIN pool_uses m ON m.pool_id = g.id AND m.license_id = ${licenseId}
      WHERE g.feature_id = ${featureId} AND CASE WHEN g.source = 'rollover' THEN g.starts_at ELSE g.created_at END <= ${at}
        AND (g.revoked_at IS NULL OR g.revoked_at > ${at})
    ), takers AS (
      SELECT ${licenseId}::text AS id UNION SELECT p.license_id FROM given g JOIN pool_uses p ON p.pool_id = g.id
    ), since AS MATERIALIZED (
      SELECT id, sum(units)::int8 AS units, coalesce(sum(units) FILTER (WHERE license_id = ${licenseId}), 0)::int8 AS mine FROM (
        SELECT u.license_id, t ->> 'grant_id' AS id, (t ->> 'amount')::int8 AS units
        FROM takers l JOIN usage_records u ON u.license_id = l.id AND u.feature_id = ${featureId}
        CROSS JOIN jsonb_array_elements(u.grants) t
        -- A use that was reported later stands at the time at which it was.
        WHERE u.created_at > ${at}::timestamptz - interval '${sql.literal(String(lateDays))} days'
          AND coalesce(u.reported_at, u.created_at) > ${at}
        UNION ALL
        SELECT c.license_id, t ->> 'grant_id', -(t ->> 'amount')::int8
        FROM takers l JOIN usage_corrections c ON c.license_id = l.id AND c.feature_id = ${featureId}
        CROSS JOIN jsonb_array_elements(c.grants) t
        WHERE c.created_at > ${at}
      ) m GROUP BY 1
    )
    SELECT g.id, g.customer_id IS NOT NULL AS is_shared, g.feature_id AS feature, g.starts_at, g.expires_at, g.priority,
      g.max_per_license AS cap, g.amount - g.used + coalesce(s.units, 0) AS left,
      CASE WHEN g.customer_id IS NULL THEN 0 ELSE g.mine - coalesce(s.mine, 0) END AS mine
    FROM given g LEFT JOIN since s ON s.id = g.id`

/** Up to when uses may be deleted by age: what was left of grants and pools before is not known. */
export const findPrunedUses = (sql: Database): Query<{ readonly until: Date }> =>
  sql<{ readonly until: Date }>`
    -- name: pruned_tables.find uses
    SELECT until FROM pruned_tables WHERE name = 'usage_records'`
