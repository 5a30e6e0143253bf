import type { SelfService } from "../../../domain/catalog/terms/SelfService.ts"
import { Device, lapsesAfterIntervals } from "../../../domain/licensing/licenses/Device.ts"
import { effectiveHold, effectiveInterval, effectiveOfflineDays } from "../../catalog/terms/TermsSql.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import type { SortedClauses } from "../../ground/persistence/KeysetPagination.ts"
import { offlineUntil } from "../../ground/persistence/RunningDeviceSql.ts"
import { recordRows } from "../../ground/records/RecordCells.ts"

/** The columns of `devices` that appear on the wire. */
export const deviceColumns = `
  id, license_id, binding_kind, binding_key, fingerprint, name, hostname, os, app_version, app_version_since, ip_address, is_vm, is_container, container_id,
  cluster_id, namespace, pod_name, status, first_seen_at, last_seen_at, last_validated_at, metadata, created_at,
  updated_at, CASE WHEN components IS NOT NULL
    THEN ARRAY(SELECT k FROM jsonb_object_keys(components) k ORDER BY k COLLATE "C") END AS components,
  components_changed_at`

/**
 * The instant until which the seat of a device stays taken, whether the device gave it back or would now, in SQL; NULL where it does not: where the terms
 * do not say so, or the device has nothing for offline use.
 */
export const seatHeldUntil = (device: "d" | "devices"): string =>
  `(SELECT u.at FROM licenses l JOIN policies p ON p.id = l.policy_id CROSS JOIN LATERAL (SELECT ${
    offlineUntil(device)
  } AS at) u WHERE l.id = ${device}.license_id AND ${effectiveHold} AND u.at > clock_timestamp())`

/** The columns of a device as it is answered. Its events do not have the last one: what it has for offline use changes without them. */
const answeredColumns = `${deviceColumns}, ${seatHeldUntil("devices")} AS seat_held_until`

/** Rows of {@link answeredColumns}. */
export const deviceRows = recordRows(Device)

/** How long a container may go without validating, in SQL; `l` is its license, `p` the policy. */
export const intervalsAway = `${lapsesAfterIntervals} * ${effectiveInterval} * interval '1 minute'`

/**
 * How long a container may be unseen before its seat is freed, in SQL: as long as it may go without validating, or,
 * once it went offline, as long as its offline time may last. `device` is the name of its row, `l` its license, `p` the policy.
 */
export const idleAfter = (device: "d" | "devices"): string =>
  `greatest(${intervalsAway},
    CASE WHEN ${device}.offline_counter > 0 THEN ${effectiveOfflineDays} * interval '24 hours' END)`

/** The condition of devices whose name, hostname, pod or fingerprint contains a text. */
export const devicesWith = (sql: Database, text: string) =>
  sql`(strpos(lower(concat_ws(' ', name, hostname, pod_name, fingerprint)), lower(${text})) > 0)`

/** A page of the devices of a license. */
export const listDevices = (
  sql: Database,
  { asRecords, limit, orderBy, place, where }: SortedClauses
): Query<object> =>
  sql`
    -- name: devices.list
    ${
    asRecords(
      deviceRows,
      sql`SELECT ${sql.literal(answeredColumns)} ${place} FROM devices ${where} ${orderBy} ${limit}`
    )
  }`

/** A device of a license. */
export const findDevice = (sql: Database, licenseId: string, id: string): Query<object> =>
  sql`
    -- name: devices.find
    SELECT ${sql.literal(answeredColumns)} FROM devices WHERE license_id = ${licenseId} AND id = ${id}`

/** How a device is retired by a person or by time. */
export type Retired = "reset" | "blacklisted" | "expired"

/** Retires devices of a locked license; returns them as they are left. */
export const updateRetired = (
  sql: Database,
  licenseId: string,
  ids: ReadonlyArray<string>,
  status: Retired
): Query<object> =>
  sql`
    -- name: devices.update retired
    UPDATE devices SET status = ${status}, updated_at = now()
    WHERE license_id = ${licenseId} AND id = ANY(${ids}::text[]) RETURNING ${sql.literal(deviceColumns)}`

