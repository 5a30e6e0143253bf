import type { LicenseCreate, LicenseState } from "../../domain/licenses/License.ts"
import type { Issued } from "../../domain/licenses/LicenseIssue.ts"
import { licenseKeyLast4, licenseKeyPrefix } from "../../domain/security/Credential.ts"
import type { Database, Query } from "../persistence/Database.ts"

const issuedColumns = `
  id, product_id, product_ids, policy_id, customer_id, order_id, subscription_id, license_key_prefix, license_key_last4,
  customer_email, customer_name, state, suspended_by, starts_at, expires_at, maintenance_expires_at, awaits_activation,
  follows_subscription, ends_without_grace, overrides, metadata`

/** What a new license is made of. */
export interface NewLicense {
  readonly license_key: string
  readonly input: LicenseCreate
  readonly issued: Issued
  readonly order_id: string | undefined
  readonly subscription_id: string | undefined
}

/** The columns of a new license, for {@link issuedRows}. */
export const issuedRow = (id: string, { input, issued, license_key, order_id, subscription_id }: NewLicense) => ({
  id,
  product_id: input.product_id,
  product_ids: input.product_ids?.length === 0 ? undefined : input.product_ids,
  policy_id: input.policy_id,
  customer_id: input.customer_id,
  order_id,
  subscription_id,
  license_key_prefix: licenseKeyPrefix(license_key),
  license_key_last4: licenseKeyLast4(license_key),
  customer_email: input.customer_email,
  customer_name: input.customer_name,
  metadata: input.metadata ?? {},
  state: "active",
  ...issued
})

/** What follows INSERT INTO licenses to write a JSON array of {@link issuedRow}s; `source` says what is left out. */
export const issuedRows = (rows: string, source = "") =>
  `(${issuedColumns})
  SELECT ${issuedColumns} FROM json_populate_recordset(NULL::licenses, ${rows}::json) ${source}`

/** A license that does not begin as an active one. */
export interface Begun {
  readonly id: string
  readonly state: Exclude<LicenseState, "active">
}

/** How a new license begins, where that is not active. */
export const begunAs = (id: string, { status }: Pick<LicenseCreate, "status">): Begun | undefined =>
  status === undefined || status === "active" ? undefined : { id, state: status }

/**
 * Writes the states of licenses that were issued in the same transaction: they have no device, no lease and no other end
 * than they were issued with, so nothing else follows from it than another version of what they grant.
 */
export const beginLicenses = (sql: Database, begun: ReadonlyArray<Begun>): Query<object> =>
  sql`
    UPDATE licenses l SET state = b.state, suspended_by = NULL, updated_at = now(),
      entitlement_version = l.entitlement_version + 1
    FROM unnest(${begun.map(({ id }) => id)}::text[], ${begun.map(({ state }) => state)}::text[]) AS b (id, state)
    WHERE l.id = b.id`
