import type { Statement } from "effect/sql"
import type { LicenseFeature } from "../../../domain/catalog/Feature.ts"
import type { FeatureAssigned, UsageCorrected } from "../../../domain/catalog/NamedFeature.ts"
import { valueText } from "../../../domain/catalog/terms/FeatureValue.ts"
import type { ValuedFeature } from "../../../domain/catalog/terms/FeatureValue.ts"
import type { TakenUnits } from "../../../domain/catalog/terms/GrantBalance.ts"
import type { LedgerAction } from "../../../domain/evidence/reports/Report.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { andWithinProducts } from "../../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"

/**
 * Reads assignments with their counters as they are stored, which is what events show: rows `a` of `license_features`, or
 * of what a statement wrote. Where there are credits, the quota that they are added to is shown with them, be it the
 * policy's.
 */
export const shown = (sql: Database, from: "license_features" | "written" = "license_features"): Statement.Fragment =>
  sql`SELECT a.license_id, a.feature_id, f.code AS feature_code, f.name AS feature_name, a.enabled, a.value, f.decimals, f.meter,
      f.meter_dimension,
      q.quota AS max_consumptions, a.credits, a.credits_start,
      CASE WHEN a.credits IS NOT NULL THEN CASE WHEN a.max_consumptions IS NULL THEN 'policy' ELSE 'license' END
      END AS quota_from, a.total_consumptions, a.expires_at, a.metadata,
      -- greatest() passes over NULL, so that no quota would read as nothing left.
      CASE WHEN q.quota IS NOT NULL THEN greatest(q.quota - a.total_consumptions, 0)
      END AS remaining, CASE WHEN a.is_counter THEN 'policy' END AS "from", a.period, a.overage, a.quota_thresholds,
      to_jsonb(a.remaining_thresholds) AS remaining_thresholds, a.period_start,
      a.period_consumptions, a.granted_consumptions, a.granted_period_consumptions
    FROM ${sql(from)} a JOIN features f ON f.id = a.feature_id
    JOIN licenses l ON l.id = a.license_id
    LEFT JOIN policy_features g ON g.policy_id = l.policy_id AND g.feature_id = a.feature_id
    CROSS JOIN LATERAL (
      SELECT CASE WHEN a.credits IS NULL THEN a.max_consumptions
        ELSE least(coalesce(a.max_consumptions, g.max_consumptions) + a.credits, ${Number.MAX_SAFE_INTEGER}::int8)
        END AS quota
    ) q`

/** The assignment of a feature; a row that only counts the use of what the policy grants is none. */
export const findAssignment = (sql: Database, licenseId: string, featureId: string): Query<object> =>
  sql`
    -- name: license_features.find assigned
    ${shown(sql)} WHERE a.license_id = ${licenseId} AND a.feature_id = ${featureId} AND a.is_counter IS NULL`

/** The features of a license that something was counted of. */
export const listCounted = (sql: Database, licenseId: string): Query<object> =>
  sql`
    -- name: license_features.list counted
    ${shown(sql)} WHERE a.license_id = ${licenseId} AND (a.total_consumptions > 0 OR a.period_consumptions > 0)
    ORDER BY f.code, f.id`

/** Locks a license whose features change; returns its products. */
export const lockProducts = (
  sql: Database,
  licenseId: string
): Query<{ readonly products: ReadonlyArray<string> }> =>
  sql<{ readonly products: ReadonlyArray<string> }>`
    -- name: licenses.lock for features
    SELECT product_id || coalesce(product_ids, '{}') AS products FROM licenses WHERE id = ${licenseId}
    -- guard: features of a license change one after the other
    FOR NO KEY UPDATE`

