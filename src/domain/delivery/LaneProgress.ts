import type { BreakerSnapshot } from "./Breaker.ts"
import type { ExhaustedEntry, LaneChange, LastAttempt, RetryEntry } from "./LaneChange.ts"
import type { RateSnapshot } from "./pacing/LaneRate.ts"
import { freeRate } from "./pacing/LaneRate.ts"

/** Failed deliveries are counted up to this number; more make no difference. */
const countedFailures = 10

/** What happened on a lane and is not written yet. */
export class LaneProgress {
  readonly #endpointId: string
  #cursor: number
  #delivered = 0
  #failed = 0
  #dropped = 0
  #attempted = false
  #succeeded = false
  #failing: boolean
  #failingDeliveries: number
  readonly #failingSequences: Set<number>
  #retries: Array<RetryEntry> = []
  #settled: Array<number> = []
  #exhausted: Array<ExhaustedEntry> = []
  readonly #pending = new Set<number>()
  #last: LastAttempt | undefined
  #changed = false
  /**
   * One delivery holds up all others: each of its failed attempts counts, for it stands for those that are not attempted.
   */
  isInOrder = false

  constructor(endpointId: string, from: {
    readonly cursor: number
    readonly failing: boolean
    readonly failingDeliveries: number
    /** Deliveries that are known to have failed since the last success. */
    readonly failingSequences: ReadonlyArray<number>
  }) {
    this.#endpointId = endpointId
    this.#cursor = from.cursor
    this.#failing = from.failing
    this.#failingDeliveries = from.failingDeliveries
    this.#failingSequences = new Set(from.failingSequences.slice(0, countedFailures))
  }

  /** How many deliveries arrived since the lane was last written. */
  get unwritten(): number {
    return this.#delivered
  }

  /** Deliveries whose outcome is not yet in the retry table. */
  pending(): Iterable<number> {
    return this.#pending
  }

  /** A delivery arrived. `fromTable`: it has a row in the retry table. */
  delivered(sequence: number, fromTable: boolean): void {
    this.#delivered += 1
    this.#succeeded = true
    this.#failing = false
    this.#failingDeliveries = 0
    this.#failingSequences.clear()
    this.#finish(sequence, fromTable)
  }

  /** An attempt failed and there will be another. */
  failed(retry: RetryEntry): void {
    this.#fail(retry.sequence)
    this.#pending.add(retry.sequence)
    this.#retries.push(retry)
  }

  /** The last attempt failed. */
  exhausted(entry: ExhaustedEntry): void {
    this.#fail(entry.sequence)
    this.#pending.add(entry.sequence)
    this.#exhausted.push(entry)
  }

  /** The receiver does not want this one. */
  dropped(sequence: number, fromTable: boolean): void {
    this.#dropped += 1
    this.#finish(sequence, fromTable)
  }

  /** An attempt was refused for its pace, and counts as none. */
  throttled(): void {
    this.#attempted = true
    this.#changed = true
  }

  /** The endpoint does not take this one any more. */
  unwanted(sequence: number, fromTable: boolean): void {
    if (!fromTable) return
    this.#changed = true
    this.#pending.add(sequence)
    this.#settled.push(sequence)
  }

  /** An attempt ended like this. */
  ended(last: LastAttempt): void {
    this.#last = last
  }

  /**
   * What is to be written, or undefined when there is nothing. `probeIn`: milliseconds until the next probe. `restUntil`
   * of the rate is in milliseconds from now as well.
   */
  take(
    cursor: number,
    breaker: BreakerSnapshot,
    probeIn: number,
    rate: RateSnapshot = freeRate
  ): LaneChange | undefined {
    if (!this.#changed && cursor === this.#cursor) return undefined
    const change: LaneChange = {
      endpointId: this.#endpointId,
      cursor,
      delivered: this.#delivered,
      failed: this.#failed,
      dropped: this.#dropped,
      attempted: this.#attempted,
      succeeded: this.#succeeded,
      failing: this.#failing,
      failingDeliveries: this.#failingDeliveries,
      breaker: { ...breaker, probeAt: probeIn },
      rate,
      last: this.#last,
      retries: this.#retries,
      settled: this.#settled,
      exhausted: this.#exhausted
    }
    this.#cursor = cursor
    this.#delivered = 0
    this.#failed = 0
    this.#dropped = 0
    this.#attempted = false
    this.#succeeded = false
    this.#retries = []
    this.#settled = []
    this.#exhausted = []
    this.#last = undefined
    this.#changed = false
    return change
  }

  /** A change is written. */
  written(change: LaneChange): void {
    for (const { sequence } of change.retries) this.#pending.delete(sequence)
    for (const sequence of change.settled) this.#pending.delete(sequence)
    for (const { sequence } of change.exhausted) this.#pending.delete(sequence)
  }

  #finish(sequence: number, fromTable: boolean): void {
    this.#attempted = true
    this.#changed = true
    if (!fromTable) return
    this.#pending.add(sequence)
    this.#settled.push(sequence)
  }

  #fail(sequence: number): void {
    this.#attempted = true
    this.#changed = true
    this.#failed += 1
    this.#failing = true
    if (this.#failingSequences.size < countedFailures) this.#failingSequences.add(sequence)
    this.#failingDeliveries = this.isInOrder
      ? Math.min(countedFailures, this.#failingDeliveries + 1)
      : Math.max(this.#failingDeliveries, this.#failingSequences.size)
  }
}
