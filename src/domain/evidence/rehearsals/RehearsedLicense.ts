import type { Policy } from "../../catalog/Policy.ts"
import type { DecidingRules } from "../../licensing/explaining/JudgedCall.ts"
import {
  changesSeats,
  granted,
  isOfLease,
  momentOf,
  otherDevices,
  placedSteps,
  several
} from "../recording/DecidedUse.ts"
import type { LoggedSeat, LoggedStep, Moment, RecordedCalls, RehearsedRecord } from "../recording/DecidedUse.ts"
import { LicenseSides } from "./LicenseSides.ts"
import type { RuledLicense } from "./LicenseSides.ts"
import type { UnknownReason } from "./PolicyRehearsal.ts"
import { isSameVersion } from "./PossibleSides.ts"
import type { Branch, Version } from "./PossibleSides.ts"
import { isOfFeature, outcomeOfCalls, retire, unseen } from "./RehearsedDecision.ts"
import type { RehearsedOutcome, Side } from "./RehearsedDecision.ts"
import type { Both } from "./RehearsedLeases.ts"
import { RehearsedUses } from "./RehearsedUses.ts"

/** How the first call of a record was decided. */
interface First {
  readonly after: string | undefined
  readonly version: Version
  /** Where the lease of its device lived, and how often one was opened under the changed terms. */
  readonly both: Both
  readonly opened: number | undefined
}

/** One license, decided twice: as it was, to see whether the record explains what happened, and under the changed terms. */
class LicenseRehearsal {
  readonly outcomes: Array<RehearsedOutcome> = []
  readonly #sides: LicenseSides
  readonly #firsts = new Map<RecordedCalls, First>()
  /** Calls that change seats and are several, between the first and the last. */
  readonly #open = new Map<
    RecordedCalls,
    Omit<First, "opened"> & { readonly moment: Moment; readonly isAlike: boolean }
  >()
  readonly #record: RehearsedRecord
  readonly placed: ReturnType<typeof placedSteps>
  #at = 0
  /** Set from the first call on after which nobody knows how the license would stand. */
  #lost: UnknownReason | undefined
  readonly uses: RehearsedUses

  constructor(record: RehearsedRecord, amend: (policy: Policy) => Policy) {
    this.#record = record
    this.#sides = new LicenseSides(record, amend)
    this.placed = placedSteps(record)
    this.uses = new RehearsedUses(record.quotas ?? [])
  }

  get leases(): LicenseSides["leases"] {
    return this.#sides.leases
  }

  step(step: LoggedStep): void {
    this.#tick(step.at)
    const lost = this.#sides.step(step)
    if (lost !== undefined) this.#lost ??= lost
    if (step.seat !== undefined) this.#seat(step, step.seat)
    this.#watch()
  }

  call(moment: Moment): void {
    this.#tick(moment.at)
    const { actual, changed, ruled } = this.#sides
    if (ruled === undefined) return this.#pass(moment)
    if (isOfLease(moment) && moment.device === otherDevices) return this.#note(moment, moment.result, undefined)
    if (actual.seats.userOf(moment.device) === undefined) {
      actual.seats.learn(moment)
      changed.each(({ seats }) => seats.learn(moment))
    }
    const { rules } = ruled
    const expected = this.#sides.decideActual(moment)
    const byOthers = this.#sides.decideChanged(moment)
    const after = byOthers !== undefined && moment.operation === "consume"
      ? this.uses.decided(moment, byOthers)
      : byOthers
    const unknown = this.#unknownOf(moment, { expected, byOthers, after, rules: rules.actual })
    const outcome = unknown === undefined ? unseen.has(moment.result) ? moment.result : after : undefined
    this.#note(moment, outcome, unknown)
    this.uses.settle(moment, outcome, unknown === "usage")
    const isFollowed = unknown === "users" || unknown === "earlier_call" ||
      (unknown === "floating_seats" && this.#isExpected(moment, expected))
    this.#settle(moment, { outcome, isFollowed }, ruled)
    this.#watch()
  }

  /** Takes a call under another policy as it was: no change is rehearsed of that. */
  #pass(moment: Moment): void {
    if (moment.result !== granted) return
    if (moment.operation === "checkout") this.#lost ??= "floating_seats"
    this.#sides.takeActual(moment)
    this.#sides.takeChanged(moment)
  }

