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
