import type { Policy } from "../../catalog/Policy.ts"
import { isSameJson } from "../../ground/wire/CanonicalJson.ts"
import { decidingRulesOf } from "../../licensing/explaining/JudgedCall.ts"
import type { DecidingRules } from "../../licensing/explaining/JudgedCall.ts"
import { granted, isOfLease } from "../recording/DecidedUse.ts"
import type { LoggedLicense, LoggedSeat, LoggedStep, Moment, RehearsedRecord } from "../recording/DecidedUse.ts"
import type { UnknownReason } from "./PolicyRehearsal.ts"
import { PossibleSides } from "./PossibleSides.ts"
import type { Branch } from "./PossibleSides.ts"
import { decidedBy, isInForce, retire } from "./RehearsedDecision.ts"
import type { Side } from "./RehearsedDecision.ts"
import { areLeasesTold, RehearsedLeases } from "./RehearsedLeases.ts"
import { SimulatedLeases } from "./SimulatedLeases.ts"
import { SimulatedSeats } from "./SimulatedSeats.ts"
import { SimulatedUsers } from "./SimulatedUsers.ts"
import type { SignInTerms } from "./SimulatedUsers.ts"

/** A license under the rehearsed policy, and its rules as they were and as they would be. */
export interface RuledLicense {
  readonly license: LoggedLicense
  readonly rules: { readonly actual: DecidingRules; readonly changed: DecidingRules }
}

/** Puts the seats of a device as a call leaves them that is granted. */
const takeSeat = (seats: SimulatedSeats, { device, kind, operation, userId }: Moment): void => {
  if (operation === "activate") seats.activate(device, kind, userId)
  if (operation === "deactivate") seats.retire(device, "deactivated")
}

/** How a license stands at an instant, as it was and under the changed terms. */
export class LicenseSides {
  readonly actual: Side
  readonly changed: PossibleSides
  readonly leases: RehearsedLeases
  readonly users: SimulatedUsers
  readonly #record: RehearsedRecord
  readonly #amend: (policy: Policy) => Policy
  #license: LoggedLicense | undefined
  #policy: Policy | undefined
  #ruled: RuledLicense | undefined
  /** How often the rules or the license changed. */
  steps = 0

  constructor(record: RehearsedRecord, amend: (policy: Policy) => Policy) {
    this.#record = record
    this.#amend = amend
    this.leases = new RehearsedLeases(record)
    this.users = new SimulatedUsers(record.users ?? [], record.from)
    this.actual = { seats: new SimulatedSeats(), leases: this.leases.actual }
    this.changed = new PossibleSides({
      seats: new SimulatedSeats(),
      leases: new SimulatedLeases(),
      changes: { users: this.users, actual: this.actual.seats }
    })
  }

  /** The license with its rules; undefined while it is under another policy, or not yet known. */
  get ruled(): RuledLicense | undefined {
    return this.#ruled
  }

