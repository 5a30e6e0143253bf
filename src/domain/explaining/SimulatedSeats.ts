import type { DeviceBindingKind, DeviceStatus } from "../licenses/Device.ts"

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
  #changes = 0

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
