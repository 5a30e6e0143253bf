import { Effect } from "effect"
import type { HeldSeat } from "../../../domain/licensing/entitlements/Activation.ts"
import type { LicenseStanding } from "../../../domain/licensing/explaining/JudgedCall.ts"
import type { Device } from "../../../domain/licensing/licenses/Device.ts"
import type { Rules } from "../../../domain/catalog/terms/Rules.ts"
import type { StoredStanding } from "../../../domain/licensing/users/UserStanding.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import { findLastUserEvent, listDeviceUsersAt, listOfflineAt } from "./LicenseHistorySql.ts"

/** The devices of a license at an instant, by their ids: whose they were, where its rules had users, and until when their seats stayed taken, where they said so. */
export interface DevicesThen {
  readonly owners: ReadonlyMap<string, string>
  readonly offline: ReadonlyMap<string, number>
}

/** The standing of a license in the past, and how its users stood then; undefined of who was none. */
export interface LicensePast extends LicenseStanding {
  readonly userThen: (userId: string) => Effect.Effect<StoredStanding | undefined>
}

/** The seats that devices gave back and that stay taken by what they have for offline use. */
export const heldAt = (
  devices: ReadonlyArray<Device>,
  { offline }: Pick<DevicesThen, "offline">
): ReadonlyArray<HeldSeat> =>
  devices.flatMap(({ binding_kind: kind, id: deviceId, status }) => {
    const until = offline.get(deviceId)
    return until === undefined || status === "active" ? [] : [{ deviceId, kind, until }]
  })

/** The devices in use at an instant: those with a seat or a lease, and those whose seat stayed taken. */
interface InUse extends DevicesThen {
  readonly devices: ReadonlyArray<Device>
  readonly leased: ReadonlySet<string>
}

/** How many other devices a user had in use. */
const usedBy = (userId: string, deviceId: string | undefined, { devices, leased, offline, owners }: InUse): number => {
  const seated = new Set(devices.filter(({ status }) => status === "active").map(({ id }) => id))
  return [...owners].filter(([id, owner]) =>
    owner === userId && id !== deviceId && (seated.has(id) || leased.has(id) || offline.has(id))
  ).length
}

/** Makes what reads from the log whose the devices of licenses were, and how their users stood. */
export const makeDevicesThen = (sql: Database) => {
  const statusOf = (licenseId: string, userId: string, at: Date) =>
    Effect.map(findLastUserEvent(sql, { licenseId, userId, at }), ([row]) => row?.status)

  const read = Effect.fnUntraced(function*({ hold_offline_seats, max_users }: Rules, licenseId: string, at: Date) {
    const owned = max_users === undefined ? [] : yield* listDeviceUsersAt(sql, licenseId, at)
    const held = hold_offline_seats === true ? yield* listOfflineAt(sql, licenseId, at) : []
    return {
      owners: new Map(owned.map(({ device_id, user_id }) => [device_id, user_id])),
      offline: new Map(held.map(({ device_id, until }) => [device_id, until.getTime()]))
    } satisfies DevicesThen
  })

  const userThen = (
    { at, deviceId, licenseId, ...inUse }: InUse & {
      readonly licenseId: string
      readonly at: Date
      readonly deviceId: string | undefined
    }
  ): LicensePast["userThen"] =>
  (userId) =>
    Effect.map(statusOf(licenseId, userId, at), (status) =>
      status && {
        status,
        hasDevice: deviceId !== undefined && inUse.owners.get(deviceId) === userId,
        otherDevices: usedBy(userId, deviceId, inUse)
      })

  return { read, statusOf, userThen }
}
