const second = 1_000

/** The lowest rate, and the highest, beyond which it is unlimited again, in attempts a second. */
const rates = { least: 0.1, most: 2_000 } as const

/** Just after a limit was met the rate is this part of it. */
const decrease = 0.95

/** So much, as a part of the limit, the rate first grows past it. */
const excess = 0.15

/** How long after the limit was reached again the rate grows slowly past it, and then doubles in how long, in milliseconds. */
const beyond = 5 * second
const doubling = 1.5 * second

/**
 * The rate over time while a receiver limits it: below the limit that was met, quickly back towards it, slowly past it,
 * and faster the longer nothing is refused. Times are milliseconds of the caller's clock; rests do not count.
 */
export class RateCurve {
  #peak: number
  #since: number
  /** How long it takes from where it was met to the limit. */
  #millis: number

  /** `peak`: the limit, in attempts a second, at which the rate is at `now`; undefined: none. */
  constructor(peak: number | undefined, now: number) {
    this.#peak = peak ?? Number.POSITIVE_INFINITY
    this.#millis = 10 * second
    this.#since = now - this.#millis
  }

  /** The limit that is held, in attempts a second; infinite: none. */
  get peak(): number {
    return this.#peak
  }

  get isLimited(): boolean {
    return this.#peak < Number.POSITIVE_INFINITY
  }

  /** The rate now, in attempts a second; infinite: as fast as it goes. */
  at(now: number): number {
    if (!this.isLimited) return this.#peak
    const past = now - this.#since - this.#millis
    const part = past < 0
      ? 1 - (1 - decrease) * Math.min(1, -past / this.#millis) ** 3
      : past < beyond
      ? 1 + excess * (past / beyond) ** 3
      : (1 + excess) * 2 ** ((past - beyond) / doubling)
    return Math.max(rates.least, this.#peak * part)
  }

  /** Whether the rate has grown so far that there is no limit any more. */
  isFree(now: number): boolean {
    return this.isLimited && this.at(now) > rates.most
  }

  /** A limit was met: the rate falls below it, and is there again after `millis`. */
  meet(peak: number, millis: number, now: number): void {
    this.#peak = peak
    this.#millis = millis
    this.#since = now
  }

  /** The limit lies higher than was thought. */
  raise(peak: number): void {
    this.#peak = peak
  }

  /** The rate is no limit: it goes on from a faster one. */
  exceed(rate: number, now: number): void {
    this.#peak = rate > rates.most ? Number.POSITIVE_INFINITY : rate
    this.#since = now - this.#millis
  }

  /** Nothing is sent for so long. */
  rest(millis: number): void {
    this.#since += millis
  }
}
