import { Clock, Context, Effect, Layer, Schedule } from "effect"
import type { Duration, Scope } from "effect"
import { Database } from "../persistence/Database.ts"
import { EarlyRounds, Hint, supervised } from "../platform/Supervised.ts"
import type { DueRow, DueWork } from "./AgendaSql.ts"
import { listDueWork, seldom } from "./AgendaSql.ts"
import { Announcements } from "./Announcements.ts"
import type { Topic } from "./Announcements.ts"

/** How much later than the time of a row its timer ends, in milliseconds: what it wakes must find it due. */
const margin = 5

/** The answer of the rows of one kind of work: when it is due, unless none is, and by which reading. */
interface Read {
  readonly at: number
  readonly reading: number
}

/**
 * The times at which work is due, as this node knows them, and one timer for the next of them. Times are milliseconds of a clock
 * that nobody sets.
 */
class DueTimes {
  /** By what rows say. */
  readonly #read = new Map<Topic, Read>()
  /** By what was asked for, whatever rows say. */
  readonly #asked = new Map<Topic, number>()
  readonly #changed = new Hint()
  readonly #now: () => number
  readonly #call: (topic: Topic) => void
  #readings = 0

  constructor(now: () => number, call: (topic: Topic) => void) {
    this.#now = now
    this.#call = call
  }

  /** Begins a reading; answers its number. Of two that overlap the later one knows more, whichever ends first. */
  begin(): number {
    this.#readings += 1
    return this.#readings
  }

