import { Hex } from "effect/encoding"
import type { ProductCodes } from "../../../domain/catalog/Product.ts"
import type { TrialLicense } from "../../../domain/licensing/entitlements/Trial.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"

/** The device of a trial: a product, and a keyed hash of its binding. */
export interface TrialDevice {
  readonly productId: string
  readonly hash: Uint8Array
}

/** The trial that a device had, or has. */
export interface TrialRow {
  readonly license_id: string
  readonly created_at: Date
}

/** The row of a policy, with its product and the time on the database's clock. */
export interface TrialPolicyRow {
  readonly product: ProductCodes
  readonly now: Date
}

/** The policy of new trials. */
export const findTrialPolicy = (sql: Database, policyId: string): Query<TrialPolicyRow> =>
  sql<TrialPolicyRow>`
    -- name: policies.find of trial
    SELECT p.*, json_build_object('code', r.code, 'former_codes', r.former_codes) AS product, now()
    FROM policies p JOIN products r ON r.id = p.product_id WHERE p.id = ${policyId}`

/** The trial of a device. */
export const findTrial = (sql: Database, { hash, productId }: TrialDevice): Query<TrialRow> =>
  sql<TrialRow>`
    -- name: trials.find
    SELECT license_id, created_at FROM trials WHERE product_id = ${productId} AND binding_hash = ${hash}`

/**
 * Locks a device that had no trial until the transaction ends: whoever opens one for it at the same moment waits, having
 * written nothing.
 */
export const lockTrialDevice = (sql: Database, { hash }: TrialDevice): Query<object> =>
  sql`
    -- name: advisory_locks.lock trial of device
    -- guard: trials of one device are opened one after the other
    SELECT 1 FROM pg_advisory_xact_lock(hashtextextended(${`trial:${Hex.encode(hash)}`}, 0))`

/** Begins the trial of a device; returns it. */
export const insertTrial = (sql: Database, { hash, productId }: TrialDevice, licenseId: string): Query<TrialRow> =>
  sql<TrialRow>`
    -- name: trials.insert
    INSERT INTO trials (product_id, binding_hash, license_id) VALUES (${productId}, ${hash}, ${licenseId})
    RETURNING license_id, created_at`

/** The columns that tell whether a license is still a trial, and the key that it has now. */
export interface TrialLicenseRow extends TrialLicense {
  readonly key_hash: Uint8Array
}

/** The license of a trial. */
export const findTrialLicense = (sql: Database, licenseId: string): Query<TrialLicenseRow> =>
  sql<TrialLicenseRow>`
    -- name: licenses.find of trial
    SELECT k.key_hash, p.license_type, l.order_id, l.subscription_id
    FROM licenses l JOIN policies p ON p.id = l.policy_id
      JOIN license_keys k ON k.license_id = l.id AND k.expires_at IS NULL
    WHERE l.id = ${licenseId}`
