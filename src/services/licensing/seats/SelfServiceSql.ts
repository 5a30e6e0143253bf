import { Schema } from "effect"
import { Hex } from "effect/encoding"
import type { Statement } from "effect/sql"
import type { ProductCodes } from "../../../domain/catalog/Product.ts"
import type { TrialLicense } from "../../../domain/licensing/entitlements/Decision.ts"
import { Device } from "../../../domain/licensing/licenses/Device.ts"
import type { Database, Fragments, Query } from "../../ground/persistence/Database.ts"
import type { SortedClauses } from "../../ground/persistence/KeysetPagination.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { seatHeldUntil } from "../licenses/DeviceSql.ts"
import { deviceOwner } from "../standings/UserStandingSql.ts"

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
interface TrialPolicyRow {
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
interface TrialLicenseRow extends TrialLicense {
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

const { binding_kind, hostname, id, last_seen_at, name, seat_held_until, status } = Device.fields

/** Reads a device as whoever has the license key sees it. */
export const readOwn = rowReader(
  Schema.Struct({ id, name, hostname, binding_kind, status, last_seen_at, seat_held_until })
)

/** The status of a device `d`, in SQL: one that is bound through a lease only is `expired` once the lease has run out. */
const standing = `
  CASE WHEN d.floating AND d.status = 'active' AND NOT EXISTS (
      SELECT 1 FROM leases e WHERE e.license_id = d.license_id AND e.device_id = d.id AND e.ended_at IS NULL
        AND e.expires_at > clock_timestamp())
    THEN 'expired' ELSE d.status END`

const columns = `d.id, d.name, d.hostname, d.binding_kind, d.last_seen_at, ${standing} AS status,
  ${seatHeldUntil("d")} AS seat_held_until`

/** The devices `d` of a license that hold a seat or a lease, as conditions. */
export const seatedConditions = (sql: Fragments, licenseId: string): ReadonlyArray<Statement.Fragment> => [
  sql`d.license_id = ${licenseId}`,
  sql`${sql.literal(standing)} = 'active'`
]

/** The same, and those whose seat stays taken although they gave it back. */
export const seatTakingConditions = (sql: Fragments, licenseId: string): ReadonlyArray<Statement.Fragment> => [
  sql`d.license_id = ${licenseId}`,
  sql`(${sql.literal(standing)} = 'active' OR ${sql.literal(seatHeldUntil("d"))} IS NOT NULL)`
]

/** The devices `d` that a user may see, as conditions: its own, and those that are nobody's; without a user all of them. */
export const reachConditions = (
  sql: Fragments,
  user: { readonly id: string | undefined } | undefined
): ReadonlyArray<Statement.Fragment> =>
  user === undefined ? [] : [sql`coalesce(${sql.literal(deviceOwner)}, '') IN ('', ${user.id ?? ""})`]

/** A page of devices `d`. */
export const listOwnDevices = (
  sql: Database,
  { orderBy, place, where }: SortedClauses,
  limit: number
): Query<object> =>
  sql`
    -- name: devices.list own
    SELECT ${sql.literal(columns)} ${place} FROM devices d ${where} ${orderBy} LIMIT ${limit}`

/** A device of a license that a user may see. */
export const findOwnDevice = (
  sql: Database,
  licenseId: string,
  deviceId: string,
  user?: { readonly id: string | undefined }
): Query<object> =>
  sql`
    -- name: devices.find own
    SELECT ${sql.literal(columns)} FROM devices d WHERE ${
    sql.and([sql`d.license_id = ${licenseId} AND d.id = ${deviceId}`, ...reachConditions(sql, user)])
  }`
