import type { Rules } from "../../catalog/terms/Rules.ts"
import type { DeviceBindingKind, DeviceStatus } from "../../licensing/licenses/Device.ts"
import { unknownUser } from "../../licensing/users/UserStanding.ts"
import type { UserStanding } from "../../licensing/users/UserStanding.ts"
import { granted, several } from "../recording/DecidedUse.ts"
import type { Moment } from "../recording/DecidedUse.ts"

interface Seat {
  readonly kind: DeviceBindingKind
  readonly status: DeviceStatus
  /** How often it changed. */
  readonly changes: number
}

/** The devices of a license as decisions leave them, on one side of a rehearsal: as it was, or under the changed terms. */
export class SimulatedSeats {
  readonly #seats = new Map<string, Seat>()
  readonly #active: Record<DeviceBindingKind, number> = { hardware: 0, container: 0 }
  /** Who activated a device last, as far as that is known. */
  readonly #users = new Map<string, string>()
  #changes = 0

  /** The same seats, which change by themselves from now on. */
  copy(): SimulatedSeats {
    const copy = new SimulatedSeats()
    for (const [device, seat] of this.#seats) copy.#seats.set(device, seat)
    for (const [device, user] of this.#users) copy.#users.set(device, user)
    Object.assign(copy.#active, this.#active)
    copy.#changes = this.#changes
    return copy
  }

  /** Takes over how often something changed in seats that stand alike and came there otherwise. */
  absorb(other: SimulatedSeats): void {
    for (const [device, { changes }] of other.#seats) {
      const seat = this.#seats.get(device)
      if (seat !== undefined && seat.changes < changes) this.#seats.set(device, { ...seat, changes })
    }
    this.#changes = Math.max(this.#changes, other.#changes)
  }

  /** A text that is the same of seats that stand alike. */
  get name(): string {
    const devices = [...this.#seats].map(([device, { kind, status }]) => `${device} ${kind} ${status}`)
    const users = [...this.#users].map(([device, user]) => `${device} ${user}`)
    return [...devices.toSorted(), "", ...users.toSorted()].join("\n")
  }

  /** How often any seat changed. */
  get changes(): number {
    return this.#changes
  }

  /** The status of a device; undefined where the license never had it. */
  statusOf(device: string): DeviceStatus | undefined {
    return this.#seats.get(device)?.status
  }

  /** How often a device changed. */
  changesOf(device: string): number {
    return this.#seats.get(device)?.changes ?? 0
  }

  /** Counts the active devices of a kind, without one. */
  othersOf(device: string, kind: DeviceBindingKind): number {
    const own = this.#seats.get(device)
    return this.#active[kind] - (own?.kind === kind && own.status === "active" ? 1 : 0)
  }

  /** Puts a device as a decision leaves it. */
  put(device: string, kind: DeviceBindingKind, status: DeviceStatus): void {
    const before = this.#seats.get(device)
    if (before?.status === status) return
    if (before?.status === "active") this.#active[before.kind]--
    if (status === "active") this.#active[kind]++
    this.#seats.set(device, { kind, status, changes: (before?.changes ?? 0) + 1 })
    this.#changes++
  }

  /** Puts a device as its activation leaves it, by the user who is signed in. */
  activate(device: string, kind: DeviceBindingKind, userId: string | undefined): void {
    const before = this.#users.get(device)
    if (userId === undefined || userId === several) this.#users.delete(device)
    else this.#users.set(device, userId)
    const seat = this.#seats.get(device)
    if (seat?.status !== "active") return this.put(device, kind, "active")
    if (before === this.#users.get(device)) return
    this.#seats.set(device, { ...seat, changes: seat.changes + 1 })
    this.#changes++
  }

  /** The user who activated a device last; undefined where nobody did, or that is not known. */
  userOf(device: string): string | undefined {
    return this.#users.get(device)
  }

  /** Takes the seats of the devices that a user activated last, as the removal of the user does. */
  resetOf(userId: string): void {
    for (const [device, user] of this.#users) {
      if (user === userId && this.statusOf(device) === "active") this.retire(device, "reset")
    }
  }

  /** Learns whose a device is that was activated before anything is known, from a call that was granted. */
  learn({ device, operation, result, userId }: Moment): void {
    const isTold = result === granted && operation !== "deactivate" && operation !== "activate"
    if (isTold && userId !== undefined && userId !== several && !this.#users.has(device)) {
      this.#users.set(device, userId)
    }
  }

  /**
   * How the user of a call stands, where the terms have users; `unknown` where the calls are of several, or it depends on devices of unknown
   * users. `isOther` says that another user had the device as it was, and so nobody knows whose it is.
   */
  standingOf(
    { device, operation, userId }: Moment,
    { max_devices_per_user, max_floating_users, max_users }: Rules,
    isOther: boolean
  ): UserStanding | "unknown" | undefined {
    if (max_users === undefined) return undefined
    if (userId === several) return "unknown"
    if (userId === undefined) return unknownUser(undefined)
    const others = [...this.#seats].filter(([id, { status }]) => id !== device && status === "active")
    const known = others.filter(([id]) => this.#users.get(id) === userId).length
    const unknown = max_floating_users === undefined ? others.filter(([id]) => !this.#users.has(id)).length : Infinity
    const limit = operation === "activate" ? max_devices_per_user : undefined
    if (limit !== undefined && known < limit && known + unknown >= limit) return "unknown"
    const user = this.#users.get(device)
    if (user === undefined && isOther && this.statusOf(device) === "active") return "unknown"
    return { id: userId, problem: undefined, hasDevice: user === undefined || user === userId, otherDevices: known }
  }

  /** Takes the seat of a device that has one, or changes one that is known for another reason than its own call. */
  retire(device: string, status: DeviceStatus): void {
    const before = this.#seats.get(device)
    if (before === undefined) return
    const isLost = status === "deactivated" || status === "expired"
    if (!isLost || before.status === "active") this.put(device, before.kind, status)
  }

  /** Frees the seat of every device, as a revocation does. */
  freeAll(): void {
    for (const [device, { kind, status }] of this.#seats) {
      if (status === "active") this.put(device, kind, "deactivated")
    }
  }
}
