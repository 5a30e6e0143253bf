import type { Policy } from "../catalog/Policy.ts"
import { decidingRulesOf } from "../explaining/JudgedCall.ts"
import type { DecidingRules } from "../explaining/JudgedCall.ts"
import type { RecordedCalls } from "./DecidedCalls.ts"
import { granted, isOfLease, otherDevices } from "./DecidedCalls.ts"
import type { UnknownReason } from "./PolicyRehearsal.ts"
import { decidedBy, isOfFeature, retire, unseen } from "./RehearsedDecision.ts"
import type { Side } from "./RehearsedDecision.ts"
import { areLeasesTold, RehearsedLeases } from "./RehearsedLeases.ts"
import type { Both } from "./RehearsedLeases.ts"
import { outcomeOfCalls } from "./RehearsedOutcome.ts"
import type { RehearsedOutcome } from "./RehearsedOutcome.ts"
import { changesSeats, placedSteps } from "./RehearsedRecord.ts"
import type { LoggedLicense, LoggedSeat, LoggedStep, Moment, RehearsedRecord } from "./RehearsedRecord.ts"
import { SimulatedSeats } from "./SimulatedSeats.ts"
import { SimulatedUses } from "./SimulatedUses.ts"

/** How the first call of a record was decided. */
interface First {
  readonly after: string | undefined
  readonly version: number
  /** Where the lease of its device lived, and how often one was opened under the changed terms. */
  readonly both: Both
  readonly opened: number
}

/** One license, decided twice: as it was, to see whether the record explains what happened, and under the changed terms. */
export class LicenseRehearsal {
  readonly outcomes: Array<RehearsedOutcome> = []
  readonly #actual: Side
  readonly #changed: Side
  readonly #firsts = new Map<RecordedCalls, First>()
  /** Calls that change seats and are several, between the first and the last. */
  readonly #open = new Map<
    RecordedCalls,
    Omit<First, "opened"> & { readonly moment: Moment; readonly isAlike: boolean }
  >()
  readonly #record: RehearsedRecord
  readonly placed: ReturnType<typeof placedSteps>
  readonly #amend: (policy: Policy) => Policy
  #license: LoggedLicense | undefined
  #policy: Policy | undefined
  /** The rules as they were and as they would be; undefined before both a license and a policy are known. */
  #rules: { readonly actual: DecidingRules; readonly changed: DecidingRules } | undefined
  #steps = 0
  /** Set from the first call on after which nobody knows how the license would stand. */
  #lost: UnknownReason | undefined
  readonly #uses = new SimulatedUses()
  readonly leases: RehearsedLeases

  constructor(record: RehearsedRecord, amend: (policy: Policy) => Policy) {
    this.#record = record
    this.leases = new RehearsedLeases(record)
    this.#actual = { seats: new SimulatedSeats(), leases: this.leases.actual }
    this.#changed = { seats: new SimulatedSeats(), leases: this.leases.changed }
    this.placed = placedSteps(record)
    this.#amend = amend
  }

