/** Where a breaker stands: `open` makes no attempts until its next probe, `half_open` waits for that probe's answer. */
export type BreakerState = "closed" | "open" | "half_open"

/** The part of a breaker that survives a restart. `probeAt` is in milliseconds of the caller's clock. */
export interface BreakerSnapshot {
  readonly state: BreakerState
  readonly consecutiveFailures: number
  readonly probeCount: number
  readonly probeAt: number
}

/** The breaker of a healthy endpoint. */
export const closedBreaker: BreakerSnapshot = { state: "closed", consecutiveFailures: 0, probeCount: 0, probeAt: 0 }

const consecutiveLimit = 10
const windowMillis = 60_000
const windowMinimum = 20
const bucketMillis = 5_000
const bucketCount = windowMillis / bucketMillis
const firstProbe = 5_000
const lastProbe = 300_000

/** The wait in milliseconds before probe number `count` (from 0): 5 s, doubling, at most 5 minutes. */
export const probeDelay = (count: number): number => Math.min(firstProbe * 2 ** Math.min(count, 16), lastProbe)

/**
 * Stops attempts to a receiver that is down. Opens after 10 failures in a row, or when at least half of 20 or more
 * attempts in the last 60 seconds failed; then lets a single probe through at a time. All times are milliseconds of
 * the caller's clock, so that a test can drive it.
 */
export class Breaker {
  #state: BreakerState
  #consecutive: number
  #probeCount: number
  #probeAt: number
  readonly #succeeded = Array.from({ length: bucketCount }, () => 0)
  readonly #failed = Array.from({ length: bucketCount }, () => 0)
  #bucket = 0

  constructor(from: BreakerSnapshot = closedBreaker) {
    // A probe that was in flight when its node ended is repeated.
    this.#state = from.state === "closed" ? "closed" : "open"
    this.#consecutive = from.consecutiveFailures
    this.#probeCount = from.probeCount
    this.#probeAt = from.probeAt
  }

  get state(): BreakerState {
    return this.#state
  }

  /** Whether the last attempt failed. */
  get inDoubt(): boolean {
    return this.#state !== "closed" || this.#consecutive > 0
  }

  /** When the next probe may be made; meaningful only while open. */
  get probeAt(): number {
    return this.#probeAt
  }

  get snapshot(): BreakerSnapshot {
    return {
      state: this.#state,
      consecutiveFailures: this.#consecutive,
      probeCount: this.#probeCount,
      probeAt: this.#probeAt
    }
  }

  /** Whether an attempt may start now. */
  allows(now: number): boolean {
    return this.#state === "closed" || (this.#state === "open" && now >= this.#probeAt)
  }

  /** Notes that an attempt starts; answers whether it is a probe. Call only when {@link allows}. */
  begin(): boolean {
    if (this.#state === "closed") return false
    this.#state = "half_open"
    return true
  }

  /** Notes that a probe was given up without an answer: another may be made at once. */
  abandon(probe: boolean): void {
    if (probe && this.#state === "half_open") this.#state = "open"
  }

  /** A probe may be made at once, and the waits between probes begin anew. */
  tryAgain(now: number): void {
    this.#probeCount = 0
    this.#probeAt = Math.min(this.#probeAt, now)
  }

  /** Notes a success; answers whether the breaker closed because of it. */
  succeed(probe: boolean, now: number): boolean {
    this.#consecutive = 0
    if (probe && this.#state !== "closed") {
      this.#state = "closed"
      this.#probeCount = 0
      this.#succeeded.fill(0)
      this.#failed.fill(0)
      return true
    }
    const bucket = this.#turnTo(now)
    this.#succeeded[bucket] = this.#succeeded[bucket]! + 1
    return false
  }

  /** Notes a failure; answers whether the breaker opened because of it. */
  fail(probe: boolean, now: number): boolean {
    this.#consecutive += 1
    const bucket = this.#turnTo(now)
    this.#failed[bucket] = this.#failed[bucket]! + 1
    if (probe && this.#state === "half_open") {
      this.#probeCount += 1
      this.#open(now)
      return false
    }
    // An attempt that started before the breaker opened says nothing new.
    if (this.#state !== "closed") return false
    const failed = this.#failed.reduce((sum, count) => sum + count, 0)
    const all = failed + this.#succeeded.reduce((sum, count) => sum + count, 0)
    if (this.#consecutive < consecutiveLimit && (all < windowMinimum || failed * 2 < all)) return false
    this.#probeCount = 0
    this.#open(now)
    return true
  }

  #open(now: number): void {
    this.#state = "open"
    this.#probeAt = now + probeDelay(this.#probeCount)
  }

  /** Empties the buckets of the sliding window that have expired; answers the index of the current one. */
  #turnTo(now: number): number {
    const bucket = Math.floor(now / bucketMillis)
    const passed = Math.min(Math.max(bucket - this.#bucket, 0), bucketCount)
    for (let index = 1; index <= passed; index++) {
      const stale = (this.#bucket + index) % bucketCount
      this.#succeeded[stale] = 0
      this.#failed[stale] = 0
    }
    if (passed === bucketCount) {
      this.#succeeded.fill(0)
      this.#failed.fill(0)
    }
    if (bucket > this.#bucket) this.#bucket = bucket
    return this.#bucket % bucketCount
  }
}