/** Locks a feature against a change until the transaction ends. */
export const lockFeature = (
  sql: Database,
  id: string,
  limit: ProductLimit
): Query<ValuedFeature & { readonly product_id: string; readonly isArchived: boolean }> =>
  sql<ValuedFeature & { readonly product_id: string; readonly isArchived: boolean }>`
    -- name: features.lock for assignment
    SELECT product_id, archived_at IS NOT NULL AS "isArchived", value_type, enum_options FROM features
    WHERE id = ${id} ${andWithinProducts(sql, "product_id", limit)}
    -- guard: a feature is archived before it is assigned, or after
    FOR SHARE`

/** Counts changes of what a locked license grants; nothing else of the license changes with its features. */
export const updateGrantsVersion = (sql: Database, licenseId: string, changes: number): Query<object> =>
  sql`
    -- name: licenses.update grants version
    UPDATE licenses SET entitlement_version = entitlement_version + ${changes}::int, updated_at = now()
    WHERE id = ${licenseId}`

/** Thresholds in ascending order, as an array of texts. */
const ascending = (thresholds: ReadonlyArray<number> | null | undefined): ReadonlyArray<string> | null =>
  thresholds?.toSorted((one, other) => one - other).map(String) ?? null

/** Assigns a feature, or changes its assignment: what the input leaves out stays as it is. Returns it as it is left. */
export const insertAssignment = (
  sql: Database,
  licenseId: string,
  { credits, input }: FeatureAssigned
): Query<object> =>
  sql`
    -- name: license_features.insert assigned
    WITH written AS (
      INSERT INTO license_features AS a (license_id, feature_id, enabled, value, max_consumptions, period, overage,
        quota_thresholds, remaining_thresholds, expires_at, metadata)
      VALUES (${licenseId}, ${input.feature_id}, ${input.enabled ?? true}, ${valueText(input.value)}::jsonb, ${
    input.max_consumptions ?? null
  }::int8,
        ${input.period ?? null}::text, ${input.overage ?? null}::text, ${
    ascending(input.quota_thresholds)
  }::text[]::int[],
        ${ascending(input.remaining_thresholds)}::text[]::int8[], ${input.expires_at ?? null}::text::timestamptz,
        ${JSON.stringify(input.metadata ?? {})}::jsonb)
      ON CONFLICT (license_id, feature_id) DO UPDATE SET is_counter = NULL, updated_at = now(),
        period = coalesce(excluded.period, a.period),
        overage = coalesce(excluded.overage, a.overage),
        quota_thresholds = CASE WHEN ${input.quota_thresholds !== undefined} THEN excluded.quota_thresholds
          ELSE a.quota_thresholds END,
        remaining_thresholds = CASE WHEN ${input.remaining_thresholds !== undefined} THEN excluded.remaining_thresholds
          ELSE a.remaining_thresholds END,
        enabled = CASE WHEN ${input.enabled !== undefined} THEN excluded.enabled ELSE a.enabled END,
        value = CASE WHEN ${input.value !== undefined} THEN excluded.value ELSE a.value END,
        max_consumptions = CASE WHEN ${input.max_consumptions !== undefined} THEN excluded.max_consumptions
          ELSE a.max_consumptions END,
        credits = CASE WHEN ${credits !== undefined} THEN a.credits END,
        credits_start = CASE WHEN ${credits !== undefined} THEN a.credits_start END,
        expires_at = CASE WHEN ${input.expires_at !== undefined} THEN excluded.expires_at ELSE a.expires_at END,
        metadata = CASE WHEN ${input.metadata !== undefined} THEN excluded.metadata ELSE a.metadata END
      RETURNING *
    ) ${shown(sql, "written")}`

/** How much grants served in the period that is corrected. */
const drawnInPeriod =
  "CASE WHEN a.period_start = excluded.period_start THEN coalesce(a.granted_period_consumptions, 0) ELSE 0 END"

