import type { BreakerSnapshot } from "./Breaker.ts"
import type { RateSnapshot } from "./pacing/LaneRate.ts"
import type { Outcome } from "./RetryPolicy.ts"
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
