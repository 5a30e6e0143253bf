import type { BreakerSnapshot } from "./Breaker.ts"
import type { RateSnapshot } from "./pacing/LaneRate.ts"
import type { Outcome } from "./RetryPolicy.ts"
import type { OutcomeClass } from "./webhooks/LastOutcome.ts"
import type { DisabledReason } from "./webhooks/Webhook.ts"

/** The result of an attempt. */
export interface AttemptVerdict {
  readonly outcome: Outcome
  /** What happened, in a word: a status, or the transport's error. Stored with a retry. */
  readonly reason: string
  readonly status: number | undefined
  /** The receiver is overloaded: it did not answer in time. */
  readonly congested: boolean
  /** How long the receiver asks to be left alone (Retry-After), in milliseconds. */
  readonly retryAfter: number | undefined
  /** Where a redirect leads, masked. */
  readonly location?: string | undefined
}

/** What `LaneState.settle` made of an attempt. */
export interface Settled {
  readonly arrived: boolean
  /** The receiver asked for a slower pace: this was no attempt, and the delivery waits. */
  readonly isThrottled: boolean
  /** Why the endpoint is to be disabled, if it is. */
  readonly disable: DisabledReason | undefined
}

/** A lane as it was left. `breaker.probeAt` and `rate.restUntil` are in milliseconds from now. */
export interface StoredLane {
  readonly cursor: number
  readonly breaker: BreakerSnapshot
  readonly rate: RateSnapshot
  readonly failing: boolean
  readonly failingDeliveries: number
}

/** A row of the retry table. */
export interface StoredRetry {
  readonly sequence: number
  /** Attempts made so far. */
  readonly attempt: number
  /** Milliseconds until it is due, counted from the reading; negative when it is overdue. */
  readonly dueIn: number
  /** Whether it failed since the endpoint's last success. */
  readonly recent: boolean
}

/** One delivery in hand. */
export interface LaneItem<E> {
  readonly event: E
  /** From 1. */
  readonly attempt: number
  /** It has a row in the retry table. */
  readonly fromTable: boolean
  /** The breaker is open, and this attempt decides whether it closes. */
  readonly probe: boolean
  readonly startedAt: number
}

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
