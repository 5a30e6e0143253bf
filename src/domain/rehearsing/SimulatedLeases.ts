import type { LeaseStanding } from "../entitlements/DecisionInput.ts"
import type { DeviceStatus } from "../licenses/Device.ts"

/** Why a simulated lease ended. */
export type LeaseEnding = "expired" | "given_back"

interface Held {
  /** Until when it lives, in Unix milliseconds, that instant included. */
  readonly until: number
  /** Why it ends then. */
  readonly ending: LeaseEnding
  readonly ended: LeaseEnding | undefined
  /** How often the device opened one. */
  readonly opened: number
}

/** The floating seats of a license as decisions leave them, on one side of a rehearsal: each device holds one. */
export class SimulatedLeases {
  readonly #held = new Map<string, Held>()
  readonly #blocked = new Set<string>()
  readonly #changed: (device: string) => void
  #live = 0

  /** `changed` hears of every device whose lease is opened or ends. */
  constructor(changed: (device: string) => void) {
    this.#changed = changed
  }

  /** Ends the leases whose time is over at an instant. */
  tick(at: number): void {
    if (this.#live === 0) return
    for (const [device, held] of this.#held) {
      if (held.ended === undefined && held.until < at) this.#end(device, held, held.ending)
    }
  }

  isLive(device: string): boolean {
    const held = this.#held.get(device)
    return held !== undefined && held.ended === undefined
  }

  /** Until when the lease of a device lives or lived; undefined where it never had one. */
  untilOf(device: string): number | undefined {
    return this.#held.get(device)?.until
  }

  /** Why the lease of a device would end by itself. */
  endingOf(device: string): LeaseEnding {
    return this.#held.get(device)?.ending ?? "expired"
  }

  /** How often a device opened a lease. */
  openedOf(device: string): number {
    return this.#held.get(device)?.opened ?? 0
  }

  /** Counts the live leases, without that of a device. */
  othersOf(device: string): number {
    return this.#live - (this.isLive(device) ? 1 : 0)
  }

  /** How the lease of a device stands, by its newest token. */
  standingOf(device: string): LeaseStanding {
    const held = this.#held.get(device)
    if (held === undefined || held.ended === "given_back") return "unknown"
    return held.ended === undefined ? "live" : "expired"
  }

  /** The status of a device, given that of its own seat: one that is bound for a lease is active as long as that lives. */
  statusOf(device: string, seat: DeviceStatus | undefined): DeviceStatus | undefined {
    if (seat === "blacklisted" || this.#blocked.has(device)) return "blacklisted"
    if (this.isLive(device)) return "active"
    return seat ?? (this.#held.has(device) ? "expired" : undefined)
  }

  /** Opens a lease of a device, or keeps the one that it has. */
  take(device: string, until: number, ending: LeaseEnding = "expired"): void {
    const isKept = this.isLive(device)
    if (!isKept) this.#live++
    const opened = this.openedOf(device) + (isKept ? 0 : 1)
    this.#held.set(device, { until, ending, ended: undefined, opened })
    if (!isKept) this.#changed(device)
  }

  /** Ends the lease of a device before its time. */
  end(device: string): void {
    const held = this.#held.get(device)
    if (held !== undefined && held.ended === undefined) this.#end(device, held, "given_back")
  }

  /** Ends the leases of all devices. */
  endAll(): void {
    for (const device of this.#held.keys()) this.end(device)
  }

  /** Puts a device as an operator leaves it: blocked, or not any more. */
  retire(device: string, status: DeviceStatus): void {
    if (status === "expired" || !this.#held.has(device)) return
    this.end(device)
    if (status === "blacklisted") this.#blocked.add(device)
    else this.#blocked.delete(device)
  }

  /** The devices whose lease ends, or ended by its time, within so many milliseconds of an instant. */
  endingNear(at: number, millis: number): ReadonlyArray<string> {
    return [...this.#held].flatMap(([device, { ended, until }]) =>
      ended !== "given_back" && Math.abs(until - at) < millis ? [device] : []
    )
  }

  #end(device: string, held: Held, ended: LeaseEnding): void {
    this.#held.set(device, { ...held, ended })
    this.#live--
    this.#changed(device)
  }
}
