import { outcomeClass } from "../webhooks/LastOutcome.ts"
import { Breaker } from "./Breaker.ts"
import { DeliveryWindow, windowEvents } from "./DeliveryWindow.ts"
import type { LaneChange } from "./LaneChange.ts"
import type { AttemptVerdict, LaneItem, Settled, StoredLane, StoredRetry } from "./LaneItem.ts"
import { LanePace } from "./LanePace.ts"
import { LaneProgress } from "./LaneProgress.ts"
import { LaneRate } from "./LaneRate.ts"
import type { PendingRetry } from "./RetryList.ts"
import { RetryList } from "./RetryList.ts"
import { heldDelay, nextDelay } from "./RetryPolicy.ts"

/** How many retries one reading takes, and about how many a lane keeps in memory. */
export const retriesInMemory = 256

/**
 * A delivery that was refused for the receiver's pace this often while others arrived is refused for what it is: it counts
 * as failed, and waits in the retry table.
 */
const refusalsOfOne = 20

/**
 * The decisions of an endpoint's lane, without any effect: what is sent next, what an answer means, and what is to be
 * written. Times are milliseconds of the caller's clock. The invariant: each delivery is settled, or lies beyond the
 * cursor, or has a row in the retry table. So no crash loses one.
 */
export class LaneState<E extends { readonly sequence: number; readonly body: string }> {
  readonly window: DeliveryWindow<E>
  readonly retries = new RetryList()
  readonly breaker: Breaker
  readonly rate: LaneRate
  readonly #ledger: LaneProgress
  readonly #pace: LanePace
  readonly #underWay = new Set<number>()
  readonly #retryEvents = new Map<number, E>()
  /** Retries that were attempted and whose outcome is not yet in the retry table. */
  readonly #retriesBegun = new Set<number>()
  /** How often deliveries were refused for the receiver's pace, and after how many deliveries first. */
  readonly #refused = new Map<number, { count: number; readonly after: number }>()
  #delivered = 0
  /** The delivery that was refused last: others go first, in case that it is refused for what it is. */
  #refusedLast: number | undefined
  #slots = 0
  #preferRetry = false
  #isInOrder = false
  /** In order, no row of the retry table up to this sequence is unknown. */
  #knownUpTo = Number.POSITIVE_INFINITY

  /** Whether all rows of the retry table are in memory. */
  allRetriesKnown: boolean

