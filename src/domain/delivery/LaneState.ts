import { Breaker } from "./Breaker.ts"
import { DeliveryWindow, windowEvents } from "./DeliveryWindow.ts"
import type { AttemptVerdict, LaneChange, LaneItem, Settled, StoredLane, StoredRetry } from "./LaneChange.ts"
import { LaneProgress } from "./LaneProgress.ts"
import { LaneRetries } from "./LaneRetries.ts"
import type { PendingRetry } from "./LaneRetries.ts"
import { LanePace, LaneRate, PaceRefusals } from "./pacing/LaneRate.ts"
import { heldDelay, nextDelay } from "./RetryPolicy.ts"
import { outcomeClass } from "./webhooks/LastOutcome.ts"

/**
 * A lane waits in memory for a retry or probe that is due within this time, in milliseconds. For later ones the sweep
 * wakes it.
 */
export const lingerMillis = 10_000

/** What a lane knows once it has started all that may start. Times are milliseconds of its clock. */
export interface LaneView {
  readonly now: number
  /** Whether breaker, pace and order allow an attempt now, and otherwise from when on. */
  readonly isAllowed: boolean
  readonly opensAt: number
  /** When the first retry in memory is due. */
  readonly retryAt: number | undefined
  /** Whether attempts or errands are under way; the end of each wakes the lane. */
  readonly isBusy: boolean
  /** Whether events wait to be attempted for the first time. */
  readonly hasMore: boolean
}

/** What a lane waits for. */
export interface LaneOutlook {
  /** Whether it waits for anything in memory; if not, it may end, and the sweep wakes it. */
  readonly isWaiting: boolean
  /** When it must look again, if nobody wakes it before. */
  readonly wakeAt: number | undefined
}

/** Decides what a lane waits for. */
export const outlookOf = ({ hasMore, isAllowed, isBusy, now, opensAt, retryAt }: LaneView): LaneOutlook => {
  if (!isAllowed && opensAt > now) {
    return opensAt - now > lingerMillis
      ? { isWaiting: isBusy, wakeAt: undefined }
      : { isWaiting: true, wakeAt: opensAt }
  }
  const isSoon = retryAt !== undefined && retryAt - now <= lingerMillis
  return { isWaiting: isBusy || isSoon || hasMore, wakeAt: isSoon && retryAt > now ? retryAt : undefined }
}

/**
 * The decisions of an endpoint's lane, without any effect: what is sent next, what an answer means, and what is to be
 * written. Times are milliseconds of the caller's clock. The invariant: each delivery is settled, or lies beyond the
 * cursor, or has a row in the retry table. So no crash loses one.
 */
export class LaneState<E extends { readonly sequence: number; readonly body: string }> {
  readonly window: DeliveryWindow<E>
  readonly retries: LaneRetries<E>
  readonly breaker: Breaker
  readonly rate: LaneRate
  readonly #ledger: LaneProgress
  readonly #pace: LanePace
  readonly #underWay = new Set<number>()
  /** Retries that were attempted and whose outcome is not yet in the retry table. */
  readonly #retriesBegun = new Set<number>()
  readonly #refused = new PaceRefusals()
  #slots = 0
  #preferRetry = false
  #isInOrder: boolean

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
    this.retries = new LaneRetries(known, now, isInOrder)
    this.#isInOrder = isInOrder
    this.#ledger.isInOrder = isInOrder
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
    if (isInOrder) this.retries.beginOrder(now, new Set(this.#ledger.pending()))
  }

  /** Events up to here must not be sent any more. */
  skip(upTo: number): void {
    for (const sequence of this.retries.sequences()) {
      if (sequence > upTo) continue
      this.retries.remove(sequence)
      // Its row is gone, unless it was written since.
      this.#ledger.unwanted(sequence, true)
    }
  }

  /** In order, the retry before which nothing may be sent. */
  #holding(): PendingRetry | undefined {
    return this.#isInOrder ? this.retries.lowestBefore(this.window.firstWaiting?.sequence) : undefined
  }

  /** Whether a delivery waits and may start now. */
  mayStart(now: number): boolean {
    if (this.#isInOrder && this.#slots > 0) return false
    return this.#slots < this.#pace.limit && this.repeatable < windowEvents && this.allows(now) &&
      (this.window.hasWaiting || this.retries.eventOf(this.retries.next(now, this.#isInOrder)) !== undefined)
  }

  /** The next delivery, or undefined when none may start now. Due retries and new events take turns. */
  next(now: number): LaneItem<E> | undefined {
    if (!this.mayStart(now)) return undefined
    if (this.#isInOrder) return this.#nextInOrder(now)
    const due = this.retries.next(now, false)
    const event = this.retries.eventOf(due)
    if (due !== undefined && event !== undefined && (this.#preferRetry || !this.window.hasWaiting)) {
      this.#preferRetry = false
      this.retries.remove(due.sequence)
      return this.#start(event, due.attempt + 1, true, now)
    }
    this.#preferRetry = true
    const fresh = this.window.take(this.#refused.last)
    return fresh === undefined ? undefined : this.#start(fresh, 1, false, now)
  }

  /** The delivery that comes first, or undefined when it may not start now, or nobody knows yet which one it is. */
  #nextInOrder(now: number): LaneItem<E> | undefined {
    const holding = this.#holding()
    if (holding === undefined) {
      const fresh = this.retries.areAllKnown ? this.window.take() : undefined
      return fresh === undefined ? undefined : this.#start(fresh, 1, false, now)
    }
    const event = this.retries.eventOf(holding)
    if (holding.due > now || !this.retries.isKnownUpTo(holding.sequence) || event === undefined) return undefined
    this.retries.remove(holding.sequence)
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
    this.#refused.forget(sequence)
    this.#ledger.unwanted(sequence, item.fromTable)
    if (!item.fromTable) this.window.settle(sequence)
  }

  #putBack(item: LaneItem<E>, now: number): void {
    const { sequence } = item.event
    if (item.fromTable) {
      this.#retriesBegun.delete(sequence)
      this.retries.addWith(item.event, { sequence, attempt: item.attempt - 1, due: now })
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
    this.#refused.forget(sequence)
    const arrived = outcome === "delivered" || (outcome === "disable" && status !== undefined && status < 300)
    if (arrived || outcome === "drop") {
      this.#slots -= 1
      if (this.breaker.succeed(item.probe, now)) this.#pace.recover()
      else this.#pace.succeed()
      this.rate.succeed(item.startedAt)
      this.#refused.arrived()
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
    if (this.rate.refuse({ startedAt: item.startedAt, now, requested: retryAfter, u })) this.#pace.congest()
    if (!this.#refused.isOfPace(sequence)) return false
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
    this.retries.trim()
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
    this.retries.learn(rows, (sequence) => before.has(sequence) || now.has(sequence), readAt)
  }

  /** Retries that are due and whose events are not in memory, at most `limit`. */
  missingEvents(now: number, limit: number): ReadonlyArray<number> {
    return this.retries.missingEvents(now, this.#isInOrder, limit)
  }

  /** Takes the events of retries. A retry whose event is not in the feed is given up. */
  supplyEvents(requested: ReadonlyArray<number>, events: ReadonlyArray<E>): void {
    for (const sequence of this.retries.supplyEvents(requested, events)) this.#ledger.dropped(sequence, true)
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
    for (const { sequence } of [...change.retries, ...change.exhausted]) this.#retriesBegun.delete(sequence)
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
