import type { PolicyFeature, PolicyFeatureAssign } from "../../domain/catalog/PolicyFeature.ts"
import { valueText } from "../../domain/catalog/terms/FeatureValue.ts"
import type { ValuedFeature } from "../../domain/catalog/terms/FeatureValue.ts"
import type { Metered } from "../../domain/catalog/terms/Measure.ts"
import type { Database, Query } from "../ground/persistence/Database.ts"
import { andWithinProducts } from "../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../ground/persistence/ProductLimit.ts"

const columns = `
  g.policy_id, g.feature_id, f.code AS feature_code, f.name AS feature_name, g.enabled, g.value, f.decimals, f.meter, f.meter_dimension, g.max_consumptions,
  g.period, g.overage, g.quota_thresholds, g.rollover,
  to_jsonb(g.remaining_thresholds) AS remaining_thresholds, g.expires_after, g.metadata`

/** A page of the features that a policy grants, after a feature. */
export const listPolicyFeatures = (
  sql: Database,
  policyId: string,
  { after, limit }: { readonly after: string | undefined; readonly limit: number }
): Query<object> =>
  sql`
    -- name: policy_features.list
    SELECT ${sql.literal(columns)} FROM policy_features g JOIN features f ON f.id = g.feature_id
    WHERE g.policy_id = ${policyId} ${after === undefined ? sql`` : sql`AND g.feature_id < ${after}`}
    ORDER BY g.feature_id DESC LIMIT ${limit}`

/** A feature that a policy grants. */
export const findGrant = (sql: Database, policyId: string, featureId: string): Query<object> =>
  sql`
    -- name: policy_features.find
    SELECT ${sql.literal(columns)} FROM policy_features g JOIN features f ON f.id = g.feature_id
    WHERE g.policy_id = ${policyId} AND g.feature_id = ${featureId}`

/** Locks a policy of a product, so that its grants change one after the other. */
export const lockPolicyOf = (sql: Database, productId: string, policyId: string): Query<object> =>
  sql`
    -- name: policies.lock for grants
    SELECT 1 FROM policies WHERE id = ${policyId} AND product_id = ${productId}
    -- guard: grants of a policy change one after the other
    FOR NO KEY UPDATE`

/** A feature that is to be granted. */
interface GrantableFeature extends ValuedFeature, Pick<Metered, "meter"> {
  readonly isArchived: boolean
}

/** Locks a feature that is to be granted against a change. */
export const lockGrantable = (
  sql: Database,
  id: string,
  limit: ProductLimit
): Query<GrantableFeature> =>
  sql<GrantableFeature>`
    -- name: features.lock for grant
    SELECT archived_at IS NOT NULL AS "isArchived", value_type, enum_options, meter FROM features
    WHERE id = ${id} ${andWithinProducts(sql, "product_id", limit)}
    -- guard: a feature is archived before it is granted, or after
    FOR SHARE`

/** How a feature is granted from now on; null where there is none of it. */
export type PolicyFeatureLeft =
  & Omit<PolicyFeatureAssign, "enabled" | "metadata">
  & Pick<PolicyFeature, "enabled" | "metadata">

/** The terms of a policy's feature by which units are carried. */
const carryingTerms = (row: string) => `(${row}.enabled, ${row}.max_consumptions, ${row}.period, ${row}.rollover)`

/** Whether a change of a policy's feature leaves the terms as they are by which units are carried. */
const keepsCarrying = `${carryingTerms("p")} IS NOT DISTINCT FROM ${carryingTerms("excluded")}`

/** The most changes of terms that are kept: units of terms before those are not carried any more. */
const maximumPastTerms = 12

/** Grants a feature, or changes how it is granted; returns it as it is left. */
export const insertPolicyFeature = (sql: Database, policyId: string, left: PolicyFeatureLeft): Query<object> =>
  sql`
    -- name: policy_features.insert
    WITH g AS (
      INSERT INTO policy_features AS p (policy_id, feature_id, enabled, value, max_consumptions, period, overage,
        quota_thresholds, remaining_thresholds, rollover, rollover_since, expires_after, metadata)
      VALUES (${policyId}, ${left.feature_id}, ${left.enabled}, ${valueText(left.value)}::jsonb,
        ${left.max_consumptions ?? null}::int8,
        ${left.period ?? null}::text, ${left.overage ?? null}::text, ${
    left.quota_thresholds?.toSorted((one, other) => one - other).map(String) ?? null
  }::text[]::int[], ${
    left.remaining_thresholds?.toSorted((one, other) => one - other).map(String) ?? null
  }::text[]::int8[], ${left.rollover == null ? null : JSON.stringify(left.rollover)}::text::jsonb,
        CASE WHEN ${left.rollover != null} THEN clock_timestamp() END, ${left.expires_after ?? null}::text,
        ${JSON.stringify(left.metadata)}::jsonb)
      ON CONFLICT (policy_id, feature_id) DO UPDATE SET enabled = excluded.enabled,
        value = excluded.value, max_consumptions = excluded.max_consumptions, period = excluded.period, overage = excluded.overage,
        quota_thresholds = excluded.quota_thresholds, remaining_thresholds = excluded.remaining_thresholds,
        rollover = excluded.rollover,
        rollover_since = CASE WHEN ${sql.literal(keepsCarrying)} THEN p.rollover_since ELSE excluded.rollover_since END,
        -- Nothing is written to licenses: what they carry from periods of earlier terms is computed by those.
        past_terms = CASE WHEN ${sql.literal(keepsCarrying)} OR NOT p.enabled OR p.rollover IS NULL THEN p.past_terms
          ELSE jsonb_path_query_array(coalesce(p.past_terms, '[]') || jsonb_build_object('from', p.rollover_since,
            'until', clock_timestamp(), 'quota', p.max_consumptions, 'period', p.period, 'rollover', p.rollover),
            ${`$[last - ${maximumPastTerms - 1} to last]`}::jsonpath) END,
        expires_after = excluded.expires_after, metadata = excluded.metadata
      RETURNING *
    )
    SELECT ${sql.literal(columns)} FROM g JOIN features f ON f.id = g.feature_id`

/** Takes a feature from a policy. */
export const deleteGrant = (sql: Database, policyId: string, featureId: string): Query<object> =>
  sql`
    -- name: policy_features.delete
    DELETE FROM policy_features WHERE policy_id = ${policyId} AND feature_id = ${featureId}`

/**
 * A license under a policy that has no subscription. The newest are looked at: of a million that all have one, none would
 * be found for seconds.
 */
export const findWithoutSubscription = (sql: Database, policyId: string): Query<object> =>
  sql`
    -- name: licenses.find without subscription
    SELECT 1 FROM (
      SELECT subscription_id, state FROM licenses WHERE policy_id = ${policyId} ORDER BY id DESC LIMIT 1000
    ) newest
    WHERE subscription_id IS NULL AND state <> 'revoked' LIMIT 1`
