import type { RecordedUser } from "../recording/DecidedUse.ts"

/** How a user would be seated under the changed terms. */
export type UserSeat = "seated" | "refused" | "unknown"

/** What sign-ins are judged by at an instant, as it was and under the changed terms. */
export interface SignInTerms {
  /** The seats for users; undefined where the terms have no users. */
  readonly limits: { readonly actual: number | undefined; readonly changed: number | undefined }
  /** Whether the license would be in force under the changed terms. */
  readonly isInForce: boolean
  /** Whether sign-ins were refused since the license was last in force that would have been let in. */
  readonly isLonger: boolean
  /** Whether the customer may invite people, which are counted with those who are invited. */
  readonly hasSelfService: boolean
}

interface SeatChange {
  readonly at: number
  readonly kind: "created" | "joined" | "removed"
  readonly user: RecordedUser
}

/** The bounds of the seats that are taken when changes begin that are too close to tell their order, and how many those are. */
interface Group {
  readonly until: number
  readonly least: number
  readonly most: number
  readonly joins: number
  readonly removals: number
}

/** How close two changes of seats may be that were made in another order than their times say: a time is that of the transaction's start. */
const sameTimeMillis = 1_000

const changesOf = (users: ReadonlyArray<RecordedUser>, from: number): ReadonlyArray<SeatChange> =>
  users.flatMap((user): ReadonlyArray<SeatChange> => [
    { at: user.created, kind: "created", user },
    ...(user.joined === undefined ? [] : [{ at: user.joined, kind: "joined" as const, user }]),
    ...(user.removed === undefined ? [] : [{ at: user.removed, kind: "removed" as const, user }])
  ]).filter(({ at }) => at >= from).toSorted((a, b) => a.at - b.at)

/**
 * Who has a seat for users under the changed terms. The log says who took a seat and lost it, and not who asked for one in vain, nor who
 * asked again: so where a seat is free that was not, everybody who waits may have taken it.
 */
export class SimulatedUsers {
  readonly #seats = new Map<string, UserSeat>()
  readonly #versions = new Map<string, number>()
  readonly #changes: ReadonlyArray<SeatChange>
  /** Users whose invitation the customer might have been refused. */
  readonly #doubtful = new Set<string>()
  #next = 0
  /** How many seats were taken, and with the invitations, as it was. */
  #taken = 0
  #known = 0
  /** How many seats are taken at least under the changed terms. */
  #least = 0
  /** Whether people may have a seat who never had one. */
  #hasOthers = false
  #differs = false
  #group: Group | undefined

  constructor(users: ReadonlyArray<RecordedUser>, from: number) {
    this.#changes = changesOf(users, from)
    for (const { created, id, joined, removed } of users) {
      if (created >= from || (removed !== undefined && removed < from)) continue
      this.#known++
      if (joined === undefined || joined >= from) continue
      this.#seats.set(id, "seated")
      this.#taken++
      this.#least++
    }
  }

  /** How a user would be seated, and somebody whom no call names. */
  seatOf(id: string | undefined): UserSeat {
    if (id === undefined) return this.#hasOthers ? "unknown" : "refused"
    return this.#seats.get(id) ?? "seated"
  }

  /** A number that changes with what {@link seatOf} says. */
  versionOf(id: string | undefined): number {
    return id === undefined ? Number(this.#hasOthers) : this.#versions.get(id) ?? 0
  }

  /** Who was removed at an instant, whose devices were reset with that; one who had no seat had none. */
  removedAt(at: number): ReadonlyArray<RecordedUser> {
    return this.#changes.flatMap(({ at: then, kind, user }) =>
      kind === "removed" && Math.abs(then - at) < 2 && user.because !== "transferred" ? [user] : []
    )
  }

  /** Whether a change of policy took seats from users by a number that would be another one. */
  isReducedBy({ limits }: SignInTerms, at: number): boolean {
    return limits.actual !== limits.changed &&
      this.#changes.some(({ at: then, user }) => user.because === "reduced" && Math.abs(then - at) < 2)
  }

