import { Effect } from "effect"
import type { Snapshot } from "../../../domain/licensing/entitlements/Snapshot.ts"
import type { NewEvent } from "../../log/Events.ts"
import { licenseActor } from "../../log/Provenance.ts"
import type { Origin } from "../../log/Provenance.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import { insertUserDevices } from "./UserStandingSql.ts"

/** The devices that users take in one round of decisions, which the snapshots of that round cannot know of each other. */
export class UserSeats {
  readonly #taken = new Map<string, string>()
  readonly #more = new Map<string, number>()
  readonly #changes: Array<NewEvent> = []

  /** The events of devices that are another user's than before, or somebody's for the first time. */
  get events(): ReadonlyArray<NewEvent> {
    return this.#changes
  }

  /** A snapshot whose user has the devices that were taken before it in this round. */
  counted<Found extends Snapshot>(snapshot: Found): Found {
    const { user } = snapshot
    const more = user?.id === undefined ? undefined : this.#more.get(user.id)
    return user === undefined || more === undefined
      ? snapshot
      : { ...snapshot, user: { ...user, otherDevices: user.otherDevices + more } }
  }

  /** Notes the device that a call was granted, and whence the call came. */
  taken({ device_status, license_id, user }: Snapshot, deviceId: string, origin: Origin): void {
    if (user?.id === undefined) return
    this.#taken.set(deviceId, user.id)
    if (!user.hasDevice) {
      this.#changes.push({
        type: "license.user_device_changed",
        resourceId: license_id,
        data: { license_id, user_id: user.id, device_id: deviceId },
        metadata: { user_id: user.id, device_id: deviceId },
        actor: licenseActor(license_id),
        origin
      })
    }
    if (!user.hasDevice || device_status !== "active") this.#more.set(user.id, (this.#more.get(user.id) ?? 0) + 1)
  }

  /** Writes who activated the devices of the round, after the devices themselves. */
  written(sql: Database): Effect.Effect<void> {
    return this.#taken.size === 0
      ? Effect.void
      : Effect.asVoid(
        insertUserDevices(sql, [...this.#taken].map(([deviceId, userId]) => ({ deviceId, userId })))
      )
  }
}
