import type { Metered } from "../../../domain/catalog/terms/Measure.ts"
import { countsAt, isSettled } from "../../catalog/terms/UsedValueSql.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { shown } from "../licenses/LicenseFeatureSql.ts"

/** A use by what it was counted under. */
export interface UseName {
  readonly licenseId: string
  readonly featureId: string
  readonly eventId: string
}

/** A feature that a refund names, and whether the use is of it. */
interface NamedFeature extends Pick<Metered, "meter"> {
  readonly id: string
  readonly isUsed: boolean
}

/** A use as a request names it: by the feature, of one product where a code is of that alone, and by its `event_id`. */
export interface NamedUse {
  readonly feature_id?: string
  readonly feature_code?: string
  readonly product_id?: string
  readonly event_id: string
}

/**
 * The features of the products of a license that a code or an id names, whether they are in force or not, and whether the use is
 * of them. A code may name one of each product.
 */
export const listNamedFeatures = (
  sql: Database,
  licenseId: string,
  { event_id, feature_code, feature_id, product_id }: NamedUse
): Query<NamedFeature> =>
  sql<NamedFeature>`
    -- name: features.list named of license
    SELECT f.id, f.meter, EXISTS (SELECT 1 FROM usage_records u
      WHERE u.license_id = l.id AND u.feature_id = f.id AND u.event_id = ${event_id}) AS "isUsed"
    FROM licenses l JOIN features f ON f.product_id = l.product_id OR f.product_id = ANY(l.product_ids)
    WHERE l.id = ${licenseId} AND (f.id = ${feature_id ?? null}::text OR f.code = ${feature_code ?? null}::text)
      AND (${product_id ?? null}::text IS NULL OR f.product_id = ${product_id ?? null}::text)`

/**
 * A use that was counted, locked. `is_settled` says that a correction has set the count of its period since: a refund then
 * lessens it no more. `is_current` says that it lies in the period that the counter is of, and `age` how many milliseconds ago it was.
 */
export const lockUse = (sql: Database, { eventId, featureId, licenseId }: UseName): Query<object> =>
  sql`
    -- name: usage_records.lock for refund
    SELECT u.amount, coalesce(u.overage, 0) AS overage, coalesce(u.grants, '[]') AS taken, coalesce(u.refunded, 0) AS refunded,
      ${sql.literal(isSettled)} AS is_settled,
      coalesce(a.period_start IS NULL OR ${
    sql.literal(countsAt)
  } >= a.period_start, false) AND a.feature_id IS NOT NULL AS is_current,
      a.total_consumptions AS total, u.device_id, u.created_at,
      -- By the clock that created_at was written by.
      extract(epoch FROM now() - u.created_at)::float8 * 1000 AS age
    FROM usage_records u LEFT JOIN license_features a ON a.license_id = u.license_id AND a.feature_id = u.feature_id
    WHERE u.license_id = ${licenseId} AND u.feature_id = ${featureId} AND u.event_id = ${eventId}
    -- guard: a use is refunded before it is pruned, or not at all
    FOR UPDATE OF u`

/** Writes how much of a use is refunded by now. */
export const updateUseRefunded = (
  sql: Database,
  { eventId, featureId, licenseId }: UseName,
  refunded: number
): Query<object> =>
  sql`
    -- name: usage_records.update refunded
    UPDATE usage_records SET refunded = ${BigInt(refunded)}::int8
    WHERE license_id = ${licenseId} AND feature_id = ${featureId} AND event_id = ${eventId}`

/** Lessens the counters of a feature by what was refunded, and by what of it grants had served; returns it as it is left. */
export const updateRefunded = (
  sql: Database,
  { featureId, licenseId }: UseName,
  { counted, isCurrent, units }: { readonly counted: number; readonly units: number; readonly isCurrent: boolean }
): Query<object> =>
  sql`
    -- name: license_features.update refunded
    WITH written AS (
      -- greatest() passes over NULL: what never was must not become 0.
      UPDATE license_features a SET updated_at = now(),
        total_consumptions = greatest(0, a.total_consumptions - v.counted),
        granted_consumptions = CASE WHEN a.granted_consumptions IS NOT NULL
          THEN greatest(0, a.granted_consumptions - v.units) END,
        period_consumptions = CASE WHEN v.is_current AND a.period_consumptions IS NOT NULL THEN greatest(0, a.period_consumptions - v.counted)
          ELSE a.period_consumptions END,
        granted_period_consumptions = CASE WHEN v.is_current AND a.granted_period_consumptions IS NOT NULL THEN greatest(0, a.granted_period_consumptions - v.units)
          ELSE a.granted_period_consumptions END
      FROM (SELECT ${BigInt(counted)}::int8 AS counted, ${BigInt(units)}::int8 AS units, ${isCurrent} AS is_current) v
      WHERE a.license_id = ${licenseId} AND a.feature_id = ${featureId}
      RETURNING a.*
    ) ${shown(sql, "written")}`
