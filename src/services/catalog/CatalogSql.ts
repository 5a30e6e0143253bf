import { catalogCounts } from "../../domain/catalog/Product.ts"
import type { Database, Query } from "../ground/persistence/Database.ts"

/** The first ten options that values of a field have, and that are not among these. */
export const listLostOptions = (
  sql: Database,
  fieldId: string,
  options: ReadonlyArray<string>
): Query<{ readonly enum_value: string }> =>
  sql<{ readonly enum_value: string }>`
    -- name: custom_field_values.list lost options
    SELECT DISTINCT enum_value FROM custom_field_values
    WHERE definition_id = ${fieldId} AND NOT enum_value = ANY(${options}::text[]) ORDER BY enum_value LIMIT 10`

/** Locks a product, so that its fields begin to be signed one after the other, and their number holds. */
export const lockSigning = (sql: Database, productId: string): Query<object> =>
  sql`
    -- name: products.lock for signed fields
    SELECT 1 FROM products WHERE id = ${productId} FOR NO KEY UPDATE`

/** How many other fields of a product are signed, and texts of this one that signed data may not have, if there are any. */
export const countSigned = (
  sql: Database,
  productId: string,
  fieldId: string
): Query<{ readonly others: number; readonly texts: ReadonlyArray<string> }> =>
  sql<{ readonly others: number; readonly texts: ReadonlyArray<string> }>`
    -- name: custom_field_definitions.count signed
    SELECT count(*)::int AS others, ARRAY(
      SELECT left(v.string_value, 256) FROM custom_field_values v
      WHERE v.definition_id = ${fieldId} AND v.string_value !~ '^[ !#-%''-;=?-\\[\\]-_a-~]{1,255}$' LIMIT 1
    ) AS texts
    FROM custom_field_definitions d WHERE d.product_id = ${productId} AND d.is_signed AND d.id <> ${fieldId}`

/** Finds a policy or license that has a value of a feature with one of these options, or any value. */
export const findLostValue = (
  sql: Database,
  featureId: string,
  lost: ReadonlyArray<string> | "all"
): Query<object> => {
  const isLost = lost === "all" ? sql`` : sql`AND value ?| ${lost}::text[]`
  return sql`
    -- name: features.find lost value
    (SELECT 1 FROM policy_features WHERE feature_id = ${featureId} AND value IS NOT NULL ${isLost} LIMIT 1)
    UNION ALL
    (SELECT 1 FROM license_features WHERE feature_id = ${featureId} AND value IS NOT NULL ${isLost} LIMIT 1)
    LIMIT 1`
}

/** A publishable key in use that opens trials with a policy. */
export const findTrialKey = (sql: Database, policyId: string): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: publishable_keys.find of policy
    SELECT id FROM publishable_keys WHERE policy_id = ${policyId} AND revoked_at IS NULL LIMIT 1`

/**
 * Lets one transaction after the other give out codes of products. A unique index does not see a code among former ones,
 * and two products with one code would be one to an app.
 */
export const lockCodes = (sql: Database): Query<object> =>
  sql`
    -- name: advisory_locks.lock product codes
    -- guard: codes of products are given out one after the other
    SELECT pg_advisory_xact_lock(hashtext('countersign product codes'))`

/** Another product than `id` that had a code. */
export const findFormerOwner = (sql: Database, code: string, id: string): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: products.find former owner
    SELECT id FROM products WHERE ${code} = ANY(former_codes) AND id <> ${id}`

/** The counts of a product. Of licenses, one more is counted than is said. */
export interface ProductCountRow {
  readonly id: string
  readonly policies: number
  readonly licenses: number
  readonly in_use: number
  /** Whether there are more licenses than were looked at for those in use. */
  readonly has_unseen: boolean
  readonly newest_version: string | null
}

/** Counts what belongs to each of these products. With `seesLicenses`, also how many licenses there are. */
export const countOfProducts = (
  sql: Database,
  ids: ReadonlyArray<string>,
  seesLicenses: boolean
): Query<ProductCountRow> => {
  const { inUseAmong, licenses } = catalogCounts
  return sql<ProductCountRow>`
    -- name: products.count parts
    SELECT p.id, (SELECT count(*)::int FROM policies WHERE product_id = p.id) AS policies,
      (SELECT count(*)::int FROM (SELECT FROM licenses WHERE product_id = p.id AND ${seesLicenses}
        LIMIT ${licenses + 1}) l) AS licenses,
      (SELECT count(*)::int FROM (
        SELECT FROM (SELECT id FROM licenses WHERE product_id = p.id AND ${seesLicenses} ORDER BY id DESC LIMIT ${inUseAmong}) l
        WHERE EXISTS (SELECT FROM devices d WHERE d.license_id = l.id AND d.last_seen_at > now() - interval '30 days')
        LIMIT ${licenses + 1}
      ) u) AS in_use,
      EXISTS (SELECT FROM licenses WHERE product_id = p.id AND ${seesLicenses} ORDER BY id DESC OFFSET ${inUseAmong}) AS has_unseen,
      (SELECT version FROM product_versions WHERE product_id = p.id ORDER BY released_at DESC, id DESC LIMIT 1) AS newest_version
    FROM unnest(${ids}::text[]) AS p (id)`
}

/** How many licenses were issued under each of these policies, counted to one more than is said. */
export const countOfPolicies = (
  sql: Database,
  ids: ReadonlyArray<string>
): Query<{ readonly id: string; readonly licenses: number }> =>
  sql<{ readonly id: string; readonly licenses: number }>`
    -- name: policies.count licenses
    SELECT p.id, (SELECT count(*)::int FROM (SELECT FROM licenses WHERE policy_id = p.id
      LIMIT ${catalogCounts.licenses + 1}) l) AS licenses
    FROM unnest(${ids}::text[]) AS p (id)`
