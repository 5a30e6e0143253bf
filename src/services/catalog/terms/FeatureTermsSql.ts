import type { Database, Query } from "../../ground/persistence/Database.ts"
import { openGrants } from "./OpenGrantSql.ts"
import { recounted } from "./RecountSql.ts"

const named =
  "f.id AS feature_id, f.code AS feature_code, f.name AS feature_name, f.decimals, f.meter, f.meter_dimension"

/** The time by which the periods of a license are counted: an instant, or now on the database's clock. */
export const findPeriodClock = (sql: Database, licenseId: string, at: Date | undefined): Query<object> =>
  sql`
    -- name: licenses.find period clock
    SELECT coalesce(${at ?? null}::timestamptz, clock_timestamp()) AS now,
      coalesce(l.starts_at, l.created_at) AS license_start, greatest(l.created_at, l.rolled_until) AS rolled_until, s.current_period_start AS period_start,
      s.current_period_end AS period_end
    FROM licenses l LEFT JOIN subscriptions s ON s.id = l.subscription_id WHERE l.id = ${licenseId}`

/** The features that the policy of a license grants. */
export const listPolicyTerms = (sql: Database, licenseId: string): Query<object> =>
  sql`
    -- name: policy_features.list of license
    SELECT ${
    sql.literal(named)
  }, g.enabled, g.value, g.max_consumptions, g.period, g.overage, g.expires_after, g.quota_thresholds,
      to_jsonb(g.remaining_thresholds) AS remaining_thresholds, g.rollover, g.rollover_since, g.past_terms,
      g.metadata
    FROM licenses l JOIN policy_features g ON g.policy_id = l.policy_id JOIN features f ON f.id = g.feature_id
    WHERE l.id = ${licenseId}`

/** The features of a license: assignments and counters. */
export const listOwnTerms = (sql: Database, licenseId: string): Query<object> =>
  sql`
    -- name: license_features.list of license
    SELECT ${
    sql.literal(named)
  }, a.enabled, a.value, a.max_consumptions, a.period, a.overage, a.is_counter, a.total_consumptions,
      a.quota_thresholds, to_jsonb(a.remaining_thresholds) AS remaining_thresholds, a.expires_at, a.period_start, a.period_consumptions, a.credits, a.credits_start, a.metadata,
      a.granted_consumptions, a.granted_period_consumptions, a.announced_threshold, a.announced_remaining,
      a.announced_period_start,
      CASE WHEN a.granted_consumptions IS NOT NULL THEN ${sql.literal(openGrants)} END AS grants,
      ${sql.literal(recounted)} AS recounted
    FROM license_features a JOIN features f ON f.id = a.feature_id JOIN licenses l ON l.id = a.license_id
    LEFT JOIN policy_features g ON g.policy_id = l.policy_id AND g.feature_id = a.feature_id
    WHERE a.license_id = ${licenseId}`