  /** Whether a change of policy that leaves so many seats would have taken some, or would not have been made. */
  isBeyond({ actual, changed }: SignInTerms["limits"]): boolean {
    return actual !== changed && Math.max(this.#most, this.#taken) > Math.min(actual ?? Infinity, changed ?? Infinity)
  }

  /** Puts users as they are at an instant; hears of those who are removed then. */
  tick(
    at: number,
    termsAt: (at: number) => SignInTerms | undefined,
    removed: (user: RecordedUser) => void
  ): void {
    for (let change = this.#changes[this.#next]; change !== undefined && change.at <= at;) {
      const terms = termsAt(change.at)
      this.#watch(terms)
      if (change.kind === "created") this.#create(change, terms)
      else if (change.kind === "joined") this.#join(change, terms)
      else {
        this.#remove(change)
        removed(change.user)
      }
      change = this.#changes[++this.#next]
    }
    this.#watch(termsAt(at))
  }

  get #most(): number {
    return this.#hasOthers ? Infinity : [...this.#seats.values()].filter((seat) => seat !== "refused").length
  }

  #put(id: string, seat: UserSeat): void {
    this.#seats.set(id, seat)
    this.#versions.set(id, (this.#versions.get(id) ?? 0) + 1)
    if (seat !== "seated") this.#differs = true
  }

  #create({ user }: SeatChange, terms: SignInTerms | undefined): void {
    const changed = terms?.limits.changed ?? Infinity
    if (terms?.hasSelfService === true && user.joined !== user.created && this.#known >= changed) {
      this.#doubtful.add(user.id)
    }
    this.#known++
  }

  #groupOf({ at }: SeatChange): Group {
    if (this.#group !== undefined && at <= this.#group.until) return this.#group
    const group = { until: at, joins: 0, removals: 0, least: this.#least, most: this.#most }
    for (const change of this.#changes.slice(this.#next)) {
      if (change.at > group.until + sameTimeMillis) break
      if (change.kind === "created") continue
      group.until = change.at
      if (change.kind === "joined") group.joins++
      else if (change.user.joined !== undefined) group.removals++
    }
    return this.#group = group
  }

  #join(change: SeatChange, terms: SignInTerms | undefined): void {
    const { id } = change.user
    const { joins, least, most, removals } = this.#groupOf(change)
    this.#taken++
    const limit = terms?.limits.changed ?? Infinity
    if (terms === undefined || (!this.#differs && terms.limits.actual === limit && terms.isInForce)) {
      this.#least++
      return this.#put(id, "seated")
    }
    if (!terms.isInForce || least - removals >= limit) return this.#put(id, "refused")
    const isSure = most + joins <= limit && !this.#doubtful.has(id)
    // Whoever asks leaves one seat more taken, unless all are; that holds of one who asks alone.
    if (isSure || (joins + removals === 1 && !this.#doubtful.has(id) && this.#least < limit)) this.#least++
    this.#put(id, isSure ? "seated" : "unknown")
  }

  #remove(change: SeatChange): void {
    const { id, joined } = change.user
    this.#groupOf(change)
    this.#known--
    if (joined === undefined) return
    this.#taken--
    if (this.#seats.get(id) !== "refused") this.#least = Math.max(0, this.#least - 1)
    this.#seats.delete(id)
    this.#versions.set(id, (this.#versions.get(id) ?? 0) + 1)
  }

  /** Lets those in who may have taken a seat that is free under the changed terms alone. */
  #watch(terms: SignInTerms | undefined): void {
    if (terms === undefined) return
    const { hasSelfService, isInForce, isLonger, limits: { actual, changed } } = terms
    const isSame = !this.#differs && actual === changed && !isLonger
    if (isSame || actual === undefined || changed === undefined || this.#least >= changed) return
    if (!isInForce && !isLonger) return
    const isRefusing = isLonger || this.#taken >= actual || (hasSelfService && this.#known >= actual)
    if (isRefusing && !this.#hasOthers) this.#hasOthers = this.#differs = true
    for (const [id, seat] of this.#seats) if (seat === "refused") this.#put(id, "unknown")
  }
}