  /** Puts leases and users as they are at an instant; answers whether the ways in which they may stand are not too many. */
  tick(at: number): boolean {
    this.leases.actual.tick(at)
    const isTold = this.changed.tick(at)
    this.users.tick(at, (then) => this.#signInTerms(then), ({ because, id }) => {
      if (because !== "transferred") this.changed.each(({ seats }) => seats.resetOf(id))
    })
    return isTold
  }

  /** Puts the policy, the license and the leases as a step leaves them; answers why nobody knows how the license would stand from now on. */
  step(step: LoggedStep): UnknownReason | undefined {
    const lost = this.#stepLeases(step)
    if (step.policy !== undefined) this.#policy = step.policy
    const isOther = step.license !== undefined && !isSameJson(step.license, this.#license)
    const isMoved = isOther && this.#put(step.license)
    if (step.policy !== undefined || isOther) this.#rule()
    const isUnknown = isMoved && step.at >= this.#record.from && this.#areUsersUnknown(step.at)
    return lost ?? (isUnknown ? "users" : undefined)
  }

  /** Puts a device whose seat was taken; answers whether it is not known if it would have been. */
  retire(at: number, seat: LoggedSeat): boolean {
    const removed = seat.status === "reset" ? this.users.removedAt(at) : []
    const before = this.actual.seats.userOf(seat.id)
    retire(this.actual, seat)
    let isUnknown = false
    this.changed.each((side) => {
      const user = side.seats.userOf(seat.id)
      // Users are removed with their devices, which would be those of others.
      const isOther = removed.length > 0 && before !== user
      if (!isOther) retire(side, seat)
      isUnknown ||= isOther && user === undefined
    })
    return isUnknown
  }

  /** Whether the record tells who holds the floating seats, as it was and under the changed terms. */
  areLeasesTold(): boolean {
    const rules = this.#ruled?.rules
    return rules !== undefined && areLeasesTold(rules.actual) && areLeasesTold(rules.changed)
  }

  /** What people sign in by; undefined where they do not. */
  #signInTerms(at: number): SignInTerms | undefined {
    if (this.#ruled === undefined) return undefined
    const { license, rules: { actual, changed } } = this.#ruled
    if (actual.max_users === undefined && changed.max_users === undefined) return undefined
    const isLonger = actual.grace_period_days < changed.grace_period_days
    return {
      limits: { actual: actual.max_users, changed: changed.max_users },
      isInForce: isInForce(license, changed, at),
      isLonger: isLonger && !isInForce(license, actual, at),
      hasSelfService: actual.self_service === true
    }
  }

  #rule(): void {
    this.steps++
    const [license, policy] = [this.#license, this.#policy]
    this.#ruled = license === undefined || policy === undefined || license.policy_id !== this.#record.policyId
      ? undefined
      : {
        license,
        rules: {
          actual: decidingRulesOf({ license, policy }),
          changed: decidingRulesOf({ license, policy: this.#amend(policy) })
        }
      }
  }

  /** The code of a call as the license was; undefined where nobody knows it. */
  decideActual(moment: Moment): string | undefined {
    return this.#decide(this.actual, this.#ruled!.rules.actual, moment)
  }

  /** The code of a call in one way under the changed terms; undefined where nobody knows it. */
  decideOn(side: Side, moment: Moment): string | undefined {
    return this.#decide(side, this.#ruled!.rules.changed, moment)
  }

  /** The code of a call under the changed terms; undefined where nobody knows it. One that is refused in any way stays as it was refused. */
  decideChanged(moment: Moment): string | undefined {
    const { result } = moment
    const isRefused = (code: string | undefined): boolean => code !== undefined && code !== granted
    return this.changed.alike((side) => this.decideOn(side, moment)) ??
      (isRefused(result) && this.changed.ways.every((side) => isRefused(this.decideOn(side, moment)))
        ? result
        : undefined)
  }

  /** Whether the code of a call is known in each way under the changed terms. */
  isToldInAllWays(moment: Moment): boolean {
    return this.changed.ways.every((side) => this.decideOn(side, moment) !== undefined)
  }

  /** Whether the clock may decide a call either way, in a way or in any. */
  isNearEnd(moment: Moment, ways: ReadonlyArray<Side> = this.changed.ways): boolean {
    return ways.some(({ leases }) => this.leases.isNearEnd(leases, moment))
  }

  /** How a call may leave a way; undefined where it goes by more than is known. */
  branchOn(side: Side, moment: Moment): Branch | undefined {
    const code = this.decideOn(side, moment)
    if (code === undefined) return undefined
    return this.isNearEnd(moment, [side]) ? "either" : code === granted ? "taken" : "kept"
  }

  /** Takes a call as granted, as the license was; false where the leases do not have it. */
  takeActual(moment: Moment): boolean {
    takeSeat(this.actual.seats, moment)
    if (moment.operation === "deactivate") this.actual.leases.retire(moment.device, "deactivated")
    return !isOfLease(moment) || !this.areLeasesTold() || this.leases.settleActual(moment)
  }

  /** Takes a call as granted in a way under the changed terms. */
  take(side: Side, moment: Moment): void {
    takeSeat(side.seats, moment)
    if (moment.operation === "deactivate") side.leases.retire(moment.device, "deactivated")
    if (isOfLease(moment) && this.areLeasesTold()) {
      this.leases.settleChanged(side.leases, moment, this.#ruled!.rules)
    }
  }

  /** Takes a call as granted under the changed terms. */
  takeChanged(moment: Moment): void {
    this.changed.each((side) => this.take(side, moment))
  }

  #decide(side: Side, rules: DecidingRules, moment: Moment): string | undefined {
    if (isOfLease(moment) && !this.areLeasesTold()) return undefined
    return decidedBy(side, this.#ruled!.license, rules, moment)
  }

  /** Puts a license as a step leaves it; answers whether it has moved to another policy. */
  #put(license: LoggedLicense): boolean {
    if (license.state === "revoked" && this.#license?.state !== "revoked") {
      const freeAll = ({ leases, seats }: Side) => {
        seats.freeAll()
        leases.endAll()
      }
      freeAll(this.actual)
      this.changed.each(freeAll)
    }
    const isMoved = this.#license !== undefined && this.#license.policy_id !== license.policy_id
    this.#license = license
    return isMoved
  }

  /** Whether a move to the policy would have taken the seats of other users. */
  #areUsersUnknown(at: number): boolean {
    const terms = this.#signInTerms(at)
    return terms !== undefined && (this.users.isReducedBy(terms, at) || this.users.isBeyond(terms.limits))
  }

  #stepLeases({ endsLeases, heldLease, isLost, leaseEnd }: LoggedStep): UnknownReason | undefined {
    if (heldLease !== undefined) this.leases.hold(heldLease, this.changed)
    const end = ({ leases }: Side) => leaseEnd === undefined ? leases.endAll() : leases.end(leaseEnd)
    if (endsLeases === true || leaseEnd !== undefined) {
      end(this.actual)
      this.changed.each(end)
    }
    return isLost === true && this.areLeasesTold() ? "not_recorded" : undefined
  }
}