  step(step: LoggedStep): void {
    this.leases.tick(step.at)
    this.#watch()
    this.#stepLeases(step)
    if (step.policy !== undefined) this.#policy = step.policy
    const isOther = step.license !== undefined && JSON.stringify(step.license) !== JSON.stringify(this.#license)
    if (isOther) this.#put(step.license)
    if (step.policy !== undefined || isOther) this.#ruled()
    if (step.seat !== undefined) this.#seat(step, step.seat)
    this.#watch()
  }

  call(moment: Moment): void {
    const license = this.#license
    const rules = this.#rules
    if (license === undefined || rules === undefined || license.policy_id !== this.#record.policyId) return
    if (isOfLease(moment) && moment.device === otherDevices) return this.#note(moment, moment.result, undefined)
    this.leases.tick(moment.at)
    this.#watch()
    for (const { seats } of [this.#actual, this.#changed]) seats.learn(moment)
    const expected = this.#decide(this.#actual, license, rules.actual, moment)
    const byOthers = this.#decide(this.#changed, license, rules.changed, moment)
    const after = byOthers !== undefined && moment.operation === "consume"
      ? this.#uses.decided(moment, byOthers)
      : byOthers
    const unknown = this.#unknownOf(moment, { expected, byOthers, after, rules: rules.actual })
    const outcome = unknown === undefined ? unseen.has(moment.result) ? moment.result : after : undefined
    this.#note(moment, outcome, unknown)
    this.#uses.settle(moment, outcome)
    this.#settle(moment, outcome, license)
    this.#watch()
  }

  #ruled(): void {
    this.#steps++
    const [license, policy] = [this.#license, this.#policy]
    this.#rules = license && policy && {
      actual: decidingRulesOf({ license, policy }),
      changed: decidingRulesOf({ license, policy: this.#amend(policy) })
    }
  }

  #put(license: LoggedLicense): void {
    if (license.state === "revoked" && this.#license?.state !== "revoked") {
      for (const { leases, seats } of [this.#actual, this.#changed]) {
        seats.freeAll()
        leases.endAll()
      }
    }
    this.#license = license
  }

  #seat(step: LoggedStep, seat: LoggedSeat): void {
    if (this.placed.called.has(step)) return
    const moment: Moment = {
      at: step.at,
      calls: 1,
      device: seat.id,
      operation: seat.isActivation ? "activate" : "deactivate",
      result: granted,
      kind: seat.kind,
      isVm: seat.isVm,
      userId: undefined,
      row: undefined,
      isLast: false
    }
    if (this.placed.repeated.has(step)) this.#repeat(moment)
    else if (seat.isActivation && step.at >= this.#record.from) this.call(moment)
    else if (seat.isActivation) this.#changed.seats.put(seat.id, seat.kind, "active")
    else retire(this.#changed, seat)
    if (seat.isActivation) this.#actual.seats.put(seat.id, seat.kind, "active")
    else retire(this.#actual, seat)
  }

  #stepLeases({ endsLeases, heldLease, isLost, leaseEnd }: LoggedStep): void {
    const { actual, changed } = this.leases
    if (heldLease !== undefined) this.leases.hold(heldLease)
    for (const leases of endsLeases === true || leaseEnd !== undefined ? [actual, changed] : []) {
      if (leaseEnd === undefined) leases.endAll()
      else leases.end(leaseEnd)
    }
    if (isLost === true && this.#areLeasesTold()) this.#lost ??= "not_recorded"
  }

  /** Whether the record tells who holds the floating seats, as it was and under the changed terms. */
  #areLeasesTold(): boolean {
    return this.#rules !== undefined && areLeasesTold(this.#rules.actual) && areLeasesTold(this.#rules.changed)
  }

  /** Decides a call that is counted with others alike, and of which the log has the very instant. */
  #repeat(moment: Moment): void {
    const license = this.#license
    const rules = this.#rules
    if (license === undefined || rules === undefined || license.policy_id !== this.#record.policyId) return
    const after = this.#decide(this.#changed, license, rules.changed, moment)
    if (after === undefined) this.#lost ??= "users"
    if (after === granted) this.#take(this.#changed, moment)
  }

  #take(side: Side, { device, kind, operation, userId }: Moment): void {
    if (operation === "activate") side.seats.activate(device, kind, userId)
    if (operation === "deactivate") retire(side, { id: device, status: "deactivated" })
  }

  /**
   * Calls that change seats, were several and are still to come: the instants of those in the middle are not known, unless the log has
   * them because they changed a seat. Whoever would be refused at first may have been let in since.
   */
  #watch(): void {
    this.leases.settled()
    for (const { after, both, isAlike, moment, version } of this.#open.values()) {
      const { device, userId } = moment
      const [actual, changed] = [this.#actual.seats, this.#changed.seats]
      const isSame = isOfLease(moment)
        ? this.#isCheckoutSteady(moment, after)
        : isAlike
        ? actual.statusOf(device) === changed.statusOf(device) && changed.userOf(device) === userId
        : version === this.#version(moment, both)
      if (!isSame) this.#lost ??= "between"
    }
  }

  /** Whether a checkout would be answered as the first one of its record; one that kept a lease is made only while there is one. */
  #isCheckoutSteady(moment: Moment, after: string | undefined): boolean {
    if (moment.result === granted && !this.leases.actual.isLive(moment.device)) return true
    return this.#decide(this.#changed, this.#license!, this.#rules!.changed, moment) === after
  }

  #decide(side: Side, license: LoggedLicense, rules: DecidingRules, moment: Moment): string | undefined {
    if (isOfLease(moment) && !this.#areLeasesTold()) return undefined
    return decidedBy(side, license, rules, moment)
  }

  /** Why it is not known how a call would be decided; undefined where it is. */
  #unknownOf(
    moment: Moment,
    { after, byOthers, expected, rules }: {
      readonly expected: string | undefined
      /** Under the changed terms, by the rules that are not about the feature, and by all. */
      readonly byOthers: string | undefined
      readonly after: string | undefined
      readonly rules: DecidingRules
    }
  ): UnknownReason | undefined {
    if (this.#lost !== undefined) return this.#lost
    if (moment.device === otherDevices) return "many_devices"
    if (unseen.has(moment.result)) return undefined
    if (isOfLease(moment) && !this.#areLeasesTold()) return "floating_seats"
    if (this.leases.isNearEnd(moment)) return "floating_seats"
    const isExpected = expected === moment.result || (isOfFeature(moment.result) && expected === granted)
    if (!isExpected) {
      const { max_floating_users, max_users } = rules
      return max_floating_users !== undefined ? "floating_seats" : max_users !== undefined ? "users" : "not_reproduced"
    }
    if (byOthers === undefined) return "users"
    return after === undefined ? "usage" : undefined
  }

  #note(moment: Moment, after: string | undefined, unknown: UnknownReason | undefined): void {
    const { device, result } = moment
    const outcome = (calls: number, known: string | undefined, reason: UnknownReason | undefined) => {
      if (calls > 0) this.outcomes.push(outcomeOfCalls({ device, calls, before: result, after: known }, reason))
    }
    outcome(1, after, unknown)
    const { isLast, row } = moment
    if (!isLast || row === undefined) return
    const first = this.#firsts.get(row)
    const isSteady = first !== undefined && this.#isSteady(moment, first, after)
    const reason = unknown ?? (isSteady ? undefined : "between")
    outcome(moment.calls - 1, reason === undefined ? after : undefined, reason)
    const changes = changesSeats(moment) || moment.operation === "checkout" || moment.operation === "checkin"
    if (reason === "between" && changes && moment.calls > 1) this.#lost ??= "between"
  }

  /** Whether the calls between the first and the last of a record are decided as the last one is. */
  #isSteady(moment: Moment, first: First, after: string | undefined): boolean {
    const isKept = first.after === after && first.version === this.#version(moment, first.both)
    if (isKept || after === granted || this.#rules === undefined) return isKept
    const { device } = moment
    return this.leases.isNeverKept(moment, this.#rules.changed) &&
      this.#changed.leases.openedOf(device) === first.opened
  }

  #settle(moment: Moment, outcome: string | undefined, license: LoggedLicense): void {
    const { isLast, operation, result, row } = moment
    if (isOfLease(moment)) this.#settleLease(moment, outcome)
    if (result === granted) this.#take(this.#actual, moment)
    if (outcome === granted) this.#take(this.#changed, moment)
    if (outcome === undefined && changesSeats(moment)) this.#lost ??= "earlier_call"
    // The license would start with another activation, and end at another time.
    if (
      (operation === "activate" || operation === "checkout") && license.awaits_activation === true && outcome !== result
    ) this.#lost ??= "start"
    if (row === undefined || moment.isBetween === true) return
    const both = this.leases.bothOf(moment.device)
    const version = this.#version(moment, both)
    if (isLast) this.#open.delete(row)
    else {
      const opened = this.#changed.leases.openedOf(moment.device)
      this.#firsts.set(row, { after: outcome, version, both, opened })
      const isOpen = operation === "checkout" ? this.leases.isBlurred(row) : row.calls > 2 && changesSeats(moment)
      if (isOpen) {
        this.#open.set(row, {
          moment,
          version,
          both,
          isAlike: result === granted && outcome === granted,
          after: outcome
        })
      }
    }
  }

  #settleLease(moment: Moment, outcome: string | undefined): void {
    const rules = this.#rules
    if (rules === undefined || !this.#areLeasesTold()) return
    if (!this.leases.settleActual(moment)) this.#lost ??= "not_recorded"
    if (outcome === granted && !this.leases.settleChanged(moment, rules)) this.#lost ??= "between"
    if (outcome === undefined) this.#lost ??= "earlier_call"
  }

  /** A number that changes with whatever the decision about a call depends on, but time; `both` is where its lease lived. */
  #version({ device, operation }: Moment, both: Both): number {
    const { leases, seats } = this.#changed
    if (operation === "checkout") return this.#steps
    if (operation === "checkin") return this.#steps + leases.openedOf(device)
    const changes = changesSeats({ operation }) ? seats.changes : seats.changesOf(device)
    return this.#steps + changes + this.leases.differingOf(device, both)
  }
}
