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

/** Beyond one half of all slots, a lane's further ones need so many free ones for each slot that it holds. */
const freePerHeld = 16

/**
 * The attempts that one node may have in flight, shared among its lanes so that many hanging receivers leave room for
 * those that answer. A lane's first slot only needs one that is free. Its further ones come from one half of all slots,
 * and each needs the more free ones there the more the lane holds. Lanes in doubt, whose last attempt failed, hold at
 * most half of all slots together. Who is refused waits, and is woken in turn.
 */
export class InFlightSlots {
  readonly #half: number
  readonly #holdings = new Map<SlotUser, Holding>()
  /** Those that wait, with whether they are in doubt: for their first slot, and for a further one. */
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
      // One that waits already keeps its place.
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

  /** The one that waits longest of those that a slot would do for; those that hold none come before the others. */
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
