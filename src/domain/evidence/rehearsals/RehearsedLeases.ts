import type { Rules } from "../../catalog/terms/Rules.ts"
import { granted, isOfLease, momentsOf } from "../recording/DecidedUse.ts"
import type { LoggedStep, Moment, RecordedCalls, RecordedLease } from "../recording/DecidedUse.ts"
import type { PossibleSides } from "./PossibleSides.ts"
import type { Side } from "./RehearsedDecision.ts"
import { clockMillis, SimulatedLeases } from "./SimulatedLeases.ts"
import type { LeaseEnding } from "./SimulatedLeases.ts"

/** The rules that floating seats are rehearsed by. */
type LeaseRules = Pick<Rules, "floating_timeout_minutes" | "lease_unit" | "max_users">

/** Whether a lease lives as it was, and under the changed terms; undefined where that is not known. */
export interface Both {
  readonly actual: boolean
  readonly changed: boolean | undefined
}

const minute = 60_000

/** How far the end of a lease may be from the deactivation that ended it. */
const sameCallMillis = 5_000

/** How a license that is suspended or revoked refuses. */
const suspended = "LICENSE_INACTIVE"

/** The results of calls that leases alone decide: where the lease of the device lives, each is granted. */
const ofLeases: ReadonlySet<string> = new Set([
  granted,
  "DEVICE_NOT_ACTIVATED",
  "FLOATING_LIMIT_EXCEEDED",
  "LEASE_EXPIRED",
  "LEASE_NOT_FOUND"
])

/** Whether the record tells who holds the floating seats under these rules: neither processes nor people do. */
export const areLeasesTold = (rules: LeaseRules): boolean =>
  rules.max_users === undefined && rules.lease_unit !== "process"

const endingOf = ({ reason }: RecordedLease): LeaseEnding =>
  reason === null || reason === "expired" ? "expired" : "given_back"

/** Ends of leases that the calls of the record do not tell: those by operators. */
const isByHand = ({ reason }: RecordedLease): boolean =>
  reason !== null && reason !== "expired" && reason !== "checked_in"

/**
 * The floating seats of a license on both sides of a rehearsal. As it was they are read from the leases; under the changed terms a lease
 * that is taken and kept by the same calls for the same time ends when it did, and any other one by its last call and the changed time.
 */
export class RehearsedLeases {
  readonly actual = new SimulatedLeases()
  readonly #leases: ReadonlyMap<string, ReadonlyArray<RecordedLease>>
  /** Recorded calls of which the instants between the first and the last are not known, by device. */
  readonly #blurred: ReadonlyMap<string, ReadonlyArray<RecordedCalls>>
  readonly moments: ReadonlyArray<Moment>
  /** When calls deactivated devices, of each record the first and the last. */
  readonly #deactivated: ReadonlyMap<string, ReadonlyArray<number>>
  readonly #from: number
  readonly #recorded: number

