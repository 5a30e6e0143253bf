import { granted, notEntitled, several } from "../recording/DecidedCalls.ts"
import type { RecordedCalls } from "../recording/DecidedCalls.ts"
import type { Moment } from "../recording/RehearsedRecord.ts"

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
export class SimulatedUses {
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
