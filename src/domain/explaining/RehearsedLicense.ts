import type { Policy } from "../catalog/Policy.ts"
import type { RecordedCalls } from "./DecidedCalls.ts"
import { granted, otherDevices } from "./DecidedCalls.ts"
import { decidingRulesOf, findingsOf } from "./JudgedCall.ts"
import type { DecidingRules } from "./JudgedCall.ts"
import type { UnknownReason } from "./PolicyRehearsal.ts"
import { changesSeats, momentsOf, placedSteps } from "./RehearsedRecord.ts"
import type { LoggedLicense, LoggedSeat, LoggedStep, Moment, RehearsedRecord } from "./RehearsedRecord.ts"
import { SimulatedSeats } from "./SimulatedSeats.ts"
import { SimulatedUses } from "./SimulatedUses.ts"

/** The outcome of calls under the changed terms. */
export interface RehearsedOutcome {
  readonly device: string
  readonly calls: number
  /** `granted`, or the code of the refusal, as it was. */
  readonly before: string
  /** The same under the changed terms; undefined where that is not known. */
  readonly after: string | undefined
  readonly unknown?: UnknownReason
}

/** Codes of rules that are judged by what no record has: the product, and the seat to take. */
const unseen: ReadonlySet<string> = new Set([
  "PRODUCT_MISMATCH",
  "SELF_SERVICE_NOT_ALLOWED",
  "SELF_SERVICE_LIMIT_EXCEEDED"
])

/** Whether a call was refused by a rule about a feature, which comes after all others. */
const isOfFeature = (code: string): boolean => code.startsWith("FEATURE_")

/** The product of a license, which no recorded call has another name for. */
const unnamed = [{ code: "" }]

/** One license, decided twice: as it was, to see whether the record explains what happened, and under the changed terms. */
class Rehearsal {
  readonly outcomes: Array<RehearsedOutcome> = []
  readonly #actual = new SimulatedSeats()
  readonly #changed = new SimulatedSeats()
  readonly #firsts = new Map<RecordedCalls, { readonly after: string | undefined; readonly version: number }>()
  /** Calls that change seats and are several, between the first and the last. */
  readonly #open = new Map<
    RecordedCalls,
    { readonly moment: Moment; readonly version: number; readonly isAlike: boolean }
  >()
  readonly #record: RehearsedRecord
  readonly #placed: ReturnType<typeof placedSteps>
  readonly #amend: (policy: Policy) => Policy
  #license: LoggedLicense | undefined
  #policy: Policy | undefined
  /** The rules as they were and as they would be; undefined before both a license and a policy are known. */
  #rules: { readonly actual: DecidingRules; readonly changed: DecidingRules } | undefined
  #steps = 0
  /** Set from the first call on after which nobody knows how the license would stand. */
  #lost: UnknownReason | undefined
  readonly #uses = new SimulatedUses()

  constructor(record: RehearsedRecord, amend: (policy: Policy) => Policy) {
    this.#record = record
    this.#placed = placedSteps(record)
    this.#amend = amend
  }

  /** The steps of the log, in the order in which they are decided. */
  get steps(): ReadonlyArray<LoggedStep> {
    return this.#placed.steps
  }

