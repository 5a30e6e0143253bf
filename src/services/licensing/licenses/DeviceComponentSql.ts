import { Effect } from "effect"
import type { DeviceBinding } from "../../../domain/licensing/entitlements/DeviceBinding.ts"
import type { LeaseEnd } from "../../../domain/licensing/entitlements/Lease.ts"
import type { ComponentMatch, Components } from "../../../domain/licensing/licenses/Components.ts"
import type { Device } from "../../../domain/licensing/licenses/Device.ts"
import { effectiveComponentMatch } from "../../catalog/terms/TermsSql.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { deviceColumns } from "./DeviceSql.ts"

/** Selects open leases: all of a license or of several, those of some of its devices, or single ones. */
export interface LeaseSelection {
  readonly licenseId: string | ReadonlyArray<string>
  readonly deviceId?: string | ReadonlyArray<string>
  readonly leaseId?: string | ReadonlyArray<string>
}

/** The columns of an open or ended lease in wire form; `status` is judged on the database's clock. */
export const leaseColumns = `
  id, license_id, device_id, product_id, nullif(process_id, '') AS process_id, checked_out_at, last_heartbeat_at, expires_at, ended_at,
  coalesce(end_reason, CASE WHEN expires_at > clock_timestamp() THEN 'active' ELSE 'expired' END) AS status`

const among = (sql: Database, column: string, ids: string | ReadonlyArray<string> | undefined) => {
  if (ids === undefined) return sql`true`
  return typeof ids === "string" ? sql`${sql(column)} = ${ids}` : sql`${sql(column)} = ANY(${ids}::text[])`
}

/**
 * Ends the selected leases that are open, of those that have expired at most `most`; answers them as they are then. A
 * heartbeat takes no license lock and may be extending a lease right now. This statement then waits for it and evaluates
 * the lease again, so that one of the two sees the other's result; with `most` it passes over the lease.
 */
export const updateEnded = (
  sql: Database,
  { deviceId, leaseId, licenseId }: LeaseSelection,
  reason: LeaseEnd,
  most?: number
): Query<object> => {
  const ofLicenses = among(sql, "license_id", licenseId)
  const some = most === undefined ? sql`` : sql`AND id = ANY(ARRAY(
    SELECT id FROM leases WHERE ${ofLicenses} AND ended_at IS NULL AND expires_at <= clock_timestamp()
    -- guard: a sweep waits for no heartbeat
    ORDER BY expires_at, id LIMIT ${most} FOR NO KEY UPDATE SKIP LOCKED))`
  const due = reason !== "expired" ? sql`` : sql`
    -- guard: a lease that lives does not expire
    AND expires_at <= clock_timestamp()`
  return sql`
    -- name: leases.update ended
    UPDATE leases SET ended_at = date_trunc('milliseconds', clock_timestamp()), end_reason = ${reason}
    WHERE ${ofLicenses} AND ${among(sql, "device_id", deviceId)} AND ${among(sql, "id", leaseId)}
      -- guard: a lease ends once
      AND ended_at IS NULL
      ${due}
      ${some}
    RETURNING ${sql.literal(leaseColumns)}`
}

/** Whether no lease of a device is open, in SQL: the last one of several closes the device. */
export const hasNoLease = (device: string): string =>
  `NOT EXISTS (SELECT 1 FROM leases e WHERE e.license_id = ${device}.license_id AND e.device_id = ${device}.id
        AND e.ended_at IS NULL)`

/** Closes devices that were bound for their leases only, and have none left. */
export const updateUnbound = (
  sql: Database,
  deviceIds: ReadonlyArray<string>,
  status: string
): Query<{ readonly id: string }> =>
  sql<{ readonly id: string }>`
    -- name: devices.update closed
    UPDATE devices SET status = ${status}, updated_at = now()
    WHERE id = ANY(${deviceIds}::text[])
      -- guard: an activated device outlives its lease
      AND floating AND status = 'active'
      -- guard: a device is bound until its last lease ends
      AND ${sql.literal(hasNoLease("devices"))}
    RETURNING id`

/** A binding of a license. */
export interface LicenseBinding {
  readonly licenseId: string
  readonly binding: DeviceBinding
}

