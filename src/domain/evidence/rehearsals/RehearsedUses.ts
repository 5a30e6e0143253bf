import { granted, momentsOf, notEntitled, periodOf, servedBy, several } from "../recording/DecidedUse.ts"
import type { Moment, RecordedCalls, RecordedUse, RehearsedQuota, Served } from "../recording/DecidedUse.ts"

const exceeded = "FEATURE_QUOTA_EXCEEDED"

/** How much one of some calls asks for, and all of them at most. */
interface Amounts {
  readonly least: number
  readonly most: number
  readonly total: number
}

/** What is counted when calls are made, as it was: between these. */
interface Counted {
  readonly least: number
  readonly most: number
}

/** How much the calls of a moment ask for: the sum of a record is known, and of each call that it is at least one. */
const amountsOf = ({ calls, isLast, row, use }: Moment): Amounts => {
  if (use !== undefined) return { least: use.amount, most: use.amount, total: use.amount }
  const [amount, all] = [row?.amount ?? Infinity, row?.calls ?? 1]
  const each = all === 1 ? amount : amount === all ? 1 : undefined
  const [least, most] = [each ?? 1, each ?? amount - (all - 1)]
  return { least, most, total: isLast ? Math.min(calls * most, amount - least) : most }
}

/**
 * The use of a feature under a changed quota: by how much it would differ from what was counted, as bounds. As it was it is known from the
 * events of uses, each with its amount; of calls that were refused, the record has the sum.
 */
class SimulatedQuota {
  readonly of: RehearsedQuota
  #least = 0
  #most = 0
  /** Units that calls may use which are between the first and the last of their record. */
  readonly #pending = new Map<RecordedCalls, number>()
  readonly #began = new Map<RecordedCalls, number>()
  #period: number | undefined
  #step = 0
  #corrected = 0
  /** The first use that is not over yet. */
  #next = 0
  /** What the quota would leave at the call that was decided last, if as much had been used as it was. */
  #left = Infinity
  #isLost = false
  #isUntouched = true

  constructor(of: RehearsedQuota) {
    this.of = of
  }

  /** Whether everything was used so far as it was. */
  get isUntouched(): boolean {
    return this.#isUntouched
  }

  /** Gives up: units were used of which nobody knows how many. It lasts until the quota begins anew. */
  lose(): void {
    this.#isLost = true
    this.#isUntouched = false
  }

