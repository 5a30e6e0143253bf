import type { Database, Query } from "../../ground/persistence/Database.ts"
import { openGrants } from "./OpenGrantSql.ts"
import { recounted } from "./UsedValueSql.ts"

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

/**
 * The self-service of licenses and their policies, by the ids of the licenses: now on the database's clock, or at an
 * instant with what is counted now.
 */
export const listSelfService = (sql: Database, licenseIds: ReadonlyArray<string>, at?: Date): Query<object> =>
  sql`
    -- name: licenses.list self service
    SELECT l.id AS license_id, coalesce(${at ?? null}::timestamptz, clock_timestamp()) AS now, l.overrides,
      json_strip_nulls(json_build_object('self_service', p.self_service,
        'max_self_service_resets', p.max_self_service_resets, 'self_service_period', p.self_service_period,
        'self_service_transfer', p.self_service_transfer)) AS rules,
      l.self_service_start, l.self_service_resets
    FROM licenses l JOIN policies p ON p.id = l.policy_id WHERE l.id = ANY(${licenseIds}::text[])`

/**
 * Terms in SQL, for statements that filter and count by them. What is in force is decided in the domain
 * (effectiveRules); these expressions agree with it, for the few rules that are looked for in tables. `l` is the
 * license, `p` its policy.
 */
const effective = (rule: string): string => `coalesce((l.overrides ->> '${rule}')::int, p.${rule})`

/** How many days a license serves after its expiry. */
export const effectiveGraceDays = `
  CASE WHEN l.awaits_activation OR l.ends_without_grace THEN 0 ELSE ${effective("grace_period_days")} END`

/** The same as an SQL interval. A day is 24 hours, as in the domain, whatever the session's time zone. */
export const effectiveGrace = `(${effectiveGraceDays}) * interval '24 hours'`

/** The status as callers see it (statusOf in the domain): first what management decided, then the clock. */
export const licenseStatus = `
  CASE WHEN l.state <> 'active' THEN l.state WHEN l.expires_at IS NULL OR l.expires_at > now() THEN 'active'
    WHEN l.expires_at + ${effectiveGrace} > now() THEN 'grace_period' ELSE 'expired' END`

/** Whether a license has a grace that is not its policy's. The words of a partial index. */
export const hasOwnGrace =
  "(l.overrides -> 'grace_period_days' IS NOT NULL OR l.ends_without_grace OR l.awaits_activation)"

/** Minutes between the validations of a device. */
export const effectiveInterval = effective("validation_interval_minutes")

/** How many components must match for a device to be the same; NULL where its fingerprint alone tells. */
export const effectiveComponentMatch = "coalesce(l.overrides ->> 'component_match', p.component_match)"

/** Whether a seat that a device gives back stays taken until what the device has for offline use has ended. NULL is not. */
export const effectiveHold = "coalesce((l.overrides ->> 'hold_offline_seats')::boolean, p.hold_offline_seats)"

/** Days that a device may be offline. */
export const effectiveOfflineDays = effective("offline_grace_days")