  step(step: LoggedStep): void {
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
    for (const seats of [this.#actual, this.#changed]) seats.learn(moment)
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
      this.#actual.freeAll()
      this.#changed.freeAll()
    }
    this.#license = license
  }

  #seat(step: LoggedStep, seat: LoggedSeat): void {
    if (this.#placed.called.has(step)) return
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
    if (this.#placed.repeated.has(step)) this.#repeat(moment)
    else if (seat.isActivation && step.at >= this.#record.from) this.call(moment)
    else if (seat.isActivation) this.#changed.put(seat.id, seat.kind, "active")
    else this.#changed.retire(seat.id, seat.status)
    if (seat.isActivation) this.#actual.put(seat.id, seat.kind, "active")
    else this.#actual.retire(seat.id, seat.status)
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

  #take(seats: SimulatedSeats, { device, kind, operation, userId }: Moment): void {
    if (operation === "activate") seats.activate(device, kind, userId)
    if (operation === "deactivate") seats.retire(device, "deactivated")
  }

  /**
   * Calls that change seats, were several and are still to come: the instants of those in the middle are not known, unless the log has
   * them because they changed a seat. Whoever would be refused at first may have been let in since.
   */
  #watch(): void {
    for (const { moment, isAlike, version } of this.#open.values()) {
      const { device, userId } = moment
      const isSame = isAlike
        ? this.#actual.statusOf(device) === this.#changed.statusOf(device) && this.#changed.userOf(device) === userId
        : version === this.#version(moment)
      if (!isSame) this.#lost ??= "between"
    }
  }

  /** The code that the rules answer a call, but for those about its feature; undefined where they go by more than is known. */
  #decide(
    seats: SimulatedSeats,
    license: LoggedLicense,
    rules: DecidingRules,
    moment: Moment
  ): string | undefined {
    const { device, isVm, kind, operation } = moment
    const user = seats.standingOf(moment, rules)
    if (user === "unknown") return undefined
    const [first] = findingsOf(
      {
        license,
        state: license.state,
        products: unnamed,
        deviceStatus: seats.statusOf(device),
        deviceFloating: false,
        otherActiveDevices: seats.othersOf(device, kind),
        otherLiveLeases: 0,
        lease: "unknown",
        selfService: undefined,
        user,
        feature: undefined
      },
      rules,
      { operation, binding: { is_container: kind === "container", is_vm: isVm } },
      new Date(moment.at)
    )
    return first?.refusal.error.code ?? granted
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
      if (calls > 0) {
        this.outcomes.push({
          device,
          calls,
          before: result,
          after: known,
          ...(reason === undefined ? {} : { unknown: reason })
        })
      }
    }
    outcome(1, after, unknown)
    const { isLast, row } = moment
    if (!isLast || row === undefined) return
    const first = this.#firsts.get(row)
    const isSteady = first !== undefined && first.after === after && first.version === this.#version(moment)
    const reason = unknown ?? (isSteady ? undefined : "between")
    outcome(moment.calls - 1, reason === undefined ? after : undefined, reason)
    if (reason === "between" && changesSeats(moment) && moment.calls > 1) this.#lost ??= "between"
  }

  #settle(moment: Moment, outcome: string | undefined, license: LoggedLicense): void {
    const { isLast, operation, result, row } = moment
    if (result === granted) this.#take(this.#actual, moment)
    if (outcome === granted) this.#take(this.#changed, moment)
    if (outcome === undefined && changesSeats(moment)) this.#lost ??= "earlier_call"
    // The license would start with another activation, and end at another time.
    if (operation === "activate" && license.awaits_activation === true && outcome !== result) this.#lost ??= "start"
    if (row === undefined) return
    const version = this.#version(moment)
    if (isLast) this.#open.delete(row)
    else {
      this.#firsts.set(row, { after: outcome, version })
      if (row.calls > 2 && changesSeats(moment)) {
        this.#open.set(row, { moment, version, isAlike: result === granted && outcome === granted })
      }
    }
  }

  /** A number that changes with whatever the decision about a call depends on, but time. */
  #version({ device, operation }: Moment): number {
    return this.#steps + (changesSeats({ operation }) ? this.#changed.changes : this.#changed.changesOf(device))
  }
}

/** How many calls are decided before others have a turn. */
const turn = 1000

/**
 * Decides the recorded calls of a license again under changed terms, in the order in which they were made. It pauses now and then, so
 * that whoever runs it lets others work.
 */
export function* rehearsing(
  record: RehearsedRecord,
  amend: (policy: Policy) => Policy
): Generator<void, ReadonlyArray<RehearsedOutcome>, void> {
  const rehearsal = new Rehearsal(record, amend)
  const moments = record.calls.flatMap(momentsOf).toSorted((a, b) => a.at - b.at || Number(a.isLast) - Number(b.isLast))
  const steps = [...rehearsal.steps, { at: Infinity }]
  let next = 0
  for (const step of steps) {
    for (; next < moments.length && moments[next]!.at < step.at; next++) {
      rehearsal.call(moments[next]!)
      if (next % turn === turn - 1) yield
    }
    rehearsal.step(step)
  }
  return rehearsal.outcomes
}