/** Frees the seat that a device of a locked license holds by its envelopes and files, which it may still run on. */
export const updateSeatFreed = (sql: Database, deviceId: string): Query<object> =>
  sql`
    -- name: devices.update seat freed
    WITH files AS (
      UPDATE offline_files SET seat_held_until = clock_timestamp()
      WHERE device_id = ${deviceId} AND revoked_at IS NOT NULL AND seat_held_until > clock_timestamp() RETURNING id)
    UPDATE devices SET envelope_until = NULL WHERE id = ${deviceId} RETURNING id`

/** Resets every active device of a locked license; returns them as they are left. */
export const updateAllReset = (sql: Database, licenseId: string): Query<object> =>
  sql`
    -- name: devices.update all reset
    UPDATE devices SET status = 'reset', updated_at = now()
    WHERE license_id = ${licenseId} AND status = 'active' RETURNING ${sql.literal(deviceColumns)}`

/**
 * Frees the seats of idle containers of a locked license: without a live lease, and not seen for as long as its terms
 * allow, on the database's clock. At most `most`, none of those in `except`; returns them as they are left.
 */
export const updateIdle = (
  sql: Database,
  licenseId: string,
  { except, most }: { readonly except: ReadonlyArray<string>; readonly most: number }
): Query<object> =>
  sql`
    -- name: devices.update idle
    UPDATE devices SET status = 'expired', updated_at = now()
    WHERE license_id = ${licenseId} AND id = ANY(ARRAY(
      SELECT id FROM devices WHERE license_id = ${licenseId} AND binding_kind = 'container' AND status = 'active'
        AND NOT floating AND id <> ALL(${except}::text[])
        AND last_seen_at < clock_timestamp() - (SELECT ${sql.literal(idleAfter("devices"))}
          FROM licenses l JOIN policies p ON p.id = l.policy_id WHERE l.id = devices.license_id)
        AND NOT EXISTS (SELECT 1 FROM leases e WHERE e.license_id = ${licenseId} AND e.device_id = devices.id
          AND e.ended_at IS NULL AND e.expires_at > clock_timestamp())
      ORDER BY id LIMIT ${most})) RETURNING ${sql.literal(deviceColumns)}`

/** Counts the seats that a locked license has in use. */
export const updateDeviceCount = (sql: Database, licenseId: string): Query<object> =>
  sql`
    -- name: licenses.update device count
    UPDATE licenses SET updated_at = now(), active_device_count =
      (SELECT count(*) FROM devices WHERE license_id = ${licenseId} AND status = 'active' AND NOT floating)
    WHERE id = ${licenseId}`

/** Counts a reset by whoever has the license key, in its period. */
export const updateSelfService = (
  sql: Database,
  licenseId: string,
  { periodStart, used }: Pick<SelfService, "periodStart" | "used">
): Query<object> =>
  sql`
    -- name: licenses.update self service
    UPDATE licenses SET self_service_start = ${new Date(periodStart).toISOString()}::text::timestamptz,
      self_service_resets = ${used}
    WHERE id = ${licenseId}`

/** Takes the names, hostnames and IP addresses of the devices of a license away. */
export const updateUnnamed = (sql: Database, licenseId: string): Query<object> =>
  sql`
    -- name: devices.update unnamed
    UPDATE devices SET name = NULL, hostname = NULL, ip_address = NULL, updated_at = now()
    WHERE license_id = ${licenseId} AND num_nonnulls(name, hostname, ip_address) > 0`

/** Names a device of a locked license, or takes its name away; answers it as it is left. */
export const updateDeviceName = (sql: Database, licenseId: string, id: string, name: string | null): Query<object> =>
  sql`
    -- name: devices.update name
    UPDATE devices SET name = ${name}, updated_at = now()
    WHERE license_id = ${licenseId} AND id = ${id} RETURNING ${sql.literal(deviceColumns)}`
