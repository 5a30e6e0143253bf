import { Schema } from "effect"
import type { ProductCodes } from "../../../domain/catalog/Product.ts"
import type { DeviceBinding } from "../../../domain/licensing/entitlements/DeviceBinding.ts"
import type { DeviceBindingKind } from "../../../domain/licensing/licenses/Device.ts"
import type { Started } from "../../../domain/licensing/licenses/LicenseIssue.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { deviceColumns, idleAfter } from "../licenses/DeviceSql.ts"

const startQuery = `
  -- name: licenses.update started
  UPDATE licenses SET starts_at = $2::text::timestamptz, expires_at = $3::text::timestamptz,
    term_anchor = CASE WHEN term_anchor IS NULL THEN NULL ELSE $2::text::timestamptz END,
    maintenance_expires_at = $4::text::timestamptz, awaits_activation = NULL,
    -- guard: a started license announces its new end
    announced = 'nothing',
    entitlement_version = entitlement_version + 1, updated_at = now()
  WHERE id = $1 RETURNING id`

/** Starts a license, which is locked: its end is another one from now on, of which nothing was announced yet. */
export const updateStarted = (
  sql: Database,
  id: string,
  { expires_at, maintenance_expires_at, starts_at }: Started
): Query<{ readonly id: string }> =>
  sql.unsafe<{ readonly id: string }>(startQuery, [id, starts_at, expires_at, maintenance_expires_at])

/** The row of a device, and whether it is bound through a lease only. */
export interface BoundDeviceRow {
  readonly floating: boolean
}

/** The device of a binding. */
export const findBoundDevice = (
  sql: Database,
  licenseId: string,
  { key, kind }: DeviceBinding
): Query<BoundDeviceRow> =>
  sql<BoundDeviceRow>`
    -- name: devices.find bound
    SELECT ${sql.literal(deviceColumns)}, floating FROM devices
    WHERE license_id = ${licenseId} AND binding_kind = ${kind} AND binding_key = ${key}`

/** Which seats to count, at an instant. */
export interface SeatsAt {
  readonly licenseId: string
  readonly at: Date
  /** Which activation seats; undefined counts none. */
  readonly kind: DeviceBindingKind | undefined
  /** The device that does not count as another one; empty for none. */
  readonly deviceId: string
}

/** Reads activation seats of other devices, the leases that live, and those of this device, the newest first. */
export const readSeats = rowReader(Schema.Struct({
  devices: Schema.Finite,
  leases: Schema.Finite,
  held: Schema.Array(Schema.Struct({ process_id: Schema.String, live: Schema.Boolean }))
}))

/** The seats that are taken at an instant. Containers that are idle by then take none. */
export const countSeatsAt = (sql: Database, { at, deviceId, kind, licenseId }: SeatsAt): Query<object> =>
  sql`
    -- name: devices.count seats taken
    SELECT
      (SELECT count(*)::int FROM devices d
        JOIN licenses l ON l.id = d.license_id JOIN policies p ON p.id = l.policy_id
        WHERE d.license_id = ${licenseId} AND d.binding_kind = ${kind ?? ""} AND d.status = 'active'
          AND NOT d.floating AND d.id <> ${deviceId}
          AND (d.binding_kind = 'hardware' OR d.last_seen_at >= ${at} - ${sql.literal(idleAfter("d"))}
            OR EXISTS (SELECT 1 FROM leases e WHERE e.license_id = ${licenseId} AND e.device_id = d.id
              AND e.ended_at IS NULL AND e.expires_at > ${at}))) AS devices,
      (SELECT count(*)::int FROM leases e
        WHERE e.license_id = ${licenseId} AND e.ended_at IS NULL AND e.expires_at > ${at}) AS leases,
      (SELECT coalesce(json_agg(json_build_object('process_id', e.process_id, 'live', e.expires_at > ${at})
          ORDER BY e.id DESC), '[]') FROM leases e
        WHERE e.license_id = ${licenseId} AND e.ended_at IS NULL AND e.device_id = ${deviceId}) AS held`

/** The codes of products, in the order of their ids. */
export const listProductCodes = (sql: Database, ids: ReadonlyArray<string>): Query<ProductCodes> =>
  sql<ProductCodes>`
    -- name: products.list codes of bundle
    SELECT code, former_codes FROM products WHERE id = ANY(${ids}::text[]) ORDER BY id`

/** Reads the instant to judge at, and whether it is past on the database's clock. */
export const readInstant = rowReader(Schema.Struct({ at: Schema.DateFromString, is_past: Schema.Boolean }))

/** The instant to judge at: now, unless the question names one. */
export const findExplainedTime = (sql: Database, at: string | undefined): Query<object> =>
  sql`
    -- name: clock.find explained time
    SELECT coalesce(t.at, clock_timestamp()) AS at, coalesce(t.at < clock_timestamp(), false) AS is_past
    FROM (SELECT ${at ?? null}::text::timestamptz AS at) t`
