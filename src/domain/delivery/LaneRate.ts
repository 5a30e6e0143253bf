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

/** A rest that was not asked for: 1 s, doubling to 5 minutes with each refusal in a row. */
const longestOwnRest = 300 * second

/** After this many refusals in a row a receiver is asked more seldom than it says, once that is longer. */
const patientRefusals = 8

/** Just after a refusal the rate is this part of what the receiver took; it reaches that again after {@link recovery}. */
const decrease = 0.8
const recovery = 10 * second

/** The lowest rate, and the highest, beyond which it is unlimited again, in attempts a second. */
const rates = { least: 0.1, most: 2_000 } as const

/** How much of a delay, in milliseconds, is made up for: timers are late, and the rate must not suffer from it. */
const madeUpFor = 100

/** The rest after `count` refusals in a row, where the receiver does not say how long: 1 s, doubling. */
const ownRest = (count: number): number =>
  count <= 0 ? 0 : Math.min(second * 2 ** Math.min(count - 1, 16), longestOwnRest)

/** How many deliveries a second arrived lately: over 5 to 10 seconds, or since the last refusal. */
class Arrivals {
  #from: number | undefined
  #count = 0
  #before: { readonly from: number; readonly count: number } | undefined

  add(now: number): void {
    this.#turnTo(now)
    this.#from ??= now
    this.#count += 1
  }

  /** Counts from nothing, the time until the next arrival included. */
  restart(now: number): void {
    this.#from = now
    this.#count = 0
    this.#before = undefined
  }

  perSecond(now: number): number {
    this.#turnTo(now)
    const from = this.#before?.from ?? this.#from ?? now
    return ((this.#before?.count ?? 0) + this.#count) * second / Math.max(second, now - from)
  }

  #turnTo(now: number): void {
    if (this.#from === undefined) return
    const age = now - this.#from
    if (age < 5 * second) return
    const isIdle = age >= 10 * second
    this.#before = isIdle || this.#count === 0 ? undefined : { from: this.#from, count: this.#count }
    this.#from = isIdle ? undefined : now
    this.#count = 0
  }
}

/**
 * How fast a receiver is asked that limits its rate. A refusal for pace (429, or 503 with Retry-After) brings a rest, as
 * long as the receiver says, and then a rate below what it took just before. From there the rate follows a cubic curve:
 * quickly back to the known limit, slowly past it, and faster the longer nothing is refused. A receiver without a limit
 * is unlimited again after a few minutes.
 */
export class LaneRate {
  readonly #arrivals = new Arrivals()
  #restUntil: number
  #refusals: number
  #refusedAt = Number.NEGATIVE_INFINITY
  /** What the receiver took when it last refused, in attempts a second, and since when the rate grows back to it. */
  #peak: number | undefined
  #since: number
  #nextAt: number

  constructor(from: RateSnapshot = freeRate) {
    this.#restUntil = from.restUntil
    this.#refusals = from.refusals
    this.#peak = from.perSecond === undefined ? undefined : from.perSecond / decrease
    this.#since = from.restUntil
    this.#nextAt = from.restUntil
  }

  /** The next attempt may start from here on. */
  get nextAt(): number {
    return this.#nextAt
  }

  /** Whether an attempt may start now. */
  allows(now: number): boolean {
    return now >= this.#nextAt
  }

  /** Whether the receiver refused since its last delivery. */
  get isRefused(): boolean {
    return this.#refusals > 0
  }

  /** Notes that an attempt starts. */
  begin(now: number): void {
    const perSecond = this.perSecond(now)
    if (perSecond !== undefined) this.#nextAt = Math.max(this.#nextAt, now - madeUpFor) + second / perSecond
  }

  /** Notes that a delivery arrived. */
  succeed(now: number): void {
    this.#arrivals.add(now)
    this.#refusals = 0
  }

  /**
   * Notes that an attempt that started at `startedAt` was refused for its pace. `asked`: for how long the receiver asks
   * to be left alone; `u` is uniform in [0, 1). Answers whether this is news: what was under way when the receiver
   * refused is refused as well, and says nothing more.
   */
  refuse({ requested, now, startedAt, u }: {
    readonly startedAt: number
    readonly now: number
    readonly requested: number | undefined
    readonly u: number
  }): boolean {
    const isNews = startedAt > this.#refusedAt
    if (isNews) this.#learn(now)
    const requestedRest = Math.min(requested ?? 0, longestRest)
    const rest = requestedRest > 0
      ? Math.max(requestedRest, ownRest(this.#refusals - patientRefusals))
      : isNews
      ? ownRest(this.#refusals)
      : 0
    // Never early, and not all lanes of a receiver at once.
    this.#restUntil = Math.max(this.#restUntil, now + Math.ceil(rest * (1 + u / 10)))
    this.#since = this.#restUntil
    this.#nextAt = Math.max(this.#nextAt, this.#restUntil)
    return isNews
  }

  /** Forgets everything: another receiver answers from now on. */
  reset(): void {
    this.#restUntil = 0
    this.#refusals = 0
    this.#peak = undefined
    this.#nextAt = 0
  }

  /** The attempts a second that may start; undefined: unlimited. */
  perSecond(now: number): number | undefined {
    if (this.#peak === undefined) return undefined
    const turns = Math.max(0, now - this.#since) / recovery
    const rate = this.#peak * (1 + (1 - decrease) * (turns - 1) ** 3)
    if (rate > rates.most) this.#peak = undefined
    return this.#peak === undefined ? undefined : Math.max(rates.least, rate)
  }

  snapshot(now: number): RateSnapshot {
    return { restUntil: this.#restUntil, perSecond: this.perSecond(now), refusals: this.#refusals }
  }

  #learn(now: number): void {
    const taken = this.#arrivals.perSecond(now)
    const allowed = this.perSecond(now)
    // Nothing arrived since the last refusal: the rate that is known is too high.
    this.#peak = Math.max(rates.least, taken > 0 ? Math.min(taken, allowed ?? taken) : (allowed ?? 2) / 2)
    this.#refusals += 1
    this.#refusedAt = now
    this.#arrivals.restart(now)
  }
}
