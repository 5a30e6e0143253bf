import type { LeaseStanding } from "../../licensing/entitlements/DecisionInput.ts"
import type { DeviceStatus } from "../../licensing/licenses/Device.ts"

/** Why a simulated lease ended. */
export type LeaseEnding = "expired" | "given_back"

/** How far the clock that judged a lease may be from the one that the record has, in milliseconds. */
export const clockMillis = 2_000

interface Held {
  /** Until when it lives, in Unix milliseconds, that instant included. */
  readonly until: number
  /** Until when it may live, where that is not known. */
  readonly latest: number
  /** Why it ends then. */
  readonly ending: LeaseEnding
  readonly ended: LeaseEnding | undefined
  /** How often the device opened one. */
  readonly opened: number
}

/** A name of a lease that lives or not, as it was and under the changed terms. */
const pairName = (device: string, isActual: boolean, isChanged: boolean): string => `${device} ${isActual} ${isChanged}`

/** The floating seats of a license as decisions leave them, on one side of a rehearsal: each device holds one. */
export class SimulatedLeases {
  readonly #held = new Map<string, Held>()
  readonly #blocked = new Set<string>()
  /** Devices whose lease was opened or ended since this was asked. */
  readonly #moved = new Set<string>()
  /** How often the lease of a device came to live on these sides. */
  readonly #entered = new Map<string, number>()
  #live = 0
  #now = -Infinity

  /** The same leases, which change by themselves from now on. */
  copy(): SimulatedLeases {
    const copy = new SimulatedLeases()
    for (const [device, held] of this.#held) copy.#held.set(device, held)
    for (const device of this.#blocked) copy.#blocked.add(device)
    for (const device of this.#moved) copy.#moved.add(device)
    for (const [name, times] of this.#entered) copy.#entered.set(name, times)
    copy.#live = this.#live
    copy.#now = this.#now
    return copy
  }

  /** A text that is the same of leases that stand alike: of one that is over only how it ended counts, once no clock judges its end. */
  get name(): string {
    const leases = [...this.#held].map(([device, { ended, ending, latest, until }]) => {
      const isNear = ended === "expired" && until > this.#now - clockMillis
      return `${device} ${ended === undefined ? `${ending} ${until} ${latest}` : isNear ? `${ended} ${until}` : ended}`
    })
    return [...leases.toSorted(), "", ...[...this.#blocked].toSorted()].join("\n")
  }

  /** Takes over how often something changed in leases that stand alike and came there otherwise. */
  absorb(other: SimulatedLeases): void {
    for (const [device, { opened }] of other.#held) {
      const held = this.#held.get(device)
      if (held !== undefined && held.opened < opened) this.#held.set(device, { ...held, opened })
    }
    for (const device of other.#moved) this.#moved.add(device)
    for (const [name, times] of other.#entered) this.#entered.set(name, Math.max(times, this.#entered.get(name) ?? 0))
  }

  /** The devices whose lease was opened or ended since this was asked last. */
  moved(): ReadonlyArray<string> {
    const moved = [...this.#moved]
    this.#moved.clear()
    return moved
  }

  /** Notes where leases of devices live, given whether they live as it was. */
  enter(devices: Iterable<string>, isActual: (device: string) => boolean): void {
    for (const device of devices) {
      const name = pairName(device, isActual(device), this.isLive(device))
      this.#entered.set(name, (this.#entered.get(name) ?? 0) + 1)
    }
  }

  /** How often the lease of a device came to live, or to live no more, while it was as it had been on the other side. */
  enteredOf(device: string, isActual: boolean, isChanged: boolean): number {
    return this.#entered.get(pairName(device, isActual, isChanged)) ?? 0
  }

  /** Ends the leases whose time is over at an instant. */
  tick(at: number): void {
    this.#now = at
    if (this.#live === 0) return
    for (const [device, held] of this.#held) {
      if (held.ended === undefined && held.latest < at) this.#end(device, held, held.ending)
    }
  }

  /** The devices of whose lease nobody knows whether it still lives at an instant. */
  doubtfulAt(at: number): ReadonlyArray<string> {
    return [...this.#held].flatMap(([device, { ended, until }]) => ended === undefined && until < at ? [device] : [])
  }

  /** Ends the lease of a device by its time. */
  expire(device: string): void {
    const held = this.#held.get(device)
    if (held !== undefined && held.ended === undefined) this.#end(device, held, held.ending)
  }

  /** Has all leases that live at an instant live until then. */
  liveUntil(at: number): void {
    for (const device of this.doubtfulAt(at)) this.#held.set(device, { ...this.#held.get(device)!, until: at })
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

  /** Opens a lease of a device, or keeps the one that it has; `latest` is until when it may live, where that is not known. */
  take(device: string, until: number, ending: LeaseEnding = "expired", latest: number = until): void {
    const isKept = this.isLive(device)
    if (!isKept) this.#live++
    const opened = this.openedOf(device) + (isKept ? 0 : 1)
    this.#held.set(device, { until, latest, ending, ended: undefined, opened })
    if (!isKept) this.#moved.add(device)
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

  /** The devices whose lease ends, or ended by its time, so close to an instant that the clock may decide it. */
  endingNear(at: number): ReadonlyArray<string> {
    return [...this.#held].flatMap(([device, { ended, latest, until }]) =>
      ended !== "given_back" && (Math.abs(until - at) < clockMillis || Math.abs(latest - at) < clockMillis)
        ? [device]
        : []
    )
  }

  #end(device: string, held: Held, ended: LeaseEnding): void {
    this.#held.set(device, { ...held, ended })
    this.#live--
    this.#moved.add(device)
  }
}
