import type { Side } from "./RehearsedDecision.ts"
import type { SimulatedSeats } from "./SimulatedSeats.ts"

/** How many ways are followed in which the seats may stand; with more, nobody knows. */
const mostWays = 16

/** How a call leaves the seats of one way: as they were, taken, or one of both. */
export type Branch = "kept" | "taken" | "either"

/**
 * A license under the changed terms, in each way in which its seats may stand: a call that may have been decided either way leaves two. What
 * all of them answer is known, and what an event says later of a device holds in all, so that ways become one again.
 */
export class PossibleSides {
  readonly leases: Side["leases"]
  readonly #side: Side
  #ways: ReadonlyArray<Side>
  #forks = 0

  constructor(side: Side) {
    this.leases = side.leases
    this.#side = side
    this.#ways = [side]
  }

  /** The ways; at first there is one. */
  get ways(): ReadonlyArray<Side> {
    return this.#ways
  }

  /** A number that changes with the seats of any way. */
  version(changesOf: (seats: SimulatedSeats) => number): number {
    return this.#ways.reduce((sum, { seats }) => sum + changesOf(seats), this.#forks * 1e9)
  }

  /** What all ways say alike; undefined where they differ. */
  alike<A>(say: (side: Side) => A): A | undefined {
    const [first, ...others] = this.#ways.map(say)
    return others.every((other) => other === first) ? first : undefined
  }

  /** Changes the seats of each way. */
  each(change: (seats: SimulatedSeats) => void): void {
    for (const { seats } of this.#ways) change(seats)
    this.#put(this.#ways)
  }

  /** Follows what a call may have left of each way; answers whether these are not too many. */
  fork(branchOf: (side: Side) => Branch, take: (seats: SimulatedSeats) => void): boolean {
    const left = this.#ways.flatMap((side): ReadonlyArray<Side> => {
      const branch = branchOf(side)
      if (branch === "kept") return [side]
      const taken = side.seats.copy()
      take(taken)
      const other = { ...this.#side, seats: taken }
      return branch === "taken" ? [other] : [side, other]
    })
    const before = new Set(this.#ways.map(({ seats }) => seats.name))
    this.#put(left)
    const isSame = before.size === this.#ways.length && this.#ways.every(({ seats }) => before.has(seats.name))
    if (!isSame) this.#forks++
    return this.#ways.length <= mostWays
  }

  /** Puts ways, those that are alike once. */
  #put(ways: ReadonlyArray<Side>): void {
    this.#ways = ways.length === 1 ? ways : [...new Map(ways.map((side) => [side.seats.name, side])).values()]
    if (this.#ways.length < ways.length) this.#forks++
  }
}
