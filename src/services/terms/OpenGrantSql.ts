import { lateDays } from "../../domain/metering/UsageReport.ts"
import type { Database, Query } from "../persistence/Database.ts"

/** Whether a grant `g` has not ended. The clock is read once, so that the index of open grants finds them by their ends. */
export const notEnded = "coalesce(g.expires_at, 'infinity'::timestamptz) > (SELECT clock_timestamp())"

/**
 * The grants of a feature `a` of `license_features` that are neither spent nor revoked and have not ended, with what is left of
 * each. The index leads past all others, so that a thousand of them cost what two do.
 */
export const openGrants = `
    (SELECT json_agg(json_build_object('id', g.id, 'starts_at', g.starts_at, 'expires_at', g.expires_at,
        'priority', g.priority, 'left', g.amount - g.used))
      FROM license_grants g
      WHERE g.license_id = a.license_id AND g.feature_id = a.feature_id AND g.is_open
        AND ${notEnded})`

/** The grants of a feature `a`, and how much they served. NULL, without a look at their table, where there never was one. */
export const storedGrants = `
  CASE WHEN a.granted_consumptions IS NOT NULL THEN json_build_object('drawn', a.granted_consumptions,
    'period_drawn', a.granted_period_consumptions, 'grants', ${openGrants}) END`

/** The grants of a feature at a past instant, with what was left of each: what was used since is added to what is left now. */
export const listGrantsAt = (
  sql: Database,
  { at, featureId, licenseId }: { readonly licenseId: string; readonly featureId: string; readonly at: Date }
): Query<object> =>
  sql`
    -- name: license_grants.list open at
    SELECT g.id, g.starts_at, g.expires_at, g.priority, g.amount - g.used + coalesce((
        SELECT sum((t ->> 'amount')::int8) FROM usage_records u CROSS JOIN jsonb_array_elements(u.grants) t
        -- A use that was reported later stands at the time at which it was.
        WHERE u.license_id = g.license_id AND u.created_at > ${at}::timestamptz - interval '${
    sql.literal(String(lateDays))
  } days'
          AND coalesce(u.reported_at, u.created_at) > ${at} AND t ->> 'grant_id' = g.id), 0)::int8 - coalesce((
        SELECT sum((t ->> 'amount')::int8) FROM usage_corrections c CROSS JOIN jsonb_array_elements(c.grants) t
        WHERE c.license_id = g.license_id AND c.created_at > ${at} AND t ->> 'grant_id' = g.id), 0)::int8 AS left
    FROM license_grants g
    WHERE g.license_id = ${licenseId} AND g.feature_id = ${featureId} AND g.created_at <= ${at}
      AND (g.revoked_at IS NULL OR g.revoked_at > ${at})`