/** A device that a call binds. A `floating` one exists only for a lease, and takes no activation seat. */
interface BoundDevice {
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

/** A device that names its components. */
export interface NamedComponents extends LicenseBinding {
  readonly components: Components
}

/** A license whose terms count components. */
interface CountingLicense {
  readonly license_id: string
  readonly rule: ComponentMatch
  readonly components: Components | null
}

/** A device of the license that has components in common with the device that is looked up. */
export interface SimilarDevice extends CountingLicense {
  readonly id: string
  readonly binding_key: string
  readonly named: number
  readonly matched: number
  readonly is_blocked: boolean
  readonly last_seen_at: Date
}

/** The license without such a device: none is similar, or a device has the fingerprint itself. */
interface NoSimilarDevice extends CountingLicense {
  readonly id: null
}

export type ComponentsRow = SimilarDevice | NoSimilarDevice

/**
 * Reads the stored components of the devices with these fingerprints or, where a license has no such device, those that
 * have components in common: of those with the same counts and the same block only the one that was seen last, so that
 * there are few however many devices a license has.
 */
const componentsQuery = `
  -- name: devices.list by components
  SELECT l.id AS license_id, ${effectiveComponentMatch} AS rule, coalesce(d.components, m.components) AS components,
    m.id, m.binding_key, m.named, m.matched, m.is_blocked, m.last_seen_at
  FROM unnest($1::text[], $2::text[], $3::text[]) AS q (license_id, key, components)
  JOIN licenses l ON l.id = q.license_id
  JOIN policies p ON p.id = l.policy_id
  LEFT JOIN devices d ON d.license_id = l.id AND d.binding_kind = 'hardware' AND d.binding_key = q.key
  LEFT JOIN LATERAL (
    SELECT DISTINCT ON (named, matched, is_blocked) * FROM (
      SELECT c.id, c.binding_key, c.components, c.last_seen_at, c.status = 'blacklisted' AS is_blocked,
        (SELECT count(*)::int FROM jsonb_object_keys(c.components)) AS named, count(*)::int AS matched
      FROM jsonb_each(q.components::jsonb) g CROSS JOIN LATERAL (
        SELECT * FROM devices
        WHERE license_id = q.license_id AND binding_kind = 'hardware' AND components IS NOT NULL
          AND components @> jsonb_build_object(g.key, g.value) OFFSET 0
      ) c GROUP BY c.id, c.binding_key, c.components, c.last_seen_at, c.status
    ) n ORDER BY named, matched, is_blocked, last_seen_at DESC, id
  ) m ON d.id IS NULL
  WHERE ${effectiveComponentMatch} IS NOT NULL`

/** The stored components by which devices may be recognized; at most one device of each license may be asked about. */
export const listByComponents = (sql: Database, named: ReadonlyArray<NamedComponents>): Query<ComponentsRow> =>
  sql.unsafe<ComponentsRow>(componentsQuery, [
    named.map(({ licenseId }) => licenseId),
    named.map(({ binding }) => binding.key),
    named.map(({ components }) => JSON.stringify(components))
  ])

/** A device with other components, or another fingerprint, than it had. */
export interface DeviceChange {
  readonly device: Device
  readonly components: Components
  /** Whether it has another fingerprint than before. */
  readonly isRebound: boolean
}

/** Gives devices their new fingerprints, before they are bound. The licenses are locked. */
export const updateRebound = (sql: Database, changes: ReadonlyArray<DeviceChange>): Effect.Effect<void> => {
  const rebound = changes.filter(({ isRebound }) => isRebound)
  return rebound.length === 0 ? Effect.void : Effect.asVoid(
    sql.unsafe(
      `-- name: devices.update rebound
       UPDATE devices d SET binding_key = v.key FROM unnest($1::text[], $2::text[]) AS v (id, key) WHERE d.id = v.id`,
      [rebound.map(({ device }) => device.id), rebound.map(({ device }) => device.binding_key)]
    )
  )
}

/** Stores the components of devices, after they are bound. */
export const updateComponents = (sql: Database, changes: ReadonlyArray<DeviceChange>): Effect.Effect<void> =>
  changes.length === 0 ? Effect.void : Effect.asVoid(
    sql.unsafe(
      `-- name: devices.update components
       UPDATE devices d SET components = v.components::jsonb, components_changed_at = v.at
       FROM unnest($1::text[], $2::text[], $3::timestamptz[]) AS v (id, components, at) WHERE d.id = v.id`,
      [
        changes.map(({ device }) => device.id),
        changes.map(({ components }) => JSON.stringify(components)),
        changes.map(({ device }) => new Date(device.updated_at))
      ]
    )
  )
