import { LimitEvidence, noLimit } from "./LimitEvidence.ts"
import type { LikelyLimit } from "./LimitEvidence.ts"
import { RateCurve } from "./RateCurve.ts"

/** The most attempts that one endpoint may have in flight. */
export const maximumInFlight = 10

const successesPerStep = 20

/**
 * How many attempts to one endpoint may be in flight: additive increase, multiplicative decrease. One more after 20
 * successes, half as many when the receiver is overloaded. After an outage it starts at one and grows with each success
 * (slow start).
 */
export class LanePace {
  #limit: number
  #successes = 0
  #slowStart: boolean

  constructor(slowStart = false) {
    this.#limit = slowStart ? 1 : maximumInFlight
    this.#slowStart = slowStart
  }

  get limit(): number {
    return this.#limit
  }

  /** A delivery succeeded. */
  succeed(): void {
    if (this.#limit >= maximumInFlight) return
    this.#successes += 1
    if (!this.#slowStart && this.#successes < successesPerStep) return
    this.#successes = 0
    this.#limit += 1
    if (this.#limit >= maximumInFlight) this.#slowStart = false
  }

  /** The receiver did not answer in time, or asked for a slower pace and not by chance. */
  congest(): void {
    this.#limit = Math.max(1, Math.floor(this.#limit / 2))
    this.#successes = 0
    this.#slowStart = false
  }

  /** The receiver is back after an outage. */
  recover(): void {
    this.#limit = 1
    this.#successes = 0
    this.#slowStart = true
  }
}

/**
 * A delivery that was refused for the receiver's pace this often while others arrived is refused for what it is: it counts
 * as failed, and waits in the retry table.
 */
const refusalsOfOne = 20

/** The deliveries of a lane that were refused for the receiver's pace. */
export class PaceRefusals {
  /** How often a delivery was refused, and how many others had arrived before its first refusal. */
  readonly #counts = new Map<number, { count: number; readonly after: number }>()
  #arrived = 0
  /** The delivery that was refused last: others go first, in case that it is refused for what it is. */
  last: number | undefined

  /** Some delivery arrived. */
  arrived(): void {
    this.#arrived += 1
  }

  /** Counts a refusal; answers false when only this delivery is refused, again and again. */
  isOfPace(sequence: number): boolean {
    const refused = this.#counts.get(sequence) ?? { count: 0, after: this.#arrived }
    refused.count += 1
    if (refused.count >= refusalsOfOne && this.#arrived > refused.after) return false
    this.#counts.set(sequence, refused)
    this.last = sequence
    return true
  }

  /** Forgets a delivery that has ended otherwise. */
  forget(sequence: number): void {
    this.#counts.delete(sequence)
  }

  /** Forgets all, because another receiver is asked. */
  clear(): void {
    this.#counts.clear()
  }
}

/** What a lane remembers of a receiver that limits its rate. Times are milliseconds of the caller's clock. */
export interface RateSnapshot {
  /** No attempt starts before this. */
  readonly restUntil: number
  /** Attempts a second that may start now; undefined: as many as there are slots for. */
  readonly perSecond: number | undefined
  /** How often in a row the receiver refused for its pace, without a delivery in between. */
  readonly refusals: number
}

/** The rate of a receiver that never asked for less. */
export const freeRate: RateSnapshot = { restUntil: 0, perSecond: undefined, refusals: 0 }

const second = 1_000

/** The longest rest, in milliseconds, that a receiver can ask for (Retry-After): it is asked once an hour at least. */
const longestRest = 3_600 * second

/**
 * A rest that was not asked for: an eighth of the time for which the receiver has taken nothing, so that little of an outage is
 * added to it by whoever waits for its end. From 1 s to 5 minutes.
 */
const ownRests = { least: second, most: 300 * second, part: 1 / 8 } as const

/** After this many refusals in a row one attempt a second finds out whether the receiver takes anything again. */
const patientRefusals = 3

/** More refusals in a row say nothing of a rate: the receiver takes nothing at all. */
const tellingRefusals = 3

/** A run of refusals that is less probable than this is not chance. */
const improbable = 0.02

/** From this share on, refusals by chance are many: they neither use up what may be sent, nor may what was lost to their rests. */
const manyByChance = 0.02

/** A receiver that refuses more than this share does not do so by chance. */
const mostByChance = 0.6

/** A refusal is one by chance at least so often. */
const leastChance = 0.002

/** So many refusals in a row, each so improbably soon after the one before, are a limit, whatever else is known. */
const early = { refusals: 2, probability: 0.14 } as const

/** A receiver that refused nothing for so long, in milliseconds, has no limit that matters. */
const forgottenAfter = 300 * second

/** How much of a delay, in milliseconds, is made up for: timers are late, and the rate must not suffer from it. */
const madeUpFor = 20

/** While nothing limits the rate, refusals are judged this seldom, in milliseconds. */
const judgedEvery = 200

/** A limit is kept this part below what is likely. */
const margin = 0.99

/** Rests end later by chance, by a tenth of what was asked and at most so long, in milliseconds. */
const latest = 2 * second

/** From this probability on that there is no limit, no refusal is taken for one sooner than another is. */
const noneLikely = 0.95

/**
 * How long, in milliseconds, until a limit that was met is met again: less while it is still sought, and longer where few
 * attempts are made, or a refusal costs a long rest.
 */
const climb = { searching: 4 * second, least: 10 * second, most: 30 * second, attempts: 18, rests: 24 } as const

/** How much faster a receiver is asked whose refusals are the same at any rate, from how many answers on. */
const faster = 1.5
const telling = 10

/** From how many answers on a refusal alone brings no rest that was not asked for. */
const certain = 40

/** The rest before a receiver is asked that has taken nothing for `empty` milliseconds. */
const ownRest = (empty: number): number => Math.min(Math.max(ownRests.least, ownRests.part * empty), ownRests.most)

/**
 * How fast a receiver is asked that refuses for its pace (429, or 503 with Retry-After). A refusal brings a rest, as long
 * as the receiver says. Whether it came from a limit, and at what rate, {@link LimitEvidence} tells: then the rate falls
 * below it and follows a {@link RateCurve}. A refusal by chance costs its rest and nothing more.
 */
export class LaneRate {
  #curve: RateCurve
  /** Undefined as long as nothing was refused: it costs a microsecond for each answer. */
  #evidence: LimitEvidence | undefined
  #likely: LikelyLimit = noLimit
  #restUntil: number
  #refusals: number
  #refusedAt = Number.NEGATIVE_INFINITY
  /** Since when the receiver has refused everything. */
  #emptySince: number | undefined
  /** When the next attempt is due at the rate, rests aside. */
  #dueAt: number
  /** At what rate the refusal was that is not judged yet. */
  #unjudged: number | undefined
  #judgedAt = Number.NEGATIVE_INFINITY
  /** What arrived since a limit was last met, which limit that was, and what share was refused by chance then. */
  #arrived = 0
  #met = 0
  #chanceThen = 0
  /** What arrived since the last refusal, and how many refusals in a row came sooner than by chance. */
  #arrivedSince = 0
  #early = 0
  /** How long a refusal makes the receiver rest, in milliseconds. */
  #rest = 0

  constructor(from: RateSnapshot = freeRate) {
    this.#restUntil = from.restUntil
    this.#refusals = from.refusals
    this.#curve = new RateCurve(from.perSecond, from.restUntil)
    this.#dueAt = from.restUntil
  }

  /** The next attempt may start from here on. */
  get nextAt(): number {
    return Math.max(this.#restUntil, this.#dueAt)
  }

  /** Whether an attempt may start now. */
  allows(now: number): boolean {
    return now >= this.nextAt
  }

  /** Whether the receiver refused since its last delivery. */
  get isRefused(): boolean {
    return this.#refusals > 0
  }

  /** Notes that an attempt starts. */
  begin(now: number): void {
    if (this.#evidence !== undefined) this.#lookBack(now)
    // Whether a receiver takes anything again one attempt finds out.
    const each = second /
      Math.min(
        this.#curve.at(now),
        this.#refusals > Math.max(patientRefusals, this.#inRowByChance()) ? 1 : Number.POSITIVE_INFINITY
      )
    if (each === 0) return
    const burst = this.#likely.chance > manyByChance ? this.#likely.burst : 1
    const isAfterRest = this.#dueAt <= this.#restUntil
    const madeUp = isAfterRest ? Math.min(now - this.#dueAt, (burst - 1) * each) : madeUpFor
    this.#dueAt = Math.max(this.#dueAt, now - madeUp) + each
  }

  /** Notes that a delivery arrived whose attempt started at `startedAt`. */
  succeed(startedAt: number): void {
    this.#refusals = 0
    this.#emptySince = undefined
    this.#arrived += 1
    this.#arrivedSince += 1
    this.#evidence?.answered(startedAt, false)
  }

  /**
   * Notes that an attempt that started at `startedAt` was refused for its pace. `requested`: for how long the receiver
   * asks to be left alone; `u` is uniform in [0, 1). What was under way when the receiver refused may be refused as well,
   * and counts as the same refusal. Answers whether it is another one, and none by chance as far as is known.
   */
  refuse({ requested, now, startedAt, u }: {
    readonly startedAt: number
    readonly now: number
    readonly requested: number | undefined
    readonly u: number
  }): boolean {
    const isNews = startedAt > this.#refusedAt
    if (isNews) {
      this.#refusals += 1
      this.#refusedAt = now
      const isEarly = 1 - (1 - Math.max(this.#chanceThen, manyByChance)) ** (this.#arrivedSince + 1) < early.probability
      this.#early = isEarly ? this.#early + 1 : 0
      this.#arrivedSince = 0
      this.#unjudged = this.#curve.at(startedAt)
    }
    this.#evidence ??= new LimitEvidence(startedAt)
    if (this.#refusals <= tellingRefusals) this.#evidence.answered(startedAt, true)
    const { chance } = this.#likely
    if (chance > manyByChance) this.#dueAt -= second / this.#curve.at(now)
    const requestedRest = Math.min(requested ?? 0, longestRest)
    this.#emptySince ??= now
    const own = this.#refusals <= this.#inRowByChance() ? 0 : ownRest(now - this.#emptySince)
    const rest = requestedRest > 0 || isNews ? Math.max(requestedRest, own) : 0
    // Never early, and not all lanes of a receiver at once.
    const until = Math.max(this.#restUntil, now + Math.ceil(rest + u * Math.min(rest / 10, latest)))
    const longer = Math.max(0, until - Math.max(now, this.#restUntil))
    this.#restUntil = until
    this.#curve.rest(longer)
    this.#evidence.rested(longer)
    if (isNews) this.#rest += (longer - this.#rest) / 3
    return isNews && this.#inRowByChance() === 0
  }

  /** How many refusals in a row may be chance. */
  #inRowByChance(): number {
    const { answers, chance, isFound } = this.#likely
    if (isFound && chance <= manyByChance || answers < certain || chance > mostByChance) return 0
    return Math.max(1, Math.floor(Math.log(improbable) / Math.log(chance + 0.01)))
  }

  /** Forgets everything: another receiver answers from now on. */
  reset(): void {
    this.#restUntil = 0
    this.#refusals = 0
    this.#emptySince = undefined
    this.#refusedAt = Number.NEGATIVE_INFINITY
    this.#forget(0)
  }

  /** The attempts a second that may start; undefined: unlimited. */
  perSecond(now: number): number | undefined {
    const rate = this.#curve.isFree(now) ? Number.POSITIVE_INFINITY : this.#curve.at(now)
    return Number.isFinite(rate) ? rate : undefined
  }

  snapshot(now: number): RateSnapshot {
    return { restUntil: this.#restUntil, perSecond: this.perSecond(now), refusals: this.#refusals }
  }

  #lookBack(now: number): void {
    const isQuiet = now - Math.max(this.#refusedAt, this.#restUntil) > forgottenAfter
    if (isQuiet || this.#curve.isFree(now)) return this.#forget(now)
    if (this.#unjudged === undefined) return
    if (!this.#curve.isLimited && now <= this.#judgedAt + judgedEvery) return
    this.#judge(this.#unjudged, this.#evidence!.likely(now), now)
    this.#unjudged = undefined
    this.#judgedAt = now
  }

  /** Takes a refusal at a rate for a limit or for chance. */
  #judge(rate: number, likely: LikelyLimit, now: number): void {
    this.#likely = likely
    // Of a limit that is only seen in early refusals no rate is likely.
    const limit = Number.isFinite(likely.high) ? Math.sqrt(likely.low * likely.high) * margin : likely.high
    const { chance, isFound, ofLimit, ofNone } = likely
    // A limit that is known is met again more probably than the receiver refuses by chance.
    const isKnown = this.#curve.isLimited && ofNone < noneLikely
    const isRun = this.#curve.isLimited && this.#early >= early.refusals
    const isLimit = isRun ||
      ofLimit > 0.5 * (isKnown ? ofLimit + (1 - ofLimit) * Math.max(chance, leastChance) : 1)
    if ((isLimit && this.#arrived > 0) || (isFound && !Number.isFinite(rate))) {
      const isSought = limit >= 1.5 * this.#met && this.#curve.peak > 1.2 * this.#met
      // A run of early refusals tells of no rate of a limit that is rather not there.
      const most = isRun && ofNone > 0.5 ? Number.POSITIVE_INFINITY : limit
      this.#met = Math.min(isRun ? margin * rate : rate, most)
      this.#chanceThen = chance
      this.#early = 0
      const least = isSought ? climb.searching : Math.max(climb.least, climb.rests * this.#rest)
      this.#curve.meet(this.#met, Math.min(climb.most, Math.max(least, climb.attempts * second / this.#met)), now)
      this.#arrived = 0
    } else if (!this.#curve.isLimited) return
    else if (isFound && likely.high < 2 * likely.low && limit > this.#curve.peak) this.#curve.raise(limit)
    else if (likely.ofNone > 0.7 && chance > manyByChance && likely.answers >= telling) {
      this.#curve.exceed(faster * this.#curve.at(now), now)
    }
  }

  #forget(now: number): void {
    this.#curve = new RateCurve(undefined, now)
    this.#evidence = undefined
    this.#likely = noLimit
    this.#unjudged = undefined
    this.#met = 0
    this.#chanceThen = 0
    this.#early = 0
    this.#dueAt = Math.min(this.#dueAt, now)
  }
}
