import { Clock, Context, Effect, Layer, Schedule } from "effect"
import type { Duration, Scope } from "effect"
import { Database } from "../persistence/Database.ts"
import { EarlyRounds, supervised } from "../platform/Supervised.ts"
import type { DueRow, DueWork } from "./AgendaSql.ts"
import { listDueWork, seldom } from "./AgendaSql.ts"
import { Announcements } from "./Announcements.ts"
import type { Topic } from "./Announcements.ts"
import { DueTimes } from "./DueTimes.ts"

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
