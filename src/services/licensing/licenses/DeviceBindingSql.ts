import { Effect } from "effect"
import type { DeviceBinding } from "../../../domain/licensing/entitlements/DeviceBinding.ts"
import type { Device } from "../../../domain/licensing/licenses/Device.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { deviceColumns } from "./DeviceSql.ts"

/** A binding of a license. */
export interface LicenseBinding {
  readonly licenseId: string
  readonly binding: DeviceBinding
}

/** A device that a call binds. A `floating` one exists only for a lease, and takes no activation seat. */
export interface BoundDevice {
  readonly device: Device
  readonly floating: boolean
}

/**
 * Reads `columns` of the devices `d` of bindings. The parameters are three arrays: licenses, kinds and keys. Each device
 * is looked up by itself: the planner, which cannot know how many there are, would read a table that was small when it
 * was last analysed.
 */
export const ofBindings = (columns: string): string => `
  (SELECT d.* FROM unnest($1::text[], $2::text[], $3::text[]) AS q (license_id, kind, key) CROSS JOIN LATERAL (
    SELECT ${columns} FROM devices
    WHERE license_id = q.license_id AND binding_kind = q.kind AND binding_key = q.key OFFSET 0
  ) d)`

/** The parameters of {@link ofBindings}. */
export const bindingParameters = (bindings: ReadonlyArray<LicenseBinding>): ReadonlyArray<ReadonlyArray<string>> => [
  bindings.map(({ licenseId }) => licenseId),
  bindings.map(({ binding }) => binding.kind),
  bindings.map(({ binding }) => binding.key)
]

/** The text of {@link listBound}. */
export const knownDevicesQuery = `
  -- name: devices.list bound
  ${ofBindings(deviceColumns)}`

/** The devices that bindings have. */
export const listBound = (sql: Database, bindings: ReadonlyArray<LicenseBinding>): Query<object> =>
  sql.unsafe(knownDevicesQuery, bindingParameters(bindings))

/** The text of {@link listLeaseHolders}. */
export const leaseHoldersQuery = `
  -- name: leases.list holders
  SELECT d.id AS device_id FROM (${ofBindings("id, license_id")}) d
  WHERE EXISTS (SELECT 1 FROM leases e WHERE e.license_id = d.license_id AND e.device_id = d.id AND e.ended_at IS NULL)`

/** A device that holds a lease. */
export interface LeaseHolder {
  readonly device_id: string
}

/** The devices of bindings that hold a lease. */
export const listLeaseHolders = (sql: Database, bindings: ReadonlyArray<LicenseBinding>): Query<LeaseHolder> =>
  sql.unsafe<LeaseHolder>(leaseHoldersQuery, bindingParameters(bindings))

/**
 * Writes {@link BoundDevice}s, each of another binding, from a JSON array. A device with an activation seat keeps it
 * beside a lease.
 */
const bindQuery = `
  -- name: devices.insert bound
  INSERT INTO devices (id, license_id, binding_kind, binding_key, fingerprint, hostname, os, app_version,
    app_version_since, ip_address, is_vm, is_container, container_id, cluster_id, namespace, pod_name, status, floating, first_seen_at, last_seen_at,
    created_at, updated_at)
  SELECT * FROM json_to_recordset($1::json) AS d (id text, license_id text, binding_kind text, binding_key text,
    fingerprint text, hostname text, os text, app_version text, app_version_since timestamptz, ip_address text, is_vm boolean, is_container boolean, container_id text,
    cluster_id text, namespace text, pod_name text, status text, floating boolean, first_seen_at timestamptz,
    last_seen_at timestamptz, created_at timestamptz, updated_at timestamptz)
  ON CONFLICT (license_id, binding_kind, binding_key) DO UPDATE SET
    fingerprint = excluded.fingerprint, hostname = excluded.hostname, os = excluded.os,
    app_version = excluded.app_version, app_version_since = excluded.app_version_since,
    ip_address = excluded.ip_address, is_vm = excluded.is_vm, last_seen_at = excluded.last_seen_at,
    updated_at = excluded.updated_at, status = excluded.status,
    floating = excluded.floating AND (devices.floating OR devices.status <> 'active')`

/** Writes devices, each of another binding. The licenses are locked, and the decisions made. */
export const insertBound = (sql: Database, bound: ReadonlyArray<BoundDevice>): Effect.Effect<void> =>
  bound.length === 0
    ? Effect.void
    : Effect.asVoid(
      sql.unsafe(bindQuery, [JSON.stringify(bound.map(({ device, floating }) => ({ ...device, floating })))])
    )