  /** `known`: the first rows of the retry table, by when they are due, or by sequence for a lane in order. */
  constructor(
    endpointId: string,
    stored: StoredLane,
    known: ReadonlyArray<StoredRetry>,
    now: number,
    isInOrder = false
  ) {
    this.window = new DeliveryWindow(stored.cursor)
    this.breaker = new Breaker({ ...stored.breaker, probeAt: now + stored.breaker.probeAt })
    this.rate = new LaneRate({ ...stored.rate, restUntil: now + stored.rate.restUntil })
    this.#pace = new LanePace(stored.breaker.state !== "closed")
    this.#ledger = new LaneProgress(endpointId, {
      ...stored,
      failingSequences: known.filter(({ recent }) => recent).map(({ sequence }) => sequence)
    })
    for (const { attempt, dueIn, sequence } of known) this.retries.add({ sequence, attempt, due: now + dueIn })
    this.allRetriesKnown = known.length < retriesInMemory
    this.#isInOrder = isInOrder
    this.#ledger.isInOrder = isInOrder
    if (isInOrder && !this.allRetriesKnown) this.#knownUpTo = known.at(-1)!.sequence
  }

  /** Attempts in flight, and failures that are not written yet. */
  get slots(): number {
    return this.#slots
  }

  /** Attempts under way. */
  get underWay(): number {
    return this.#underWay.size
  }

  /** Deliveries that arrived since a change was last taken. */
  get unwritten(): number {
    return this.#ledger.unwritten
  }

  /**
   * Deliveries that were attempted and are not written: at most these would be repeated after a crash. There are never
   * more than the window holds, because the cursor waits for the oldest delivery without an outcome.
   */
  get repeatable(): number {
    return this.window.begun + this.#retriesBegun.size
  }

  /**
   * When the next attempt may start, once the breaker and the receiver's pace allow it, and in order the delivery that
   * holds up all others is due.
   */
  get opensAt(): number {
    const opens = this.breaker.state === "open" ? this.breaker.probeAt : 0
    return Math.max(opens, this.rate.nextAt, this.#holding()?.due ?? 0)
  }

  /** Whether breaker and rate, and in order the delivery that holds up all others, allow an attempt now. */
  allows(now: number): boolean {
    return this.breaker.allows(now) && this.rate.allows(now) && (this.#holding()?.due ?? now) <= now
  }

  /** In order: one delivery at a time, and none before the one before it was accepted. */
  get isInOrder(): boolean {
    return this.#isInOrder
  }

  /** Whether the endpoint asks for order from now on. What waits for a retry is due then, each in its turn. */
  setInOrder(isInOrder: boolean, now: number): void {
    if (isInOrder === this.#isInOrder) return
    this.#isInOrder = isInOrder
    this.#ledger.isInOrder = isInOrder
    if (!isInOrder) return
    this.retries.allDue(now)
    if (this.allRetriesKnown) return
    // In memory are those that are due first, and not those that come first. What is not written yet is in no table.
    const unwritten = new Set(this.#ledger.pending())
    for (const sequence of this.retries.sequences()) if (!unwritten.has(sequence)) this.#forget(sequence)
    this.#knownUpTo = -1
  }

  /** Events up to here must not be sent any more. */
  skip(upTo: number): void {
    for (const sequence of this.retries.sequences()) {
      if (sequence > upTo) continue
      this.#forget(sequence)
      // Its row is gone, unless it was written since.
      this.#ledger.unwanted(sequence, true)
    }
  }

  #forget(sequence: number): void {
    this.retries.remove(sequence)
    this.#retryEvents.delete(sequence)
  }

  /** In order, the retry before which nothing may be sent. */
  #holding(): PendingRetry | undefined {
    if (!this.#isInOrder || this.retries.size === 0) return undefined
    const [lowest] = this.retries.lowest(1)
    return lowest!.sequence < (this.window.firstWaiting?.sequence ?? Number.POSITIVE_INFINITY) ? lowest : undefined
  }

  /** Whether a delivery waits and may start now. */
  mayStart(now: number): boolean {
    if (this.#isInOrder && this.#slots > 0) return false
    return this.#slots < this.#pace.limit && this.repeatable < windowEvents && this.allows(now) &&
      (this.window.hasWaiting || this.#retryEvents.has(this.#firstRetry(now)?.sequence ?? -1))
  }

  #firstRetry(now: number): PendingRetry | undefined {
    return this.#isInOrder ? this.retries.lowest(1)[0] : this.retries.due(now, 1)[0]
  }

  /** The next delivery, or undefined when none may start now. Due retries and new events take turns. */
  next(now: number): LaneItem<E> | undefined {
    if (!this.mayStart(now)) return undefined
    if (this.#isInOrder) return this.#nextInOrder(now)
    const due = this.retries.due(now, 1)[0]
    const event = due === undefined ? undefined : this.#retryEvents.get(due.sequence)
    if (due !== undefined && event !== undefined && (this.#preferRetry || !this.window.hasWaiting)) {
      this.#preferRetry = false
      this.retries.remove(due.sequence)
      this.#retryEvents.delete(due.sequence)
      return this.#start(event, due.attempt + 1, true, now)
    }
    this.#preferRetry = true
    const fresh = this.window.take(this.#refusedLast)
    return fresh === undefined ? undefined : this.#start(fresh, 1, false, now)
  }

  /** The delivery that comes first, or undefined when it may not start now, or nobody knows yet which one it is. */
  #nextInOrder(now: number): LaneItem<E> | undefined {
    const holding = this.#holding()
    if (holding === undefined) {
      const fresh = this.allRetriesKnown ? this.window.take() : undefined
      return fresh === undefined ? undefined : this.#start(fresh, 1, false, now)
    }
    const event = this.#retryEvents.get(holding.sequence)
    if (holding.due > now || holding.sequence > this.#knownUpTo || event === undefined) return undefined
    this.#forget(holding.sequence)
    return this.#start(event, holding.attempt + 1, true, now)
  }

  /** The delivery was not attempted after all. */
  withdraw(item: LaneItem<E>, now: number): void {
    const { sequence } = item.event
    if (!this.#underWay.delete(sequence)) return
    this.#slots -= 1
    this.breaker.abandon(item.probe)
    this.#putBack(item, now)
  }

  /** The endpoint does not take such events any more: the delivery is settled without an attempt. */
  discard(item: LaneItem<E>): void {
    const { sequence } = item.event
    if (!this.#underWay.delete(sequence)) return
    this.#slots -= 1
    this.breaker.abandon(item.probe)
    this.#refused.delete(sequence)
    this.#ledger.unwanted(sequence, item.fromTable)
    if (!item.fromTable) this.window.settle(sequence)
  }

  #putBack(item: LaneItem<E>, now: number): void {
    const { sequence } = item.event
    if (item.fromTable) {
      this.#retriesBegun.delete(sequence)
      this.retries.add({ sequence, attempt: item.attempt - 1, due: now })
      this.#retryEvents.set(sequence, item.event)
    } else this.window.putBack(sequence)
  }

  /** An attempt ended. `u` is uniform in [0, 1). */
  settle(item: LaneItem<E>, verdict: AttemptVerdict, now: number, u: number): Settled {
    const { sequence } = item.event
    const { outcome, status } = verdict
    this.#underWay.delete(sequence)
    this.#ledger.ended({ class: outcomeClass(verdict), status, location: verdict.location })
    if (outcome === "throttled" && this.#throttle(item, verdict, now, u)) {
      return { arrived: false, isThrottled: true, disable: undefined }
    }
    this.#refused.delete(sequence)
    const arrived = outcome === "delivered" || (outcome === "disable" && status !== undefined && status < 300)
    if (arrived || outcome === "drop") {
      this.#slots -= 1
      if (this.breaker.succeed(item.probe, now)) this.#pace.recover()
      else this.#pace.succeed()
      this.rate.succeed(now)
      this.#delivered += 1
      if (arrived) this.#ledger.delivered(sequence, item.fromTable)
      else this.#ledger.dropped(sequence, item.fromTable)
    } else this.#fail(item, verdict, now, u)
    if (!item.fromTable) this.window.settle(sequence)
    const disable = outcome !== "disable" ? undefined : status === 410 ? "gone" : "requested_by_receiver"
    return { arrived, isThrottled: false, disable }
  }

  /**
   * The receiver asks for a slower pace: the delivery waits, and no row is written. Answers false when only this one is
   * refused, again and again.
   */
  #throttle(item: LaneItem<E>, { retryAfter }: AttemptVerdict, now: number, u: number): boolean {
    const { sequence } = item.event
    if (this.rate.refuse({ startedAt: item.startedAt, now, asked: retryAfter, u })) this.#pace.congest()
    const refused = this.#refused.get(sequence) ?? { count: 0, after: this.#delivered }
    refused.count += 1
    if (refused.count >= refusalsOfOne && this.#delivered > refused.after) return false
    this.#refused.set(sequence, refused)
    this.#refusedLast = sequence
    this.#slots -= 1
    this.breaker.abandon(item.probe)
    this.#ledger.throttled()
    this.#putBack(item, now)
    return true
  }

  /** An attempt failed. The slot stays taken until that is written. */
  #fail(item: LaneItem<E>, { congested, outcome, reason, retryAfter }: AttemptVerdict, now: number, u: number): void {
    const { sequence } = item.event
    if (congested) this.#pace.congest()
    if (outcome === "throttled") this.breaker.abandon(item.probe)
    else this.breaker.fail(item.probe, now)
    const delay = (this.#isInOrder ? heldDelay : nextDelay)(item.attempt, u, retryAfter)
    if (delay === undefined) return this.#ledger.exhausted({ sequence, attempts: item.attempt, outcome: reason })
    this.#ledger.failed({ sequence, attempt: item.attempt, delay, outcome: reason })
    this.retries.add({ sequence, attempt: item.attempt, due: now + delay })
    if (this.retries.size > 2 * retriesInMemory) {
      this.retries.dropLast()
      this.allRetriesKnown = false
    }
  }

  /**
   * Somebody changed the endpoint: an open breaker tries at once. `isElsewhere`: its URL leads to another receiver, of
   * whose pace nothing is known, and what failed at the one before is due.
   */
  changed(now: number, isElsewhere: boolean): void {
    this.breaker.tryAgain(now)
    if (this.#isInOrder) this.retries.allDue(now)
    if (!isElsewhere) return
    this.rate.reset()
    this.#refused.clear()
    this.retries.allDue(now)
  }

  /** All deliveries that are in memory: a reading of the retry table that starts now must not add them again. */
  inHand(): ReadonlySet<number> {
    return new Set([...this.retries.sequences(), ...this.#underWay, ...this.#ledger.pending()])
  }

  /**
   * Adds rows of the retry table, whose reading began at `readAt`. `before` is what was in memory then. Those
   * deliveries may have been settled during the reading, so their rows are stale and are passed over.
   */
  learn(rows: ReadonlyArray<StoredRetry>, before: ReadonlySet<number>, readAt: number): void {
    const now = this.inHand()
    for (const { attempt, dueIn, sequence } of rows) {
      if (before.has(sequence) || now.has(sequence)) continue
      this.retries.add({ sequence, attempt, due: readAt + dueIn })
    }
    this.allRetriesKnown = rows.length < retriesInMemory
    this.#knownUpTo = this.allRetriesKnown ? Number.POSITIVE_INFINITY : rows.at(-1)!.sequence
  }

  /** Retries that are due and whose events are not in memory, at most `limit`. */
  missingEvents(now: number, limit: number): ReadonlyArray<number> {
    const next = this.#isInOrder ? this.retries.lowest(limit) : this.retries.due(now, limit)
    return next.map(({ sequence }) => sequence)
      .filter((sequence) => !this.#retryEvents.has(sequence))
  }

  /** Takes the events of retries. A retry whose event is not in the feed is given up. */
  supplyEvents(asked: ReadonlyArray<number>, events: ReadonlyArray<E>): void {
    for (const event of events) if (this.retries.has(event.sequence)) this.#retryEvents.set(event.sequence, event)
    for (const sequence of asked) {
      if (this.#retryEvents.has(sequence) || !this.retries.has(sequence)) continue
      this.retries.remove(sequence)
      this.#ledger.dropped(sequence, true)
    }
  }

  /** What is to be written, or undefined when there is nothing. */
  takeChange(now: number): LaneChange | undefined {
    const rate = this.rate.snapshot(now)
    return this.#ledger.take(this.window.cursor, this.breaker.snapshot, Math.max(0, this.breaker.probeAt - now), {
      ...rate,
      restUntil: Math.max(0, rate.restUntil - now)
    })
  }

  /** A change is written: its failures free their slots. */
  changeWritten(change: LaneChange): void {
    this.#ledger.written(change)
    this.window.written(change.cursor)
    for (const sequence of change.settled) this.#retriesBegun.delete(sequence)
    for (const { sequence } of change.retries) this.#retriesBegun.delete(sequence)
    for (const { sequence } of change.exhausted) this.#retriesBegun.delete(sequence)
    this.#slots -= change.retries.length + change.exhausted.length
  }

  #start(event: E, attempt: number, fromTable: boolean, now: number): LaneItem<E> {
    this.#slots += 1
    this.rate.begin(now)
    this.#underWay.add(event.sequence)
    if (fromTable) this.#retriesBegun.add(event.sequence)
    return { event, attempt, fromTable, probe: this.breaker.begin(), startedAt: now }
  }
}