  /** Puts what is counted as it is at an instant, with the uses that backends reported until then. */
  tick(at: number, licenseStart: number): void {
    if (!Number.isFinite(at)) return
    const { corrected, uses } = this.of
    for (let use = uses[this.#next]; use !== undefined && use.at <= at; use = uses[++this.#next]) {
      this.#put(use.period)
      if (use.device === undefined) this.#report(use)
    }
    for (; this.#corrected < corrected.length && corrected[this.#corrected]! <= at; this.#corrected++) this.lose()
    this.#begin(at, licenseStart)
  }

  /** The code that a call would be answered that no other rule refuses; undefined where that is not known. */
  decided(moment: Moment): string | undefined {
    // The time of its event may be before the period began that it was counted in.
    if (moment.use !== undefined) this.#put(moment.use.period)
    const served = this.#served()
    const counted = served && this.#counted(moment, served)
    if (served === undefined || counted === undefined || this.#isLost || !this.of.isTold) return undefined
    const { row } = moment
    if (row !== undefined && moment.isLast && this.#began.get(row) !== this.#period) return undefined
    const { least, total } = amountsOf(moment)
    const others = [...this.#pending].reduce((sum, [each, units]) => each === row ? sum : sum + units, 0)
    this.#left = served.changed - counted.least
    if (counted.most + this.#most + others + total <= served.changed) return granted
    return counted.least + this.#least + least > served.changed ? exceeded : undefined
  }

  /** Notes what a call would be answered, undefined if that is not known: because the quota may decide either way, or for another reason. */
  settle(moment: Moment, outcome: string | undefined, isByQuota: boolean): void {
    const { isLast, result, row, use } = moment
    const { least, total } = amountsOf(moment)
    if (use === undefined && row !== undefined && result !== granted) {
      if (isLast) this.#pending.delete(row)
      else if (row.calls > 1) {
        this.#began.set(row, this.#period ?? 0)
        this.#pending.set(row, (row.amount ?? Infinity) - least)
      }
    }
    if (outcome === result || (result !== granted && outcome !== granted && outcome !== undefined)) return
    this.#isUntouched = false
    if (result === granted) return this.#differ(-total, outcome === undefined ? 0 : -total)
    const isUnit = row !== undefined && row.amount === row.calls
    const before = { least: this.#least, most: this.#most }
    this.#differ(outcome === undefined ? 0 : least * moment.calls, total)
    if (outcome !== undefined || !isByQuota || !Number.isFinite(this.#left)) return
    // Nothing is served beyond the quota; and calls for one unit each use it up, if they are refused.
    this.#most = Math.max(before.most, Math.min(this.#most, this.#left))
    if (isUnit) this.#least = Math.max(before.least, Math.min(before.least + total, this.#left))
  }

  #differ(least: number, most: number): void {
    this.#least += least
    this.#most += most
  }

  /** Begins the count anew where the period is another one. */
  #begin(at: number, licenseStart: number): void {
    const { steps } = this.of
    while (this.#step + 1 < steps.length && steps[this.#step + 1]!.at <= at) this.#step++
    const terms = steps[this.#step]?.terms
    if (terms !== null && terms !== undefined) this.#put(periodOf(terms, at, licenseStart))
  }

  #put(period: number): void {
    if (period <= (this.#period ?? -1)) return
    if (this.#period !== undefined) {
      this.#least = this.#most = 0
      this.#isLost = false
    }
    this.#period = period
  }

  #served(): Served | undefined {
    const { change, steps } = this.of
    const terms = steps[this.#step]?.terms
    return terms === null || terms === undefined ? undefined : servedBy(terms, change)
  }

  /** A use that a backend reported, which would be counted as it was if the quota serves it. */
  #report(use: RecordedUse): void {
    const served = this.#served()
    const before = use.consumed - use.amount
    if (served === undefined || before + this.#most + use.amount <= served.changed) return
    this.#isUntouched = false
    this.#differ(-use.amount, before + this.#least + use.amount > served.changed ? -use.amount : 0)
  }

  /** What was counted when calls were made; undefined where the record contradicts the events. */
  #counted({ at, isLast, row, use }: Moment, { actual }: Served): Counted | undefined {
    if (use !== undefined) {
      const { quota } = this.of.steps[this.#step]!.terms!
      const before = use.consumed - use.amount
      return (use.quota ?? null) === quota && use.period === this.#period ? { least: before, most: before } : undefined
    }
    if (row === undefined) return undefined
    // Every call of a record that asks for one unit, and is refused, finds none left.
    const isExact = row.calls === 1 || (row.result === exceeded && row.amount === row.calls)
    const recorded = row.remaining === null ? undefined : actual - row.remaining
    if (recorded !== undefined && !Number.isFinite(recorded)) return undefined
    if (isExact && recorded !== undefined) {
      const tracked = this.#tracked(at)
      return tracked === undefined || tracked === recorded ? { least: recorded, most: recorded } : undefined
    }
    const [first, last] = [this.#tracked(row.first_at.getTime()), this.#tracked(isLast ? at : row.first_at.getTime())]
    return first === undefined || last === undefined ? undefined : { least: first, most: last }
  }

  /** What was counted at an instant of the running period, by the events of uses around it. */
  #tracked(at: number): number | undefined {
    const { uses } = this.of
    const start = this.#period ?? 0
    let index = Math.min(this.#next, uses.length) - 1
    while (index >= 0 && uses[index]!.at > at) index--
    const before = uses[index]
    if (before?.period === start) return before.consumed
    const after = uses[index + 1]
    if (start > 0 && before !== undefined) return 0
    return after?.period === start ? after.consumed - after.amount : undefined
  }
}

/** What calls to use a feature were decided by; undefined where that is not recorded, or the calls were about several features. */
const useOf = (row: RecordedCalls | undefined) => {
  if (row === undefined || row.feature_code === null || row.feature_code === several || row.amount === null) {
    return undefined
  }
  const { amount, calls, feature_code, remaining } = row
  return { amount, calls, feature_code, remaining }
}

/**
 * By how much the use of features would differ under the changed terms, as bounds: at most so many units more and fewer would have been
 * used. Both only grow, so that they also hold after a quota has begun anew. Uses that backends report are taken to be counted as they were.
 */
class SimulatedUses {
  readonly #more = new Map<string, number>()
  readonly #less = new Map<string, number>()
  readonly #counted = new Set<RecordedCalls>()

  /**
   * The code that a call to use a feature would be answered, that the other rules would answer by `after`; undefined where the quota may
   * decide either way.
   */
  decided({ result, row }: Moment, after: string): string | undefined {
    if (after !== granted || result === "FEATURE_NOT_ENTITLED") return after === granted ? result : after
    const use = useOf(row)
    const [more, less] = [boundOf(this.#more, use?.feature_code), boundOf(this.#less, use?.feature_code)]
    if (use?.remaining === notEntitled) return "FEATURE_NOT_ENTITLED"
    if (result === granted && more === 0) return granted
    if (result === "FEATURE_QUOTA_EXCEEDED" && less === 0) return result
    if (use === undefined) return undefined
    if (use.remaining === null || use.remaining - more >= use.amount) return granted
    const isRefused = use.calls === 1 && use.remaining + less < use.amount
    return isRefused ? "FEATURE_QUOTA_EXCEEDED" : undefined
  }

  /** Notes what a call would be answered, undefined if that is not known: the calls of a record may all differ alike. */
  settle({ operation, result, row }: Moment, outcome: string | undefined): void {
    if (operation !== "consume" || row === undefined || outcome === result || this.#counted.has(row)) return
    // A refusal for another reason uses no more than the one that there was.
    if (result !== granted && outcome !== granted && outcome !== undefined) return
    this.#counted.add(row)
    const bounds = result === granted ? this.#less : this.#more
    const { amount, feature_code } = useOf(row) ?? { amount: Infinity, feature_code: several }
    bounds.set(feature_code, (bounds.get(feature_code) ?? 0) + amount)
  }
}

/** The bound of a feature, with that of uses of which the feature is not known; without a feature, the bound of all together. */
const boundOf = (bounds: ReadonlyMap<string, number>, feature: string | undefined): number =>
  feature === undefined
    ? [...bounds.values()].reduce((sum, each) => sum + each, 0)
    : (bounds.get(feature) ?? 0) + (bounds.get(several) ?? 0)

/** How far the event of a use may be from the call that it is of. */
const sameCallMillis = 5_000

/** Whether calls are about one feature that is known, with the amounts that they asked for. */
const isOfOne = ({ amount, feature_code }: RecordedCalls): boolean =>
  feature_code !== null && feature_code !== several && amount !== null

/** The first of uses, in the order of time, that is not before an instant. */
const firstAt = (uses: ReadonlyArray<RecordedUse>, at: number): number => {
  let [low, high] = [0, uses.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (uses[middle]!.at < at) low = middle + 1
    else high = middle
  }
  return low
}

/** The use of features under the changed terms: of those whose quota changes, use by use, and of the others by bounds. */
export class RehearsedUses {
  readonly #quotas: ReadonlyMap<string, SimulatedQuota>
  readonly #byDevice = new Map<string, Array<RecordedUse>>()
  readonly #codes = new Map<RecordedUse, string>()
  readonly #claimed = new Set<RecordedUse>()
  readonly #others = new SimulatedUses()

  constructor(quotas: ReadonlyArray<RehearsedQuota>) {
    this.#quotas = new Map(quotas.map((of) => [of.code, new SimulatedQuota(of)]))
    for (const { code, uses } of quotas) {
      for (const use of uses) {
        this.#codes.set(use, code)
        if (use.device === undefined) continue
        const own = this.#byDevice.get(use.device) ?? []
        own.push(use)
        this.#byDevice.set(use.device, own)
      }
    }
    if (quotas.length > 1) {
      for (const own of this.#byDevice.values()) own.sort((a, b) => a.at - b.at)
    }
  }

  /** The calls to decide of a row of the record: each use that an event tells of, where its quota changes, and else the first and the last. */
  momentsOf(row: RecordedCalls): ReadonlyArray<Moment> {
    const uses = this.#quotas.size > 0 && row.operation === "consume" && row.result === granted ? this.#claim(row) : []
    if (uses.length === 0) return momentsOf(row)
    const [first] = momentsOf(row)
    const each = uses.map((use): Moment => ({ ...first!, at: use.at, isBetween: true, use }))
    const rest = row.calls - uses.length
    return rest === 0
      ? each
      : [...each, { ...first!, at: row.last_at.getTime(), calls: rest, isBetween: true, isRest: true }]
  }

  /** Puts what is counted as it is at an instant. */
  tick(at: number, licenseStart: number): void {
    for (const quota of this.#quotas.values()) quota.tick(at, licenseStart)
  }

  /** The code that a call to use a feature would be answered, that the other rules would answer by `after`; undefined where that is not known. */
  decided(moment: Moment, after: string): string | undefined {
    const { result, row } = moment
    if (this.#quotas.size === 0 || after !== granted || result === "FEATURE_NOT_ENTITLED") {
      return this.#others.decided(moment, after)
    }
    const quota = this.#quotaOf(moment)
    const isNotEntitled = row?.remaining === -1
    if (quota !== undefined && !isNotEntitled) return moment.isRest === true ? undefined : quota.decided(moment)
    if (row !== undefined && isOfOne(row)) return this.#others.decided(moment, after)
    // What is repeated is counted no more, as long as it was counted before.
    const isKnown = result === granted && [...this.#quotas.values()].every(({ isUntouched }) => isUntouched)
    return isKnown ? this.#others.decided(moment, after) : undefined
  }

  /** Notes what a call would be answered, undefined if that is not known; because of a quota alone, or for another reason. */
  settle(moment: Moment, outcome: string | undefined, isByQuota: boolean): void {
    const { operation, result, row } = moment
    if (operation !== "consume") return
    const quota = this.#quotaOf(moment)
    if (quota !== undefined && moment.isRest !== true) return quota.settle(moment, outcome, isByQuota)
    this.#others.settle(moment, outcome)
    if (row !== undefined && isOfOne(row) && moment.isRest !== true) return
    if (outcome !== result) { for (const each of this.#quotas.values()) each.lose() }
  }

  #quotaOf({ row, use }: Moment): SimulatedQuota | undefined {
    const code = use === undefined ? row?.feature_code : this.#codes.get(use)
    return code === null || code === undefined ? undefined : this.#quotas.get(code)
  }

  /** The uses that are those of a row. */
  #claim(row: RecordedCalls): ReadonlyArray<RecordedUse> {
    const own = this.#byDevice.get(row.device) ?? []
    const found: Array<RecordedUse> = []
    const until = row.last_at.getTime() + sameCallMillis
    for (let index = firstAt(own, row.first_at.getTime() - sameCallMillis); index < own.length; index++) {
      const use = own[index]!
      if (use.at > until || found.length === row.calls) break
      const isOther = isOfOne(row) && this.#codes.get(use) !== row.feature_code
      if (isOther || this.#claimed.has(use)) continue
      this.#claimed.add(use)
      found.push(use)
    }
    return found
  }
}
