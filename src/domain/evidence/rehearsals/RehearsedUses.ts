import { granted, several } from "../recording/DecidedCalls.ts"
import type { RecordedCalls } from "../recording/DecidedCalls.ts"
import type { RecordedUse, RehearsedQuota } from "../recording/RehearsedQuota.ts"
import { momentsOf } from "../recording/RehearsedRecord.ts"
import type { Moment } from "../recording/RehearsedRecord.ts"
import { SimulatedQuota } from "./SimulatedQuota.ts"
import { SimulatedUses } from "./SimulatedUses.ts"

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
