import { Effect } from "effect"
import type { Device, DeviceBindingKind } from "../../../domain/licensing/licenses/Device.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { offlineUntil } from "../../ground/persistence/RunningDeviceSql.ts"
import { integers } from "../../ground/persistence/StatementParts.ts"
import { deviceOwner } from "../standings/UserStandingSql.ts"

/** How many activation seats of one kind, hardware or container, the devices of a license hold. */
export interface SeatsTaken {
  readonly license_id: string
  readonly binding_kind: string
  readonly count: number
}

export const seatsTakenQuery = `
  -- name: devices.count seats by kind
  SELECT q.license_id, s.binding_kind, s.count FROM unnest($1::text[]) AS q (license_id) CROSS JOIN LATERAL (
    SELECT binding_kind, count(*)::int AS count FROM devices
    WHERE license_id = q.license_id AND status = 'active' AND NOT floating GROUP BY binding_kind
  ) s`

/** Counts the activation seats that are taken of licenses. */
export const countSeatsTaken = (sql: Database, licenseIds: ReadonlyArray<string>): Query<SeatsTaken> =>
  sql.unsafe<SeatsTaken>(seatsTakenQuery, [licenseIds])

/**
 * Changes the counters of licenses. Its parameters are arrays: the licenses, by how many their active devices and their
 * activations change, and when.
 */
const countersQuery = `
  -- name: licenses.update seat counters
  UPDATE licenses l SET active_device_count = l.active_device_count + v.devices,
    times_activated = l.times_activated + v.activations, updated_at = v.at
  FROM unnest($1::text[], $2::int[], $3::int[], $4::timestamptz[]) AS v (id, devices, activations, at)
  WHERE l.id = v.id`

/** By how much the counters of a license change, and when. */
export interface CountersChanged {
  readonly licenseId: string
  readonly devices: number
  readonly activations: number
  readonly at: Date
}

/** Changes the counters of licenses, which are locked. */
export const updateCounters = (sql: Database, changes: ReadonlyArray<CountersChanged>): Effect.Effect<unknown> =>
  changes.length === 0 ? Effect.void : sql.unsafe(countersQuery, [
    changes.map(({ licenseId }) => licenseId),
    integers(changes.map(({ devices }) => devices)),
    integers(changes.map(({ activations }) => activations)),
    changes.map(({ at }) => at)
  ])

const deactivateQuery = `
  -- name: devices.update deactivated
  UPDATE devices d SET status = 'deactivated', updated_at = v.at
  FROM unnest($1::text[], $2::timestamptz[]) AS v (id, at) WHERE d.id = v.id`

/** Closes devices, each at the instant of its change. */
export const updateDeactivated = (
  sql: Database,
  devices: ReadonlyArray<Pick<Device, "id" | "updated_at">>
): Effect.Effect<unknown> =>
  devices.length === 0 ? Effect.void : sql.unsafe(deactivateQuery, [
    devices.map(({ id }) => id),
    devices.map(({ updated_at }) => new Date(updated_at))
  ])

/** Until when a device has something for offline use. */
export interface OfflineDevice {
  readonly license_id: string
  readonly device_id: string
  readonly binding_kind: DeviceBindingKind
  /** Whether it has an activation seat. */
  readonly seated: boolean
  readonly until: Date
}

/** The devices of licenses that have something for offline use by the time that is given, else now. */
export const listOfflineDevices = (
  sql: Database,
  licenseIds: ReadonlyArray<string>,
  at?: Date
): Query<OfflineDevice> =>
  sql<OfflineDevice>`
    -- name: devices.list offline
    SELECT * FROM (
      SELECT d.license_id, d.id AS device_id, d.binding_kind, d.status = 'active' AND NOT d.floating AS seated,
        ${sql.literal(offlineUntil("d"))} AS until
      FROM devices d WHERE d.license_id = ANY(${licenseIds}::text[])
        AND (d.envelope_until IS NOT NULL OR EXISTS (SELECT 1 FROM offline_files f WHERE f.device_id = d.id))
    ) o WHERE o.until > coalesce(${at ?? null}::timestamptz, clock_timestamp())`

/** The device whose seat an activation would take. */
export interface SeatWanted {
  readonly licenseId: string
  readonly deviceId: string
}

/** The kind of binding of a device that has an activation seat. */
export interface SeatHolder {
  readonly license_id: string
  readonly binding_kind: DeviceBindingKind
  readonly owner_id: string | null
  /** Until when it has something for offline use; null where it has nothing. */
  readonly offline_until: Date | null
}

/** The wanted seats that their device has already, by the time that is given, else now. */
export const listSeatHolders = (sql: Database, wanted: ReadonlyArray<SeatWanted>, at?: Date): Query<SeatHolder> =>
  sql<SeatHolder>`
    -- name: devices.list seat holders
    SELECT d.license_id, d.binding_kind, ${sql.literal(deviceOwner)} AS owner_id,
      (SELECT u.at FROM (SELECT ${sql.literal(offlineUntil("d"))} AS at) u
        WHERE u.at > coalesce(${at ?? null}::timestamptz, clock_timestamp())) AS offline_until
    FROM unnest(${wanted.map(({ licenseId }) => licenseId)}::text[], ${wanted.map(({ deviceId }) => deviceId)}::text[])
      AS q (license_id, id)
    JOIN devices d ON d.id = q.id AND d.license_id = q.license_id AND d.status = 'active' AND NOT d.floating`