/** Writes a correction of a quota and its use; returns the feature as it is left. */
export const insertCorrected = (
  sql: Database,
  { feature_id, license_id }: Pick<LicenseFeature, "feature_id" | "license_id">,
  { credits, credits_start, period_consumptions, period_start, quota, total }: UsageCorrected
): Query<object> =>
  sql`
    -- name: license_features.insert corrected
    WITH written AS (
      INSERT INTO license_features AS a (license_id, feature_id, enabled, metadata, is_counter, max_consumptions,
        credits, credits_start, total_consumptions, period_start, period_consumptions)
      VALUES (${license_id}, ${feature_id}, true, '{}', ${quota === undefined ? true : null}::boolean,
        ${quota ?? null}::int8, ${credits === null ? null : BigInt(credits)}::int8, ${credits_start}::text::timestamptz,
        ${BigInt(total)}::int8,
        ${period_start}::text::timestamptz, ${period_consumptions}::int8)
      ON CONFLICT (license_id, feature_id) DO UPDATE SET updated_at = now(),
        is_counter = CASE WHEN ${quota !== undefined} THEN NULL ELSE a.is_counter END,
        max_consumptions = CASE WHEN ${quota !== undefined} THEN excluded.max_consumptions ELSE a.max_consumptions END,
        credits = excluded.credits, credits_start = excluded.credits_start,
        total_consumptions = excluded.total_consumptions,
        -- A count that starts again is announced again.
        announced_threshold = CASE WHEN excluded.total_consumptions >= a.total_consumptions THEN a.announced_threshold END,
        announced_remaining = CASE WHEN excluded.total_consumptions >= a.total_consumptions THEN a.announced_remaining END,
        -- What grants served is no more than what is counted: of the period, if that is corrected, and of the total by as much.
        -- least() passes over NULL: a feature that never had a grant begins none here.
        granted_consumptions = CASE WHEN a.granted_consumptions IS NULL THEN NULL WHEN excluded.period_start IS NULL
          THEN least(a.granted_consumptions, excluded.total_consumptions)
          -- A correction of the total, while the quota had no period, may have left less than grants served in this one.
          ELSE greatest(0, a.granted_consumptions - greatest(0, ${
    sql.literal(drawnInPeriod)
  } - excluded.period_consumptions)) END,
        granted_period_consumptions = CASE WHEN excluded.period_start IS NULL THEN a.granted_period_consumptions
          WHEN a.granted_consumptions IS NOT NULL THEN least(${
    sql.literal(drawnInPeriod)
  }, excluded.period_consumptions) END,
        period_start = coalesce(excluded.period_start, a.period_start),
        period_consumptions = coalesce(excluded.period_consumptions, a.period_consumptions),
        counted_apart = CASE WHEN excluded.period_start IS NULL AND a.period_start IS NOT NULL THEN true END
      RETURNING *
    ) ${shown(sql, "written")}`

/** Makes credits those of the period that begins at `start`; none take away what is stored. Returns the feature. */
export const updateCredits = (
  sql: Database,
  { feature_id, license_id }: Pick<LicenseFeature, "feature_id" | "license_id">,
  credits: number,
  start: string | undefined
): Query<object> =>
  sql`
    -- name: license_features.update credits
    WITH written AS (
      UPDATE license_features SET credits = ${credits === 0 ? null : BigInt(credits)}::int8,
        credits_start = ${credits === 0 ? null : start ?? null}::text::timestamptz
      WHERE license_id = ${license_id} AND feature_id = ${feature_id} RETURNING *
    ) ${shown(sql, "written")}`

/**
 * Sets the counters of features of a license to zero; returns them as they are left. Credits of a period that is over
 * would be shown as if they counted: only those of the features in `credited` stay.
 */
