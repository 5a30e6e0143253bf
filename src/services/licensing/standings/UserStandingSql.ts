import type { LicenseUserStatus } from "../../../domain/licensing/users/LicenseUser.ts"
import type { Database, Query } from "../../ground/persistence/Database.ts"
import { offlineUntil } from "../../ground/persistence/RunningDeviceSql.ts"

/** The user that a call names, on a device of a license. */
export interface NamedUser {
  readonly licenseId: string
  readonly userId: string
  readonly deviceId: string | null
}

/** How a user stands who was named. */
export interface NamedStanding {
  /** The position (from 1) of who was named. */
  readonly question: number
  readonly status: LicenseUserStatus
  readonly has_device: boolean
  readonly other_devices: number
  /** How many other devices the user gave back that have something for offline use. */
  readonly held_devices: number
}

/** How the users stand that calls name; those that the license does not have are left out. */
export const listStandings = (sql: Database, named: ReadonlyArray<NamedUser>): Query<NamedStanding> =>
  sql<NamedStanding>`
    -- name: license_users.list standings
    SELECT q.question::int AS question, u.status, coalesce(h.user_id = u.id, false) AS has_device,
      (SELECT count(*)::int FROM license_user_devices o JOIN devices d ON d.id = o.device_id
        WHERE o.user_id = u.id AND d.status = 'active' AND d.id IS DISTINCT FROM nullif(q.device, '')
          AND (NOT d.floating OR EXISTS (SELECT 1 FROM leases e WHERE e.license_id = d.license_id
            AND e.device_id = d.id AND e.ended_at IS NULL AND e.expires_at > clock_timestamp()))) AS other_devices,
      (SELECT count(*)::int FROM license_user_devices o JOIN devices d ON d.id = o.device_id
        WHERE o.user_id = u.id AND d.status <> 'active' AND d.id IS DISTINCT FROM nullif(q.device, '')
          AND ${sql.literal(offlineUntil("d"))} > clock_timestamp()) AS held_devices
    FROM unnest(${named.map(({ licenseId }) => licenseId)}::text[], ${named.map(({ userId }) => userId)}::text[],
        ${named.map(({ deviceId }) => deviceId ?? "")}::text[]) WITH ORDINALITY AS q (license, id, device, question)
      JOIN license_users u ON u.id = q.id AND u.license_id = q.license
      LEFT JOIN license_user_devices h ON h.device_id = q.device`

/** The user whose device `d` is, in SQL: who activated it last and has a seat; NULL where it is nobody's. */
export const deviceOwner =
  `(SELECT w.id FROM license_user_devices h JOIN license_users w ON w.id = h.user_id AND w.status = 'active'
  WHERE h.device_id = d.id)`

/** A device, and the user who activated it. */
export interface UserDevice {
  readonly deviceId: string
  readonly userId: string
}

/** Writes who activated devices last. Their licenses are locked. */
export const insertUserDevices = (sql: Database, devices: ReadonlyArray<UserDevice>): Query<object> =>
  sql`
    -- name: license_user_devices.insert
    INSERT INTO license_user_devices (device_id, user_id)
    SELECT * FROM unnest(${devices.map(({ deviceId }) => deviceId)}::text[],
      ${devices.map(({ userId }) => userId)}::text[])
    ON CONFLICT (device_id) DO UPDATE SET user_id = excluded.user_id`
