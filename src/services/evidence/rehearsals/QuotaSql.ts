import type { Database, Query } from "../../ground/persistence/Database.ts"
import { eventsOf } from "../../licensing/entitlements/LicenseHistorySql.ts"

/** How a policy granted a feature from an event on. */
export interface PolicyQuotaRow {
  readonly created_at: Date
  readonly feature_id: string
  readonly feature_code: string
  readonly is_assigned: boolean
  readonly max_consumptions: number | null
  readonly overage: string | null
  readonly period: string | null
  /** Whether units are carried to later periods, or a meter measures them. */
  readonly is_other: boolean
}

/** How a policy granted features before an instant, in the order of the log. */
export const listPolicyQuotas = (
  sql: Database,
  { featureIds, policyId, until }: {
    readonly policyId: string
    readonly featureIds: ReadonlyArray<string>
    readonly until: Date
  }
): Query<PolicyQuotaRow> =>
  sql<PolicyQuotaRow>`
    -- name: events.list quotas of policy
    SELECT created_at, d ->> 'feature_id' AS feature_id, d ->> 'feature_code' AS feature_code,
      event_type = 'policy.feature_assigned' AS is_assigned, (d ->> 'max_consumptions')::float8 AS max_consumptions,
      d ->> 'overage' AS overage, d ->> 'period' AS period,
      d ->> 'rollover' IS NOT NULL OR d ->> 'meter' IS NOT NULL AS is_other
    FROM ${
    eventsOf(
      sql,
      sql`SELECT ${policyId}::text AS id`,
      sql`event_type IN ('policy.feature_assigned', 'policy.feature_removed')`
    )
  }, LATERAL (SELECT data::jsonb) j (d)
    WHERE created_at < ${until} AND d ->> 'feature_id' = ANY(${featureIds}::text[]) ORDER BY place`

/** The codes that features ever had. */
export const listCodesOfFeatures = (
  sql: Database,
  featureIds: ReadonlyArray<string>
): Query<{ readonly feature_id: string; readonly feature_code: string }> =>
  sql<{ readonly feature_id: string; readonly feature_code: string }>`
    -- name: events.list codes of features
    SELECT DISTINCT resource_id AS feature_id, data::jsonb ->> 'code' AS feature_code FROM ${
    eventsOf(
      sql,
      sql`SELECT unnest(${featureIds}::text[]) AS id`,
      sql`event_type IN ('feature.created', 'feature.updated')`
    )
  }`

/** A use of a feature, as its event tells of it. */
export interface UseRow {
  readonly license_id: string
  readonly created_at: Date
  readonly feature_id: string
  readonly device_id: string | null
  readonly amount: number
  readonly consumed: number
  readonly period_start: string | null
  readonly max_consumptions: number | null
  /** Whether grants served it, or a meter measured it. */
  readonly is_other: boolean
}

/** The uses of features of licenses in a window, in the order of the log, at most `limit`; none that was late. */
export const listUsesInWindow = (
  sql: Database,
  { featureIds, from, licenseIds, limit, to }: {
    readonly licenseIds: ReadonlyArray<string>
    readonly featureIds: ReadonlyArray<string>
    readonly from: Date
    readonly to: Date
    readonly limit: number
  }
): Query<UseRow> =>
  sql<UseRow>`
    -- name: events.list uses in window
    SELECT resource_id AS license_id, created_at, d ->> 'feature_id' AS feature_id, d ->> 'device_id' AS device_id,
      (d ->> 'amount')::float8 AS amount,
      coalesce(d ->> 'period_consumptions', d ->> 'total_consumptions')::float8 AS consumed,
      d ->> 'period_start' AS period_start, (d ->> 'max_consumptions')::float8 AS max_consumptions,
      d ->> 'granted_consumptions' IS NOT NULL OR d ->> 'measured' IS NOT NULL AS is_other
    FROM ${
    eventsOf(
      sql,
      sql`SELECT unnest(${licenseIds}::text[]) AS id`,
      sql`event_type = 'license.usage_recorded'`
    )
  }, LATERAL (SELECT data::jsonb) j (d)
    WHERE created_at >= ${from} AND created_at < ${to} AND d ->> 'feature_id' = ANY(${featureIds}::text[])
      AND d ->> 'is_late' IS NULL
    ORDER BY place LIMIT ${limit}`

/** An event about a feature of one license alone. */
export interface OwnFeatureRow {
  readonly license_id: string
  readonly created_at: Date
  readonly feature_id: string
  readonly event_type: string
  /** Whether the license has a quota, or an overage of its own from then on. */
  readonly has_quota: boolean
  readonly has_overage: boolean
}

/** Lists the events about features of licenses alone before an instant, in the order of the log. */
export const listOwnFeatures = (
  sql: Database,
  { featureIds, licenseIds, until }: {
    readonly licenseIds: ReadonlyArray<string>
    readonly featureIds: ReadonlyArray<string>
    readonly until: Date
  }
): Query<OwnFeatureRow> =>
  sql<OwnFeatureRow>`
    -- name: events.list own features
    SELECT resource_id AS license_id, created_at, d ->> 'feature_id' AS feature_id, event_type,
      d ->> 'max_consumptions' IS NOT NULL AND coalesce(d ->> 'from', '') <> 'policy'
        AND coalesce(d ->> 'quota_from', '') <> 'policy' AS has_quota,
      d ->> 'overage' IS NOT NULL AND coalesce(d ->> 'from', '') <> 'policy' AS has_overage
    FROM ${
    eventsOf(
      sql,
      sql`SELECT unnest(${licenseIds}::text[]) AS id`,
      sql`event_type IN ('license.feature_assigned', 'license.feature_removed', 'license.usage_reset', 'license.grant_given')`
    )
  }, LATERAL (SELECT data::jsonb) j (d)
    WHERE created_at < ${until} AND d ->> 'feature_id' = ANY(${featureIds}::text[]) ORDER BY place`
