import { Effect } from "effect"
import type { SeatOffered } from "../../domain/entitlements/Activation.ts"
import type { Device, DeviceBindingKind } from "../../domain/licenses/Device.ts"
import type { License } from "../../domain/licenses/License.ts"
import type { Started } from "../../domain/licenses/LicenseIssue.ts"
import type { Database, Query } from "../persistence/Database.ts"
import { integers } from "../persistence/NumberArrays.ts"
import { readSelfService } from "../terms/SelfServiceTerms.ts"

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
const countSeatsQuery = `
  -- name: licenses.update seat counters
  UPDATE licenses l SET active_device_count = l.active_device_count + v.devices,
    times_activated = l.times_activated + v.activations, updated_at = v.at
  FROM unnest($1::text[], $2::int[], $3::int[], $4::timestamptz[]) AS v (id, devices, activations, at)
  WHERE l.id = v.id`

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

/** The device whose seat an activation would take. */
export interface SeatWanted {
  readonly licenseId: string
  readonly deviceId: string
}

/** Reads {@link SeatOffered}, by license: of each license one seat is wanted, now or at an instant. */
export const readSeatsOffered = (
  sql: Database,
  wanted: ReadonlyArray<SeatWanted>,
  at?: Date
): Effect.Effect<ReadonlyMap<string, SeatOffered>> => {
  const licenseIds = wanted.map(({ licenseId }) => licenseId)
  return Effect.map(
    Effect.all([
      readSelfService(sql, licenseIds, at),
      sql<{ readonly license_id: string; readonly binding_kind: DeviceBindingKind }>`
        -- name: devices.list seat holders
        SELECT d.license_id, d.binding_kind
        FROM unnest(${licenseIds}::text[], ${wanted.map(({ deviceId }) => deviceId)}::text[]) AS q (license_id, id)
        JOIN devices d ON d.id = q.id AND d.license_id = q.license_id AND d.status = 'active' AND NOT d.floating`
    ]),
    ([terms, holders]) => {
      const kinds = new Map(holders.map(({ binding_kind, license_id }) => [license_id, binding_kind]))
      return new Map([...terms].map(([id, selfService]) => [id, { selfService, kind: kinds.get(id) }]))
    }
  )
}

/** By how much the counters of a license change. */
interface SeatChange {
  readonly devices: number
  readonly activations: number
}

/** The counters of licenses, as decisions change them one after the other. */
export class SeatCounts {
  readonly #licenses: Map<string, License>
  readonly #changes = new Map<string, SeatChange>()

  constructor(licenses: ReadonlyMap<string, License>) {
    this.#licenses = new Map(licenses)
  }

  /** The license as the decisions so far leave it. */
  of(licenseId: string): License {
    return this.#licenses.get(licenseId)!
  }

  /** Changes the counters; answers the license after that. */
  change(licenseId: string, { activations, devices }: SeatChange, at: Date): License {
    const before = this.of(licenseId)
    const sum = this.#changes.get(licenseId) ?? { devices: 0, activations: 0 }
    this.#changes.set(licenseId, { devices: sum.devices + devices, activations: sum.activations + activations })
    const after = {
      ...before,
      active_device_count: before.active_device_count + devices,
      times_activated: before.times_activated + activations,
      updated_at: at.toISOString()
    }
    this.#licenses.set(licenseId, after)
    return after
  }

  /** Notes a seat that another statement frees, so that later events show it. */
  freed(licenseId: string): void {
    const before = this.of(licenseId)
    this.#licenses.set(licenseId, { ...before, active_device_count: before.active_device_count - 1 })
  }

  /** Notes what else a call has changed of a license, so that later events show it. */
  amend(licenseId: string, started: Started): void {
    const { activate_before: _until, awaits_activation: _awaits, expires_at: _end, ...before } = this.of(licenseId)
    const { expires_at, maintenance_expires_at, starts_at } = started
    this.#licenses.set(licenseId, {
      ...before,
      starts_at,
      ...(expires_at === null ? {} : { expires_at }),
      ...(maintenance_expires_at === null ? {} : { maintenance_expires_at }),
      entitlement_version: before.entitlement_version + 1
    })
  }

  /** Writes the changes. The licenses are locked. */
  written(sql: Database): Effect.Effect<void> {
    const changes = [...this.#changes]
    return changes.length === 0 ? Effect.void : Effect.asVoid(sql.unsafe(countSeatsQuery, [
      changes.map(([id]) => id),
      integers(changes.map(([, { devices }]) => devices)),
      integers(changes.map(([, { activations }]) => activations)),
      changes.map(([id]) => new Date(this.of(id).updated_at))
    ]))
  }
}
