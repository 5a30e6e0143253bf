import type { BreakerSnapshot } from "./Breaker.ts"
import type { RateSnapshot } from "./pacing/LaneRate.ts"
import type { OutcomeClass } from "./webhooks/LastOutcome.ts"

/** A delivery that failed and is to be tried again. */
export interface RetryEntry {
  readonly sequence: number
  /** Attempts made so far. */
  readonly attempt: number
  /** Milliseconds until the next attempt, counted from the writing of this change. */
  readonly delay: number
  /** A word on how the last attempt ended. */
  readonly outcome: string
}

/** A delivery that was given up. */
export interface ExhaustedEntry {
  readonly sequence: number
  readonly attempts: number
  readonly outcome: string
}

/** How the last attempt ended. */
export interface LastAttempt {
  readonly class: OutcomeClass
  readonly status: number | undefined
  /** Where a redirect leads, masked. */
  readonly location: string | undefined
}

/**
 * What happened on a lane since it was last written (write-behind). One statement writes all of it, so the stored
 * cursor never passes a delivery that is neither settled nor in the retry table.
 */
export interface LaneChange {
  readonly endpointId: string
  /** Every delivery up to here is settled or in the retry table. */
  readonly cursor: number
  readonly delivered: number
  readonly failed: number
  readonly dropped: number
  readonly attempted: boolean
  readonly succeeded: boolean
  /** Whether an attempt failed since the last success. */
  readonly failing: boolean
  /** How many distinct deliveries failed since the last success; counted up to 10. */
  readonly failingDeliveries: number
  /** `probeAt` is replaced by the milliseconds until the probe. */
  readonly breaker: BreakerSnapshot
  /** `restUntil` is replaced by the milliseconds until then. */
  readonly rate: RateSnapshot
  /** Undefined when no attempt ended since the last change. */
  readonly last: LastAttempt | undefined
  /** Rows to write to the retry table. */
  readonly retries: ReadonlyArray<RetryEntry>
  /** Rows to remove from the retry table, because they are settled. */
  readonly settled: ReadonlyArray<number>
  readonly exhausted: ReadonlyArray<ExhaustedEntry>
}
