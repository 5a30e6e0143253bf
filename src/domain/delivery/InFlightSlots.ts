/** Upper bounds of the buckets in milliseconds, each 1.25 times the one before. A last bucket takes the rest. */
const bounds: ReadonlyArray<number> = Array.from({ length: 80 }, (_, index) => 1.25 ** (index - 2))

/** How many buckets a histogram of latencies has. */
export const bucketCount = bounds.length

/** The bucket of a latency in milliseconds. */
export const bucketOf = (millis: number): number =>
  millis <= bounds[0]! ? 0 : Math.min(Math.ceil(Math.log(millis) / Math.log(1.25) - 1e-9) + 2, bucketCount - 1)

/**
 * The quantile `q` (0 to 1) of the observed latencies in whole milliseconds: the upper bound of its bucket, so at most
 * 25 % too high. Undefined when there are no observations.
 */
export const quantile = (buckets: ReadonlyArray<number>, q: number): number | undefined => {
  const all = buckets.reduce((sum, count) => sum + count, 0)
  if (all === 0) return undefined
  let cumulative = 0
  for (const [index, count] of buckets.entries()) {
    cumulative += count
    if (cumulative >= q * all) return Math.max(1, Math.round(bounds[index] ?? bounds.at(-1)!))
  }
  return Math.round(bounds.at(-1)!)
}

/** A lane as it asks for the node's slots. */
export interface SlotUser {
  /** Says that asking again may succeed. */
  readonly wake: () => void
}

interface Holding {
  /** Slots held. */
  all: number
  /** Those of them that were taken in doubt. */
  doubtful: number
}

/** A further slot needs this many free ones, beyond one half of all, for each slot that the lane already holds. */
const freePerHeld = 16

/**
 * The attempts that one node may have in flight, shared among its lanes so that receivers that hang leave room for
 * those that answer. A lane's first slot needs one free slot. Its further slots come from one half of all, and the more
 * a lane holds, the more of that half must be free. Lanes in doubt, whose last attempt failed, together hold at most
 * half of all slots. A lane that is refused waits in line and is woken in its turn.
 */
export class InFlightSlots {
  readonly #half: number
  readonly #holdings = new Map<SlotUser, Holding>()
  /** Two lines of waiting lanes, each with whether it is in doubt: for a first slot, and for a further one. */
  readonly #first = new Map<SlotUser, boolean>()
  readonly #further = new Map<SlotUser, boolean>()
  #free: number
  #doubtful = 0

  constructor(capacity: number) {
    this.#free = capacity
    this.#half = Math.floor(capacity / 2)
  }

  /** How many slots are free. */
  get free(): number {
    return this.#free
  }

  /** Takes a slot, or refuses and has the lane wait for its turn. `doubtful`: its last attempt failed. */
  take(user: SlotUser, doubtful: boolean): boolean {
    const holding = this.#holdings.get(user) ?? { all: 0, doubtful: 0 }
    if (!this.#fits(holding.all, doubtful) || !this.#isTurnOf(user)) {
      // A lane that already waits keeps its place in line.
      const queue = holding.all === 0 ? this.#first : this.#further
      queue.set(user, doubtful)
      return false
    }
    this.#first.delete(user)
    this.#further.delete(user)
    this.#free -= 1
    holding.all += 1
    if (doubtful) {
      holding.doubtful += 1
      this.#doubtful += 1
    }
    this.#holdings.set(user, holding)
    this.#callNext()
    return true
  }

  /** Gives back a slot; `doubtful` as it was taken. */
  give(user: SlotUser, doubtful: boolean): void {
    const holding = this.#holdings.get(user)
    if (holding === undefined) return
    this.#free += 1
    holding.all -= 1
    if (doubtful) {
      holding.doubtful -= 1
      this.#doubtful -= 1
    }
    if (holding.all === 0) {
      this.#holdings.delete(user)
      const waits = this.#further.get(user)
      if (this.#further.delete(user) && waits !== undefined) this.#first.set(user, waits)
    }
    this.#callNext()
  }

  /** The lane has no use for a slot now and does not wait any longer. */
  leave(user: SlotUser): void {
    if (this.#first.delete(user) || this.#further.delete(user)) this.#callNext()
  }

  #fits(held: number, doubtful: boolean): boolean {
    if (this.#free === 0 || (doubtful && this.#doubtful >= this.#half)) return false
    return held === 0 || held * freePerHeld <= this.#free - this.#half
  }

  #isTurnOf(user: SlotUser): boolean {
    if (this.#free > this.#first.size + this.#further.size) return true
    const next = this.#nextInTurn()
    return next === undefined || next === user
  }

  /** The lane that has waited longest and may have a free slot. Lanes without any slot come first. */
  #nextInTurn(): SlotUser | undefined {
    if (this.#free === 0) return undefined
    for (const [user, doubtful] of this.#first) if (this.#fits(0, doubtful)) return user
    if (this.#free - this.#half < freePerHeld) return undefined
    for (const [user, doubtful] of this.#further) {
      if (this.#fits(this.#holdings.get(user)?.all ?? 0, doubtful)) return user
    }
    return undefined
  }

  #callNext(): void {
    this.#nextInTurn()?.wake()
  }
}
