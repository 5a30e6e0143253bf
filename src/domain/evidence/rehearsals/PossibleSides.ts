import type { Side } from "./RehearsedDecision.ts"

/** How many ways are followed in which the seats may stand; with more, nobody knows. */
const mostWays = 24

/** How a call leaves the seats of one way: as they were, taken, or one of both. */
export type Branch = "kept" | "taken" | "either"

/** What a decision depended on at an instant, to compare with what it depends on later. */
export interface Version {
  readonly forks: number
  readonly sum: number
  /** The number of each way, where all have the same. */
  readonly single: number | undefined
}

/** Whether nothing changed in any way between two versions. */
export const isSameVersion = (a: Version, b: Version): boolean =>
  (a.single !== undefined && a.single === b.single) || (a.forks === b.forks && a.sum === b.sum)

/** A text that is the same of ways that stand alike. */
const nameOf = ({ leases, seats }: Side): string => `${seats.name}\n\n${leases.name}`

/**
 * A license under the changed terms, in each way in which its seats may stand: a call that may have been decided either way leaves two. What
 * all of them answer is known, and what an event says later of a device holds in all, so that ways become one again.
 */
export class PossibleSides {
  #ways: ReadonlyArray<Side>
  #forks = 0

  constructor(side: Side) {
    this.#ways = [side]
  }

  /** The ways; at first there is one. */
  get ways(): ReadonlyArray<Side> {
    return this.#ways
  }

  /** What a decision depends on, told by a number of each way that only grows. */
  version(numberOf: (side: Side) => number): Version {
    const numbers = this.#ways.map(numberOf)
    const isSingle = numbers.every((each) => each === numbers[0])
    return {
      forks: this.#forks,
      sum: numbers.reduce((sum, each) => sum + each, 0),
      single: isSingle ? numbers[0] : undefined
    }
  }

  /** What all ways say alike; undefined where they differ. */
  alike<A>(say: (side: Side) => A): A | undefined {
    const [first, ...others] = this.#ways.map(say)
    return others.every((other) => other === first) ? first : undefined
  }

  /** Changes each way. */
  each(change: (side: Side) => void): void {
    for (const side of this.#ways) change(side)
    this.#put(this.#ways)
  }

  /** Puts the leases of each way as they are at an instant; answers whether these are not too many ways. */
  tick(at: number): boolean {
    for (const { leases } of this.#ways) leases.tick(at)
    const doubtful = new Set(this.#ways.flatMap(({ leases }) => leases.doubtfulAt(at)))
    for (const device of doubtful) {
      const isTold = this.fork(
        ({ leases }) => leases.doubtfulAt(at).includes(device) ? "either" : "kept",
        ({ leases }) => leases.expire(device)
      )
      if (!isTold) return false
    }
    if (doubtful.size > 0 || this.#ways.length > 1) this.each(({ leases }) => leases.liveUntil(at))
    return true
  }

  /** Follows what a call may have left of each way; answers whether these are not too many. */
  fork(branchOf: (side: Side) => Branch, take: (side: Side) => void): boolean {
    const before = new Set(this.#ways.map(nameOf))
    const left = this.#ways.flatMap((side): ReadonlyArray<Side> => {
      const branch = branchOf(side)
      if (branch === "kept") return [side]
      const taken = { ...side, seats: side.seats.copy(), leases: side.leases.copy() }
      take(taken)
      return branch === "taken" ? [taken] : [side, taken]
    })
    this.#put(left)
    const isSame = before.size === this.#ways.length && this.#ways.every((side) => before.has(nameOf(side)))
    if (!isSame) this.#forks++
    if (this.#ways.length <= mostWays) return true
    this.#ways = this.#ways.slice(0, 1)
    return false
  }

  /** Puts ways, those that are alike once. */
  #put(ways: ReadonlyArray<Side>): void {
    this.#ways = ways
    if (ways.length === 1) return
    const byName = new Map<string, Side>()
    for (const side of ways) {
      const name = nameOf(side)
      const same = byName.get(name)
      same?.seats.absorb(side.seats)
      same?.leases.absorb(side.leases)
      if (same === undefined) byName.set(name, side)
    }
    this.#ways = [...byName.values()]
    if (this.#ways.length < ways.length) this.#forks++
  }
}
