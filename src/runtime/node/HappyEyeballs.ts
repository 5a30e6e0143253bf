/** A connection that can be destroyed. */
interface Abandonable {
  readonly destroy: (error: Error) => unknown
}

/** The options of a race for a connection. Times are in milliseconds. */
export interface Race<Socket extends Abandonable> {
  /**
   * The pending lookups, one for each address family, the preferred one first. A failed lookup gives the reason; one
   * without addresses answers an empty list.
   */
  readonly lookups: ReadonlyArray<Promise<ReadonlyArray<string>>>
  /** How long the look-ups may take. */
  readonly lookupPatience: number
  /** The reason why nothing can be connected to when no look-up finds an address, or none does so in time. */
  readonly without: { readonly nameless: () => Error; readonly late: () => Error }
  /** Checks addresses before any of them is connected to, and answers the allowed ones; throws to refuse all. */
  readonly judge: (addresses: ReadonlyArray<string>) => ReadonlyArray<string>
  readonly connect: (address: string, done: (error: Error | null, socket: Socket | null) => void) => Socket
}

/** How long an address may take, in milliseconds, before the next one is tried beside it (RFC 8305 section 5). */
const attemptDelay = 250

/** How long addresses of another family wait, in milliseconds, for those of the preferred one (RFC 8305 section 3). */
const resolutionDelay = 50

/** The most addresses that are tried: a name may have hundreds, none of which is a receiver. */
const maximumAddresses = 16

const alternating = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): Array<string> =>
  Array.from({ length: Math.max(one.length, other.length) }, (_, index) => [one[index], other[index]]).flat()
    .filter((address) => address !== undefined)

/** Runs one race, and calls `done` once. */
class Runner<Socket extends Abandonable> {
  readonly #race: Race<Socket>
  readonly #done: (error: Error | null, socket: Socket | null) => void
  readonly #underWay = new Set<Socket>()
  readonly #known = new Set<string>()
  #waiting: ReadonlyArray<string> = []
  #tried = 0
  #pending: number
  #isPreferredPending = true
  #failure: Error | undefined
  #isOver = false
  #next: NodeJS.Timeout | undefined
  #lookupEnd: NodeJS.Timeout | undefined

  constructor(race: Race<Socket>, done: (error: Error | null, socket: Socket | null) => void) {
    this.#race = race
    this.#done = done
    this.#pending = race.lookups.length
  }

  start(): void {
    this.#lookupEnd = setTimeout(() => {
      this.#pending = 0
      this.#isPreferredPending = false
      if (this.#known.size === 0) this.#end(this.#failure ?? this.#race.without.late(), null)
      else if (this.#underWay.size === 0) this.#go()
    }, this.#race.lookupPatience)
    for (const [index, lookup] of this.#race.lookups.entries()) {
      lookup.then(
        (addresses) => this.#found(index, addresses),
        (cause: Error) => {
          this.#failure ??= cause
          this.#found(index, [])
        }
      )
    }
  }

  #found(index: number, addresses: ReadonlyArray<string>): void {
    // The result of a late lookup is ignored: its addresses were not checked with the others.
    if (this.#isOver || this.#pending === 0) return
    this.#pending -= 1
    if (index === 0) this.#isPreferredPending = false
    const fresh = addresses.filter((address) => !this.#known.has(address))
    try {
      const allowed = fresh.length === 0 ? [] : this.#race.judge(fresh)
      for (const address of allowed) this.#known.add(address)
      // The preferred family comes first, even if its lookup ended later.
      this.#waiting = index === 0 ? alternating(allowed, this.#waiting) : alternating(this.#waiting, allowed)
    } catch (refusal) {
      return this.#end(refusal as Error, null)
    }
    if (this.#underWay.size > 0) {
      if (this.#waiting.length > 0 && this.#next === undefined) this.#goAfter(attemptDelay)
    } else if (this.#isPreferredPending && this.#waiting.length > 0) this.#goAfter(resolutionDelay)
    else this.#go()
  }

  #goAfter(delay: number): void {
    clearTimeout(this.#next)
    this.#next = setTimeout(() => this.#go(), delay)
  }

  /** Tries the next address, or ends the race when there is nothing left to wait for. */
  #go(): void {
    clearTimeout(this.#next)
    this.#next = undefined
    if (this.#isOver) return
    const [address, ...others] = this.#tried < maximumAddresses ? this.#waiting : []
    if (address === undefined) {
      if (this.#underWay.size === 0 && this.#pending === 0) {
        this.#end(this.#failure ?? this.#race.without.nameless(), null)
      }
      return
    }
    this.#waiting = others
    this.#tried += 1
    const socket = this.#race.connect(address, (error, made) => {
      this.#underWay.delete(socket)
      if (this.#isOver) return
      if (error === null) return this.#end(null, made)
      this.#failure = error
      this.#go()
    })
    this.#underWay.add(socket)
    if (this.#waiting.length > 0) this.#goAfter(attemptDelay)
  }

  #end(error: Error | null, socket: Socket | null): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#next)
    clearTimeout(this.#lookupEnd)
    for (const other of this.#underWay) other.destroy(new Error("another address connected first"))
    this.#done(error, socket)
  }
}

/**
 * Connects to the first address of a name that answers (Happy Eyeballs, RFC 8305): starts with the known addresses,
 * tries the next one in parallel after 250 ms without an answer, and at once after a failure. Addresses are checked
 * as they become known, and before they are connected to. A refused one ends the race.
 */
export const raceForConnection = <Socket extends Abandonable>(
  race: Race<Socket>,
  done: (error: Error | null, socket: Socket | null) => void
): void => new Runner(race, done).start()