  /** Takes over what a reading has found. What is due already is called for after a pause. */
  take(reading: number, rows: ReadonlyArray<DueRow>, pause: number): void {
    for (const { millis, topic } of rows) {
      if ((this.#read.get(topic)?.reading ?? 0) > reading) continue
      const at = millis === null ? Infinity : this.#now() + (millis > 0 ? millis + margin : pause)
      this.#read.set(topic, { at, reading })
    }
    this.#changed.wakeUnsafe()
  }

  /** Has work called for within a while. */
  soon(topic: Topic, pause: number): void {
    this.#asked.set(topic, Math.min(this.#now() + pause, this.#asked.get(topic) ?? Infinity))
    this.#changed.wakeUnsafe()
  }

  forget(topic: Topic): void {
    this.#read.delete(topic)
    this.#asked.delete(topic)
  }

  /** Calls for work at its times until a time of this clock. */
  until(end: number): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#callDue()
      if (this.#now() >= end) return Effect.void
      const wait = Math.min(end, this.#next()) - this.#now()
      return Effect.andThen(Effect.timeoutOption(this.#changed.await, wait), this.until(end))
    })
  }

  /** Calls for what is due now, each once. */
  #callDue(): void {
    const due = new Set<Topic>()
    for (const [topic, { at, reading }] of this.#read) {
      if (at > this.#now()) continue
      this.#read.set(topic, { at: Infinity, reading })
      due.add(topic)
    }
    for (const [topic, at] of this.#asked) {
      if (at > this.#now()) continue
      this.#asked.delete(topic)
      due.add(topic)
    }
    due.forEach(this.#call)
  }

  #next(): number {
    let next = Infinity
    for (const { at } of this.#read.values()) next = Math.min(next, at)
    for (const at of this.#asked.values()) next = Math.min(next, at)
    return next
  }
}

/** All work is looked at instead of each so many readings, whatever is due: a sweep that has not run for long is an alarm. */
const readingsToLook = 10

/** When work is looked at again that a look has left due, in milliseconds: somebody else has it under way, or holds its lock. */
const again = 1_000

/** A kind of work that this node does. */
export interface Work<E, R> extends DueWork {
  /** The name under which failures are logged. */
  readonly name: string
  /** Does what is due. It is safe beside itself, on whichever node. */
  readonly look: Effect.Effect<unknown, E, R>
  /** Whether a look has left something that rows do not tell. */
  readonly isLeft?: () => boolean
  /** The least pause between two looks, whatever is announced: many changes share one. */
  readonly rest: Duration.Input
  /** The pause after a failure. */
  readonly retry: Duration.Input
}

/** Work that is looked at by some of this node, and how many these are. */
interface Followed {
  readonly work: DueWork
  followers: number
}

/** Reads when work is due. */
type ReadDue = (work: ReadonlyArray<DueWork>) => Effect.Effect<ReadonlyArray<DueRow>>

/** {@link Agenda}, by what reads when work is due. */
export const makeAgenda = (readDue: ReadDue): Effect.Effect<Agenda["Service"], never, Scope.Scope> =>
  Effect.gen(function*() {
    const announcements = yield* Announcements
    const clock = yield* Clock.Clock
    const early = yield* EarlyRounds
    const followed = new Map<Topic, Followed>()
    const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
    const due = new DueTimes(now, (topic) => announcements.of(topic).call())

    const read = (work: ReadonlyArray<DueWork>, pause: number) =>
      Effect.suspend(() => {
        if (work.length === 0) return Effect.void
        const reading = due.begin()
        return Effect.map(readDue(work), (rows) => due.take(reading, rows, pause))
      }).pipe(Effect.withTracerEnabled(false))

    const lookAtAll = () => followed.forEach((_, topic) => announcements.of(topic).call())

    const keepTime = Effect.gen(function*() {
      for (let readings = 1;; readings++) {
        yield* due.until(now() + seldom)
        if (readings % readingsToLook === 0) lookAtAll()
        // Where due times cannot be read, all is looked at: a look that fails as well is made again until one succeeds.
        else {
          yield* Effect.catchCause(
            read([...followed.values()].map(({ work }) => work), 0),
            (cause) => Effect.map(Effect.logDebug("The due times could not be read", cause), lookAtAll)
          )
        }
      }
    })
    yield* Effect.forkScoped(keepTime)

    // A move of the clock makes work due at once.
    const followMoves = (moves: EarlyRounds, seen: number): Effect.Effect<never> =>
      Effect.flatMap(moves.after(seen), () => {
        const count = moves.count()
        lookAtAll()
        return followMoves(moves, count)
      })
    if (early !== undefined) yield* Effect.forkScoped(followMoves(early, early.count()))

    const join = (work: DueWork) =>
      Effect.sync(() => {
        const known = followed.get(work.topic)
        if (known === undefined) followed.set(work.topic, { work, followers: 1 })
        else known.followers += 1
      })
    const leave = ({ topic }: DueWork) =>
      Effect.sync(() => {
        const known = followed.get(topic)!
        known.followers -= 1
        if (known.followers > 0) return
        followed.delete(topic)
        due.forget(topic)
      })

    const follow = <E, R>(work: Work<E, R>): Effect.Effect<never, never, R> =>
      Effect.suspend(() => {
        const signal = announcements.of(work.topic)
        // The first look needs no announcement.
        let seen = -1
        const round = Effect.gen(function*() {
          yield* signal.after(seen)
          const count = signal.count()
          yield* work.look
          yield* read([work], again)
          if (work.isLeft?.() === true) due.soon(work.topic, again)
          // Not before: a look that failed is made again. What was announced meanwhile has another look.
          seen = count
        })
        const looks = supervised(work.name, round, Schedule.spaced(work.rest), { retry: Schedule.spaced(work.retry) })
        return Effect.acquireUseRelease(join(work), () => looks, () => leave(work))
      })

    return { follow }
  })

/**
 * When which work is looked at: when it is announced, when the time comes that a row says, and seldom, for what was missed. One
 * timer and one statement serve all kinds of work, so that a service without any costs next to nothing.
 */
export class Agenda extends Context.Service<Agenda, {
  /** Looks at once, and then for ever whenever there may be work. After a look it is read when the next is due. */
  readonly follow: <E, R>(work: Work<E, R>) => Effect.Effect<never, never, R>
}>()("countersign/services/ground/agenda/Agenda") {
  static readonly layer = Layer.effect(
    Agenda,
    Effect.flatMap(Database, (sql) => makeAgenda((work) => listDueWork(sql, work)))
  )
}
