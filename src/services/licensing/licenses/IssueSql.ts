import { licenseKeyLast4, licenseKeyPrefix } from "../../../domain/keys/security/Credential.ts"
import { storedTags } from "../../../domain/licensing/licenses/License.ts"
import type { LicenseOfKnown, LicenseState } from "../../../domain/licensing/licenses/License.ts"
import type { Issued } from "../../../domain/licensing/licenses/LicenseIssue.ts"
import { storedIssuer } from "../../../domain/licensing/users/LicenseUser.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { isOfProducts } from "../../ground/persistence/ProductLimit.ts"

/** The time of the transaction. */
export const findTransactionTime = (sql: Database): Query<{ readonly now: Date }> =>
  sql<{ readonly now: Date }>`
    -- name: clock.find for licenses
    SELECT now()`

/** Has the resellers with a tag issue one after the other, until the surrounding transaction ends. */
export const lockTag = (sql: Database, tag: string): Query<object> =>
  sql`
    -- name: advisory_locks.lock tag of reseller
    -- guard: one reseller issues the last license once
    SELECT 1 FROM pg_advisory_xact_lock(hashtextextended(${`countersign reseller ${tag}`}, 0))`

/** How many licenses of products have a tag, without those that were revoked. */
export const countTagged = (
  sql: Database,
  tag: string,
  products: ReadonlyArray<string>
): Query<{ readonly count: number }> =>
  sql<{ readonly count: number }>`
    -- name: licenses.count with tag
    SELECT count(*)::int AS count FROM licenses
    WHERE tags @> ARRAY[${tag}::text] AND state <> 'revoked' AND ${isOfProducts(sql, "product_id", products)}`

const issuedColumns = `
  id, product_id, product_ids, policy_id, customer_id, order_id, subscription_id, license_key_prefix, license_key_last4,
  customer_email, customer_name, state, suspended_by, starts_at, expires_at, maintenance_expires_at, awaits_activation,
  follows_subscription, ends_without_grace, overrides, trusted_issuer, tags, metadata`

/** The values of a new license. */
export interface NewLicense {
  readonly id: string
  readonly license_key: string
  readonly key_hash: Uint8Array
  readonly input: LicenseOfKnown
  readonly issued: Issued
  readonly subscription_id: string | undefined
}

const rowOf = ({ id, input, issued, license_key, subscription_id }: NewLicense) => ({
  id,
  product_id: input.product_id,
  product_ids: input.product_ids?.length === 0 ? undefined : input.product_ids,
  policy_id: input.policy_id,
  customer_id: input.customer_id,
  order_id: input.order_id,
  subscription_id,
  license_key_prefix: licenseKeyPrefix(license_key),
  license_key_last4: licenseKeyLast4(license_key),
  customer_email: input.customer_email,
  customer_name: input.customer_name,
  trusted_issuer: input.trusted_issuer && storedIssuer(input.trusted_issuer),
  tags: storedTags(input.tags ?? []),
  metadata: input.metadata ?? {},
  state: "active",
  ...issued
})

// Keys come before their licenses, whose constraint is checked when the statement ends.
const insertQuery = `
  -- name: licenses.insert
  WITH keys AS (
    INSERT INTO license_keys (key_hash, license_id)
    SELECT * FROM unnest($1::bytea[], $2::text[]) AS k (key_hash, license_id)
    -- guard: transactions with the same keys wait for each other one way
    ORDER BY key_hash
    -- guard: a key belongs to one license
    ON CONFLICT (key_hash) DO NOTHING RETURNING license_id
  )
  INSERT INTO licenses (${issuedColumns})
  SELECT ${issuedColumns} FROM json_populate_recordset(NULL::licenses, $3::json) AS r
  WHERE r.id IN (SELECT license_id FROM keys) RETURNING id`

/** Writes licenses with their keys, but those whose key belongs to a license already; answers the ids of those written. */
export const insertLicenses = (
  sql: Database,
  licenses: ReadonlyArray<NewLicense>
): Query<{ readonly id: string }> =>
  sql.unsafe<{ readonly id: string }>(insertQuery, [
    licenses.map(({ key_hash }) => key_hash),
    licenses.map(({ id }) => id),
    JSON.stringify(licenses.map(rowOf))
  ])

/** The hashes of keys, of these, that belong to a license, or did. */
export const listTakenKeys = (
  sql: Database,
  hashes: ReadonlyArray<Uint8Array>
): Query<{ readonly key_hash: Uint8Array }> =>
  sql<{ readonly key_hash: Uint8Array }>`
    -- name: license_keys.list taken
    SELECT key_hash FROM license_keys WHERE key_hash = ANY(${hashes}::bytea[])`

/** A license that does not begin as an active one. */
export interface Begun {
  readonly id: string
  readonly state: Exclude<LicenseState, "active">
}

/**
 * Writes the states of licenses that were issued in the same transaction: they have no device, no lease and no other end
 * than they were issued with, so nothing else follows from it than another version of what they grant.
 */
export const updateBegun = (sql: Database, begun: ReadonlyArray<Begun>): Query<object> =>
  sql`
    -- name: licenses.update begun
    UPDATE licenses l SET state = b.state, suspended_by = NULL, updated_at = now(),
      entitlement_version = l.entitlement_version + 1
    FROM unnest(${begun.map(({ id }) => id)}::text[], ${begun.map(({ state }) => state)}::text[]) AS b (id, state)
    WHERE l.id = b.id`

/** The quotas of policies that count by the periods of a subscription. */
export const listQuotasBySubscription = (sql: Database, policyIds: ReadonlyArray<string>): Query<object> =>
  sql`
    -- name: policy_features.list by subscription
    SELECT f.code AS feature_code, g.enabled, g.max_consumptions, g.period
    FROM policy_features g JOIN features f ON f.id = g.feature_id
    WHERE g.policy_id = ANY(${policyIds}::text[]) AND g.period = 'subscription'
    ORDER BY f.code`
