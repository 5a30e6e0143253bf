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