  /** `recorded` is when the calls of leases were recorded first. */
  constructor(
    { calls, from, leases = [], leasesFrom = from }: {
      readonly calls: ReadonlyArray<RecordedCalls>
      readonly from: number
      readonly leases?: ReadonlyArray<RecordedLease> | undefined
      readonly leasesFrom?: number | undefined
    }
  ) {
    this.#leases = Map.groupBy(leases, ({ device }) => device)
    this.#from = from
    this.#recorded = Math.max(from, leasesFrom)
    const blurred: Array<RecordedCalls> = []
    this.moments = calls.filter(isOfLease).flatMap((row) => {
      const between = this.#instantsOf(row)
      if (row.calls > 2 + between.length) blurred.push(row)
      return momentsOf(row, between)
    })
    this.#blurred = Map.groupBy(blurred, ({ device }) => device)
    const deactivated = calls.filter(({ operation, result }) => operation === "deactivate" && result === granted)
    this.#deactivated = new Map(
      [...Map.groupBy(deactivated, ({ device }) => device)].map(([device, rows]) => [
        device,
        rows.flatMap(({ first_at, last_at }) => [first_at.getTime(), last_at.getTime()])
      ])
    )
  }

  /** The instants of calls between the first and the last that opened or gave back a lease. */
  #instantsOf({ calls, device, first_at, last_at, operation, result }: RecordedCalls): ReadonlyArray<number> {
    if (calls <= 2 || result !== granted || operation === "heartbeat") return []
    return (this.#leases.get(device) ?? []).flatMap((lease) => {
      const at = operation === "checkout" ? lease.opened : lease.reason === "checked_in" ? lease.ended : 0
      return first_at.getTime() < at && at < last_at.getTime() ? [at] : []
    }).slice(0, calls - 2)
  }

  /** The steps that leases are: held when their recording began, opened without a recorded call, and ended by hand. */
  steps(): ReadonlyArray<LoggedStep> {
    const opening = new Set(
      this.moments.flatMap(({ at, device, operation }) => operation === "checkout" ? [`${device} ${at}`] : [])
    )
    const steps: Array<LoggedStep> = []
    for (const lease of [...this.#leases.values()].flat()) {
      const { device, ended, opened } = lease
      const isHeld = opened < this.#from
      if (ended < this.#from || (isHeld && ended < this.#recorded)) continue
      const isTold = isHeld || opening.has(`${device} ${opened}`)
      if (isHeld) steps.push({ at: this.#recorded, heldLease: lease })
      if (isTold && isByHand(lease)) steps.push({ at: this.#endOf(lease), leaseEnd: device })
      if (!isTold) steps.push({ at: opened, isLost: true })
    }
    return steps
  }

  /** When a lease ends that is ended by hand. A deactivation is decided while it lives, and both have the same instant. */
  #endOf({ device, ended, reason }: RecordedLease): number {
    const calls = reason === "deactivated" ? this.#deactivated.get(device) ?? [] : []
    const own = calls.filter((at) => Math.abs(at - ended) <= sameCallMillis)
    return own.reduce((last, at) => Math.max(last, at + 0.5), ended)
  }

  /** Puts a lease that was held when the recording began: it lives as it was, until it is kept under the changed terms. */
  hold(lease: RecordedLease, changed: PossibleSides): void {
    const { device, ended } = lease
    const kept = this.moments
      .filter(({ at, operation, result, ...of }) =>
        of.device === device && result === granted && operation !== "checkin" && at <= ended
      )
      .reduce((first, { at }) => Math.min(first, at), ended)
    this.actual.take(device, ended, endingOf(lease))
    changed.each(({ leases }) => leases.take(device, kept, endingOf(lease)))
  }

  /** Notes where leases live, once all ways are as a call or a step leaves them. */
  settled(ways: ReadonlyArray<Side>): void {
    const actual = this.actual.moved()
    for (const { leases } of ways) {
      leases.enter(new Set([...actual, ...leases.moved()]), (device) => this.actual.isLive(device))
    }
  }

  /** How often a device came to be on the other side in a way, while it was as it had been: calls differ then. */
  differingOf(leases: SimulatedLeases, device: string, { actual, changed }: Both): number {
    return [true, false]
      .filter((live) => live !== changed)
      .reduce((sum, live) => sum + leases.enteredOf(device, actual, live), 0)
  }

  /** Whether the clock may decide a call of a way either way: a lease that it depends on ends then, and not at the same time as it did. */
  isNearEnd(leases: SimulatedLeases, { at, device, operation }: Moment): boolean {
    return leases.endingNear(at).some((each) =>
      (operation === "checkout" || each === device) && leases.untilOf(each) !== this.actual.untilOf(each)
    )
  }

  /** Whether there are calls of a record whose instants are not known. */
  isBlurred(row: RecordedCalls): boolean {
    return this.#blurred.get(row.device)?.includes(row) ?? false
  }

  /** Takes what a call was given, as it was; false where the leases do not have it. */
  settleActual({ at, device, operation, result }: Moment): boolean {
    if (result !== granted) return true
    if (operation === "checkin") this.actual.end(device)
    if (operation !== "checkout") return true
    const lease = this.#leases.get(device)?.find(({ opened }) => opened === at)
    if (lease !== undefined) this.actual.take(device, lease.ended, endingOf(lease))
    return lease !== undefined || this.actual.isLive(device)
  }

  /** Takes what a call is given in a way under the changed terms. */
  settleChanged(
    leases: SimulatedLeases,
    moment: Moment,
    rules: { readonly actual: LeaseRules; readonly changed: LeaseRules }
  ): void {
    const { at, device, operation, result } = moment
    if (operation === "checkin") leases.end(device)
    if (operation !== "checkout" && operation !== "heartbeat") return
    const until = this.actual.isLive(device) ? this.actual.untilOf(device) : undefined
    const isSame = rules.actual.floating_timeout_minutes === rules.changed.floating_timeout_minutes
    if (isSame && result === granted && until !== undefined) {
      return leases.take(device, until, this.actual.endingOf(device))
    }
    const period = rules.changed.floating_timeout_minutes * minute
    let [last, latest] = [at, at]
    for (const row of this.#blurred.get(device) ?? []) {
      const [first, end] = [row.first_at.getTime(), row.last_at.getTime()]
      // A license that is suspended refuses on both sides, and its calls keep nothing.
      if (at < first || at >= end || row.operation === "checkin" || row.result === suspended) continue
      // As long as no pause is longer than a lease lasts, every call keeps it.
      const isFrequent = row.longest_pause !== null && row.longest_pause + clockMillis < period
      if (isFrequent && ofLeases.has(row.result)) last = Math.max(last, end)
      // Some of these calls may keep it, and nobody knows which.
      else if (at !== first || !isNeverKept(row, period)) latest = Math.max(latest, end)
    }
    leases.take(device, last + period, "expired", Math.max(last, latest) + period)
  }

  /** Whether the calls between the first and the last are refused as the last one is: the lease ended before each. */
  isNeverKept({ row }: Moment, { floating_timeout_minutes }: LeaseRules): boolean {
    return row !== undefined && isNeverKept(row, floating_timeout_minutes * minute)
  }
}

/** Whether a lease ends between any two heartbeats of a record. */
const isNeverKept = ({ operation, shortest_pause }: RecordedCalls, period: number): boolean =>
  operation === "heartbeat" && shortest_pause !== null && shortest_pause > period + clockMillis
