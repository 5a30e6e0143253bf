import type { StoredRetry } from "./LaneChange.ts"

/** A delivery that waits for its next attempt. `due` is in milliseconds of the owner's clock. */
export interface PendingRetry {
  readonly sequence: number
  /** Attempts made so far. */
  readonly attempt: number
  readonly due: number
}

/** The pending retries of a lane, earliest due first; each sequence at most once. */
export class RetryList {
  readonly #items: Array<PendingRetry> = []
  readonly #sequences = new Set<number>()

  get size(): number {
    return this.#items.length
  }

  has(sequence: number): boolean {
    return this.#sequences.has(sequence)
  }

  sequences(): Iterable<number> {
    return this.#sequences
  }

  /** The one that is due first. */
  first(): PendingRetry | undefined {
    return this.#items[0]
  }

  /** Those that are due at `now`, at most `limit`, without taking them out. */
  due(now: number, limit: number): ReadonlyArray<PendingRetry> {
    const due: Array<PendingRetry> = []
    for (const item of this.#items) {
      if (item.due > now || due.length === limit) break
      due.push(item)
    }
    return due
  }

  /** Those with the lowest sequences, in order, at most `limit`. */
  lowest(limit: number): ReadonlyArray<PendingRetry> {
    return this.#items.toSorted((one, other) => one.sequence - other.sequence).slice(0, limit)
  }

  /** The lowest, if it comes before an event; of all of them if there is none. */
  lowestBefore(sequence = Number.POSITIVE_INFINITY): PendingRetry | undefined {
    const [lowest] = this.#items.length === 0 ? [] : this.lowest(1)
    return lowest !== undefined && lowest.sequence < sequence ? lowest : undefined
  }

  /** Adds a retry, unless one of the same sequence is there. */
  add(retry: PendingRetry): void {
    if (this.#sequences.has(retry.sequence)) return
    this.#sequences.add(retry.sequence)
    let low = 0
    let high = this.#items.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#items[middle]!.due <= retry.due) low = middle + 1
      else high = middle
    }
    this.#items.splice(low, 0, retry)
  }

  /** Takes a retry out. */
  remove(sequence: number): void {
    if (!this.#sequences.delete(sequence)) return
    this.#items.splice(this.#items.findIndex((item) => item.sequence === sequence), 1)
  }

  /** All are due at `now`, in the order in which they would have been. */
  allDue(now: number): void {
    for (const [index, { due, ...retry }] of this.#items.entries()) {
      this.#items[index] = { ...retry, due: Math.min(due, now) }
    }
  }

  /** Takes out and forgets the one that is due last. */
  dropLast(): void {
    const last = this.#items.pop()
    if (last !== undefined) this.#sequences.delete(last.sequence)
  }
}

/** How many retries one reading takes, and about how many a lane keeps in memory. */
export const retriesInMemory = 256

/** The retries of a lane as far as its memory goes, and the events of those that come next. */
export class LaneRetries<E extends { readonly sequence: number }> extends RetryList {
  readonly #events = new Map<number, E>()
  /** In order, no row of the retry table up to this sequence is unknown. */
  #knownUpTo = Number.POSITIVE_INFINITY

  /** Whether all rows of the retry table are in memory. */
  areAllKnown: boolean

  /** `rows`: the first rows of the retry table, by when they are due, or by sequence for a lane in order. */
  constructor(rows: ReadonlyArray<StoredRetry>, now: number, isInOrder: boolean) {
    super()
    for (const { attempt, dueIn, sequence } of rows) this.add({ sequence, attempt, due: now + dueIn })
    this.areAllKnown = rows.length < retriesInMemory
    if (isInOrder && !this.areAllKnown) this.#knownUpTo = rows.at(-1)!.sequence
  }

  /** The retry that comes first, where it may be attempted now or, in order, when it is due. */
  next(now: number, isInOrder: boolean): PendingRetry | undefined {
    return this.#nextOnes(now, isInOrder, 1)[0]
  }

  #nextOnes(now: number, isInOrder: boolean, limit: number): ReadonlyArray<PendingRetry> {
    return isInOrder ? this.lowest(limit) : this.due(now, limit)
  }

  /** The event of a retry; undefined while it is not in memory. */
  eventOf(retry: PendingRetry | undefined): E | undefined {
    return retry === undefined ? undefined : this.#events.get(retry.sequence)
  }

  /** Whether every row of the retry table before a sequence is in memory. */
  isKnownUpTo(sequence: number): boolean {
    return sequence <= this.#knownUpTo
  }

  /** Adds a retry whose event is at hand. */
  addWith(event: E, retry: PendingRetry): void {
    this.add(retry)
    this.#events.set(event.sequence, event)
  }

  override remove(sequence: number): void {
    super.remove(sequence)
    this.#events.delete(sequence)
  }

  /** Keeps within the memory that a lane has. */
  trim(): void {
    if (this.size <= 2 * retriesInMemory) return
    this.dropLast()
    this.areAllKnown = false
  }

  /** From now on they go in order, each in its turn. `unwritten`: those that are in no table. */
  beginOrder(now: number, unwritten: ReadonlySet<number>): void {
    this.allDue(now)
    if (this.areAllKnown) return
    // In memory are those that are due first, and not those that come first.
    for (const sequence of this.sequences()) if (!unwritten.has(sequence)) this.remove(sequence)
    this.#knownUpTo = -1
  }

  /** Adds rows of the retry table, as they were at `readAt`, but for those of which more is known. */
  learn(rows: ReadonlyArray<StoredRetry>, isStale: (sequence: number) => boolean, readAt: number): void {
    for (const { attempt, dueIn, sequence } of rows) {
      if (!isStale(sequence)) this.add({ sequence, attempt, due: readAt + dueIn })
    }
    this.areAllKnown = rows.length < retriesInMemory
    this.#knownUpTo = this.areAllKnown ? Number.POSITIVE_INFINITY : rows.at(-1)!.sequence
  }

  /** The next retries whose events are not in memory, at most `limit`. */
  missingEvents(now: number, isInOrder: boolean, limit: number): ReadonlyArray<number> {
    return this.#nextOnes(now, isInOrder, limit)
      .map(({ sequence }) => sequence)
      .filter((sequence) => !this.#events.has(sequence))
  }

  /** Takes the events of retries; takes out and answers those whose event is not in the feed. */
  supplyEvents(requested: ReadonlyArray<number>, events: ReadonlyArray<E>): ReadonlyArray<number> {
    for (const event of events) if (this.has(event.sequence)) this.#events.set(event.sequence, event)
    const gone = requested.filter((sequence) => !this.#events.has(sequence) && this.has(sequence))
    for (const sequence of gone) this.remove(sequence)
    return gone
  }
}
