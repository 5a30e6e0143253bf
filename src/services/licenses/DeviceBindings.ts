import { Effect } from "effect"
import type { DeviceBinding } from "../../domain/entitlements/DeviceBinding.ts"
import type { RuntimeRequest } from "../../domain/entitlements/RuntimeRequest.ts"
import type { Device } from "../../domain/licenses/Device.ts"
import type { Database } from "../persistence/Database.ts"
import { toWire } from "../persistence/RowToWire.ts"
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

/** The name of a binding of a license: no two have the same. */
export const bindingName = ({ binding, licenseId }: LicenseBinding): string =>
  `${licenseId}\n${binding.kind}\n${binding.key}`

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

/** Reads the devices of bindings; see {@link ofBindings}. */
export const knownDevicesQuery = `
  -- name: devices.list bound
  ${ofBindings(deviceColumns)}`

/** Reads the devices that bindings have, by {@link bindingName}. */
export const knownDevices = (
  sql: Database,
  bindings: ReadonlyArray<LicenseBinding>
): Effect.Effect<ReadonlyMap<string, Device>> =>
  Effect.map(sql.unsafe(knownDevicesQuery, bindingParameters(bindings)), (rows) => {
    const devices = rows.map((row) => toWire<Device>(row))
    return new Map(devices.map((device) => [
      bindingName({
        licenseId: device.license_id,
        binding: { kind: device.binding_kind, key: device.binding_key }
      }),
      device
    ]))
  })

/** The device of a binding as a runtime call leaves it: active, with what the call tells of it. */
export const boundDevice = (
  { binding, licenseId }: LicenseBinding,
  request: RuntimeRequest,
  { at, before, id, ipAddress }: {
    readonly at: Date
    /** The device, if the license ever had it. */
    readonly before: Device | undefined
    readonly id: string
    readonly ipAddress: string | undefined
  }
): Device => {
  const instant = at.toISOString()
  const told = {
    hostname: request.hostname ?? before?.hostname,
    os: request.os ?? before?.os,
    ip_address: ipAddress ?? before?.ip_address
  }
  const { fingerprint: _, ...rest } = before ?? {
    id,
    license_id: licenseId,
    binding_kind: binding.kind,
    binding_key: binding.key,
    is_container: request.is_container ?? false,
    ...optional("container_id", request.container_id),
    ...optional("cluster_id", request.cluster_id),
    ...optional("namespace", request.namespace),
    ...optional("pod_name", request.pod_name),
    first_seen_at: instant,
    metadata: {},
    created_at: instant
  } as Omit<Device, "is_vm" | "last_seen_at" | "status" | "updated_at">
  return {
    ...rest,
    // A device that is known by its components has another one than before.
    binding_key: binding.key,
    ...optional("fingerprint", request.fingerprint),
    ...optional("hostname", told.hostname),
    ...optional("os", told.os),
    ...optional("ip_address", told.ip_address),
    is_vm: request.is_vm ?? false,
    status: "active",
    last_seen_at: instant,
    updated_at: instant
  }
}

const optional = <Name extends string, Value>(name: Name, value: Value | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { readonly [key in Name]?: Value }

/**
 * Writes {@link BoundDevice}s, each of another binding, from a JSON array. A device with an activation seat keeps it
 * beside a lease.
 */
const bindQuery = `
  -- name: devices.insert bound
  INSERT INTO devices (id, license_id, binding_kind, binding_key, fingerprint, hostname, os, ip_address, is_vm,
    is_container, container_id, cluster_id, namespace, pod_name, status, floating, first_seen_at, last_seen_at,
    created_at, updated_at)
  SELECT * FROM json_to_recordset($1::json) AS d (id text, license_id text, binding_kind text, binding_key text,
    fingerprint text, hostname text, os text, ip_address text, is_vm boolean, is_container boolean, container_id text,
    cluster_id text, namespace text, pod_name text, status text, floating boolean, first_seen_at timestamptz,
    last_seen_at timestamptz, created_at timestamptz, updated_at timestamptz)
  ON CONFLICT (license_id, binding_kind, binding_key) DO UPDATE SET
    fingerprint = excluded.fingerprint, hostname = excluded.hostname, os = excluded.os,
    ip_address = excluded.ip_address, is_vm = excluded.is_vm, last_seen_at = excluded.last_seen_at,
    updated_at = excluded.updated_at, status = excluded.status,
    floating = excluded.floating AND (devices.floating OR devices.status <> 'active')`

/** Writes devices, each of another binding. The licenses are locked, and the decisions made. */
export const bindDevices = (sql: Database, bound: ReadonlyArray<BoundDevice>): Effect.Effect<void> =>
  bound.length === 0
    ? Effect.void
    : Effect.asVoid(
      sql.unsafe(bindQuery, [JSON.stringify(bound.map(({ device, floating }) => ({ ...device, floating })))])
    )