  /** Puts leases and users as they are at an instant. */
  #tick(at: number): void {
    this.#at = at
    if (!this.#sides.tick(at)) this.#lost ??= "earlier_call"
    const license = this.#sides.ruled?.license
    if (license !== undefined) this.uses.tick(at, Date.parse(license.starts_at ?? "") || this.#record.issued || 0)
    this.#watch()
  }

  #seat(step: LoggedStep, seat: LoggedSeat): void {
    if (this.placed.called.has(step)) return
    const moment = momentOf(step, seat)
    const { actual, changed } = this.#sides
    const isRepeated = this.placed.repeated.has(step)
    if (isRepeated) this.#repeat(moment)
    else if (seat.isActivation && step.at >= this.#record.from) this.call(moment)
    else if (seat.isActivation) changed.each(({ seats }) => seats.put(seat.id, seat.kind, "active"))
    if (seat.isActivation) actual.seats.put(seat.id, seat.kind, "active")
    else if (isRepeated) retire(actual, seat)
    else if (this.#sides.retire(step.at, seat)) this.#lost ??= "users"
  }

  /** Decides a call that is counted with others alike, and of which the log has the very instant. */
  #repeat(moment: Moment): void {
    if (this.#sides.ruled === undefined) return this.#sides.takeChanged(moment)
    if (!this.#sides.isToldInAllWays(moment)) this.#lost ??= "users"
    else this.#fork(moment, (side) => this.#sides.branchOn(side, moment) ?? "either")
  }

  /** Follows what a call may have left of the seats. */
  #fork(moment: Moment, branchOf: (side: Side) => Branch): void {
    if (!this.#sides.changed.fork(branchOf, (side) => this.#sides.take(side, moment))) this.#lost ??= "earlier_call"
  }

  /** Follows both ways that a call may have been decided; its user is known. */
  #forkUnknown(moment: Moment): void {
    const isOfSomebody = moment.userId !== undefined && moment.userId !== several
    if (!this.#sides.isToldInAllWays(moment) && !isOfSomebody) this.#lost ??= "earlier_call"
    else this.#fork(moment, (side) => this.#sides.branchOn(side, moment) ?? "either")
  }

  /**
   * Calls that change seats, were several and are still to come: the instants of those in the middle are not known, unless the log has
   * them because they changed a seat. Whoever would be refused at first may have been let in since, or not.
   */
  #watch(): void {
    this.leases.settled(this.#sides.changed.ways)
    for (const [row, open] of this.#open) {
      const { after, both, isAlike, moment } = open
      const { device, userId } = moment
      const { actual, changed } = this.#sides
      if (isOfLease(moment)) {
        if (!this.#isCheckoutSteady(moment, after)) this.#lost ??= "between"
        continue
      }
      const status = actual.seats.statusOf(device)
      const isSame = isAlike
        ? changed.ways.every(({ seats }) => seats.statusOf(device) === status && seats.userOf(device) === userId)
        : isSameVersion(open.version, this.#version(moment, both))
      if (!isSame && this.#lost === undefined) this.#forkBetween(row, moment)
      // What was followed is not followed again as long as nothing changes.
      if (!isSame && !isAlike) this.#open.set(row, { ...open, version: this.#version(moment, both) })
    }
  }

  /** Follows that calls of a record were made by now, and that they are yet to come. */
  #forkBetween(row: RecordedCalls, moment: Moment): void {
    if (this.#sides.ruled === undefined) return void (this.#lost ??= "between")
    const [now, last] = [this.#at, row.last_at.getTime()]
    const isTold = this.#sides.changed.ways.every((side) => {
      const [code, later] = [now, last].map((at) => this.#sides.decideOn(side, { ...moment, at }))
      return code !== undefined && code === later
    })
    // Time decides it as well, or nobody knows who calls.
    if (!isTold) return void (this.#lost ??= "between")
    this.#fork(moment, (side) => this.#sides.decideOn(side, { ...moment, at: now }) === granted ? "either" : "kept")
  }

  /** Whether a checkout would be answered as the first one of its record; one that kept a lease is made only while there is one. */
  #isCheckoutSteady(moment: Moment, after: string | undefined): boolean {
    if (moment.result === granted && !this.leases.actual.isLive(moment.device)) return true
    return this.#sides.ruled !== undefined && this.#sides.decideChanged(moment) === after
  }

  /** Whether the record explains the result of a call, and so what it leaves. */
  #isExpected(moment: Moment, expected: string | undefined): boolean {
    return expected === moment.result || (isOfFeature(moment.result) && expected === granted)
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
    if (isOfLease(moment) && !this.#sides.areLeasesTold()) return "floating_seats"
    if (this.#sides.isNearEnd(moment)) return "floating_seats"
    if (!this.#isExpected(moment, expected)) {
      const { max_floating_users, max_users } = rules
      return max_floating_users !== undefined ? "floating_seats" : max_users !== undefined ? "users" : "not_reproduced"
    }
    if (byOthers === undefined) {
      const isTold = this.#sides.isToldInAllWays(moment)
      return isTold ? "earlier_call" : "users"
    }
    return after === undefined ? "usage" : undefined
  }

  #note(moment: Moment, after: string | undefined, unknown: UnknownReason | undefined): void {
    const { device, result } = moment
    const outcome = (calls: number, known: string | undefined, reason: UnknownReason | undefined) => {
      if (calls > 0) this.outcomes.push(outcomeOfCalls({ device, calls, before: result, after: known }, reason))
    }
    const { isLast, row } = moment
    outcome(isLast ? 1 : moment.calls, after, unknown)
    if (!isLast || row === undefined) return
    const first = this.#firsts.get(row)
    const isSteady = first !== undefined && this.#isSteady(moment, first, after)
    const reason = unknown ?? (isSteady ? undefined : "between")
    outcome(moment.calls - 1, reason === undefined ? after : undefined, reason)
    const changes = changesSeats(moment) || moment.operation === "checkout" || moment.operation === "checkin"
    // Seats are followed where they changed in the meantime; time that decided otherwise is not.
    const isFollowed = changesSeats(moment) && first !== undefined &&
      !isSameVersion(first.version, this.#version(moment, first.both))
    if (reason === "between" && changes && moment.calls > 1 && !isFollowed) this.#lost ??= "between"
  }

  /** Whether the calls between the first and the last of a record are decided as the last one is. */
  #isSteady(moment: Moment, first: First, after: string | undefined): boolean {
    const isKept = first.after === after && isSameVersion(first.version, this.#version(moment, first.both))
    const { changed, ruled } = this.#sides
    if (isKept || after === granted || ruled === undefined) return isKept
    const { device } = moment
    return this.leases.isNeverKept(moment, ruled.rules.changed) &&
      first.opened !== undefined && changed.alike(({ leases }) => leases.openedOf(device)) === first.opened
  }

  #settle(
    moment: Moment,
    { isFollowed, outcome }: { readonly outcome: string | undefined; readonly isFollowed: boolean },
    { license }: RuledLicense
  ): void {
    const { device, isLast, operation, result, row } = moment
    const { changed } = this.#sides
    if (result === granted && !this.#sides.takeActual(moment)) this.#lost ??= "not_recorded"
    if (outcome === granted) this.#sides.takeChanged(moment)
    const changes = changesSeats(moment) || (isOfLease(moment) && this.#sides.areLeasesTold())
    if (outcome === undefined && changes && this.#lost === undefined) {
      if (isFollowed) this.#forkUnknown(moment)
      else this.#lost = "earlier_call"
    }
    // The license would start with another activation, and end at another time.
    if (
      (operation === "activate" || operation === "checkout") && license.awaits_activation === true && outcome !== result
    ) this.#lost ??= "start"
    if (row === undefined || moment.isBetween === true) return
    const both = {
      actual: this.leases.actual.isLive(device),
      changed: changed.alike(({ leases }) => leases.isLive(device))
    }
    const version = this.#version(moment, both)
    if (isLast) this.#open.delete(row)
    else {
      const opened = changed.alike(({ leases }) => leases.openedOf(device))
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

  /** What the decision about a call depends on, but time; `both` is where its lease lived. */
  #version({ device, operation, userId }: Moment, both: Both): Version {
    const { changed, steps, users } = this.#sides
    if (operation === "checkout") return changed.version(() => steps)
    if (operation === "checkin") return changed.version(({ leases }) => steps + leases.openedOf(device))
    const stands = steps + users.versionOf(userId)
    return changed.version(({ leases, seats }) =>
      stands + (changesSeats({ operation }) ? seats.changes : seats.changesOf(device)) +
      this.leases.differingOf(leases, device, both)
    )
  }
}

/** The order in which calls are decided. Of those of one instant, a floating seat was given before none was left. */
const byTime = (a: Moment, b: Moment): number =>
  a.at - b.at || Number(a.isLast) - Number(b.isLast) || Number(b.result === granted) - Number(a.result === granted)

/** How many calls are decided before others have a turn: 200 take about 2 ms. */
const turn = 200

/**
 * Decides the recorded calls of a license again under changed terms, in the order in which they were made. It pauses now and then, so
 * that whoever runs it lets others work.
 */
export function* rehearsing(
  record: RehearsedRecord,
  amend: (policy: Policy) => Policy
): Generator<void, ReadonlyArray<RehearsedOutcome>, void> {
  const rehearsal = new LicenseRehearsal(record, amend)
  const { leases, placed } = rehearsal
  const others = record.calls.filter((row) => !isOfLease(row)).flatMap((row) => rehearsal.uses.momentsOf(row))
  const moments = [...others, ...leases.moments].toSorted(byTime)
  const steps = [...placed.steps, ...leases.steps()].toSorted((a, b) => a.at - b.at)
  let next = 0
  for (const step of [...steps, { at: Infinity }]) {
    for (; next < moments.length && moments[next]!.at < step.at; next++) {
      rehearsal.call(moments[next]!)
      if (next % turn === turn - 1) yield
    }
    rehearsal.step(step)
  }
  return rehearsal.outcomes
}