export const updateRestarted = (
  sql: Database,
  licenseId: string,
  counted: ReadonlyArray<string>,
  credited: ReadonlyArray<string>
): Query<object> =>
  sql`
    -- name: license_features.update restarted
    WITH written AS (
      UPDATE license_features SET total_consumptions = 0, updated_at = now(),
        credits = CASE WHEN feature_id = ANY(${credited}::text[]) THEN credits END,
        period_consumptions = CASE WHEN period_consumptions IS NOT NULL THEN 0 END,
        announced_threshold = NULL, announced_remaining = NULL,
        granted_consumptions = CASE WHEN granted_consumptions IS NOT NULL THEN 0 END,
        granted_period_consumptions = CASE WHEN granted_period_consumptions IS NOT NULL THEN 0 END
      WHERE license_id = ${licenseId} AND feature_id = ANY(${counted}::text[]) RETURNING *
    ) ${shown(sql, "written")}`

/** Takes the assignment of a feature away, with its counters. Of one that has grants a counter stays, which says so. */
export const deleteAssignment = (sql: Database, licenseId: string, featureId: string): Query<object> =>
  sql`
    -- name: license_features.delete
    WITH gone AS (
      DELETE FROM license_features
      WHERE license_id = ${licenseId} AND feature_id = ${featureId} AND granted_consumptions IS NULL
    )
    UPDATE license_features SET is_counter = true, enabled = true, value = NULL, max_consumptions = NULL, period = NULL,
      overage = NULL, quota_thresholds = NULL, remaining_thresholds = NULL, expires_at = NULL, metadata = '{}', credits = NULL, credits_start = NULL, total_consumptions = 0,
      period_start = NULL, period_consumptions = NULL, granted_consumptions = 0, granted_period_consumptions = NULL,
      announced_threshold = NULL, announced_remaining = NULL, announced_period_start = NULL,
      updated_at = now()
    WHERE license_id = ${licenseId} AND feature_id = ${featureId} AND granted_consumptions IS NOT NULL`

/** An entry of the ledger about a corrected use. */
export interface NewCorrection {
  /** That of its event. */
  readonly id: string
  readonly action: Exclude<LedgerAction, "license.usage_recorded">
  readonly feature: LicenseFeature
  /** The count before and after. */
  readonly before: number
  readonly after: number
  readonly requestId: string | undefined
  /** From when on it sets what was used; undefined where that is all. */
  readonly settlesFrom?: string | undefined
  /** The count that it set; nothing where it counts anew. */
  readonly settledCount?: number
  /** The use that it refunds, if it does, and what went back to grants. */
  readonly refund?: { readonly eventId: string; readonly grants: ReadonlyArray<TakenUnits> }
}

/** The total and the count that a correction sets. */
export const settled = (
  { total_consumptions: before }: LicenseFeature,
  { period_consumptions, period_start, total }: UsageCorrected
): Pick<NewCorrection, "before" | "after" | "settledCount" | "settlesFrom"> => ({
  before,
  after: total,
  settlesFrom: period_start ?? undefined,
  settledCount: period_consumptions ?? total
})

/** Writes an entry of the ledger, with who owns the license now. */
export const insertCorrection = (
  sql: Database,
  { action, after, before, feature, id, refund, requestId, settledCount = 0, settlesFrom }: NewCorrection
): Query<object> =>
  sql`
    -- name: usage_corrections.insert
    INSERT INTO usage_corrections (id, action, license_id, feature_id, feature_code, amount, total_consumptions,
      max_consumptions, product_id, customer_id, order_id, subscription_id, request_id, refund_of, grants,
      settles_from, settled_count)
    SELECT ${id}, ${action}, id, ${feature.feature_id}, ${feature.feature_code}, ${BigInt(after - before)}::int8,
      ${BigInt(after)}::int8, ${feature.max_consumptions ?? null}::int8,
      (SELECT f.product_id FROM features f WHERE f.id = ${feature.feature_id}), customer_id, order_id, subscription_id,
      ${requestId ?? null}, ${refund?.eventId ?? null}::text,
      ${refund === undefined ? null : JSON.stringify(refund.grants)}::text::jsonb,
      ${refund === undefined ? settlesFrom ?? "-infinity" : null}::text::timestamptz,
      ${refund === undefined ? BigInt(settledCount) : null}::int8
    FROM licenses WHERE id = ${feature.license_id}`
