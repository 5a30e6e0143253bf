import { Cache, Context, Deferred, Effect, Exit, Layer, Semaphore } from "effect"
import type { Scope } from "effect"
import { findAnswer, findRoom, QuestionSql } from "./DatabaseHealthSql.ts"

interface Options {
  /** For how many times as long as the work took it rests afterwards, so that it is a small share of the time. */
  readonly rest: number
  /** The longest rest, in milliseconds. */
  readonly longestRest: number
}

/**
 * Work that many may ask for and that is done once for all of them (single flight). Whoever asks gets what was begun
 * after it asked, so nobody is told something old; until then it waits, and waiting costs nothing. However many ask, the
 * work is done once at a time, and rests in between. When the scope closes, those who wait are interrupted.
 */
export const makeSingleFlight = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  { longestRest, rest }: Options
): Effect.Effect<Effect.Effect<A, E>, never, R | Scope.Scope> =>
  Effect.map(Effect.all([Effect.scope, Effect.context<R>()]), ([scope, context]) => {
    const turn = Semaphore.makeUnsafe(1)
    let next: Deferred.Deferred<A, E> | undefined
    let restsUntil = 0

    const fly = (outcome: Deferred.Deferred<A, E>) =>
      turn.withPermit(Effect.gen(function*() {
        const wait = restsUntil - performance.now()
        if (wait > 0) yield* Effect.sleep(wait)
        // A caller from here on waits for the next time.
        next = undefined
        const begun = performance.now()
        const exit = yield* Effect.exit(work)
        const ended = performance.now()
        restsUntil = ended + Math.min(longestRest, rest * (ended - begun))
        yield* Deferred.done(outcome, exit)
      }))

    return Effect.suspend(() => {
      if (next !== undefined) return Deferred.await(next)
      const outcome = Deferred.makeUnsafe<A, E>()
      next = outcome
      // Not by the caller, who may hang up while others wait.
      return Effect.flatMap(Effect.forkIn(Effect.provideContext(fly(outcome), context), scope), (flight) => {
        flight.addObserver((exit) => {
          if (Exit.isFailure(exit)) Deferred.doneUnsafe<A, E>(outcome, Exit.failCause(exit.cause))
        })
        return Deferred.await(outcome)
      })
    })
  })

/** The database connections that this process needs. */
export class ConnectionNeeds extends Context.Service<ConnectionNeeds, {
  /** The total over all pools. */
  readonly needed: number
  /** How many processes like this one start now on this machine, this one included. */
  readonly starting: number
  /** The `application_name` of every connection of this process, and of no other process. */
  readonly applicationName: string
}>()("countersign/services/ground/platform/ConnectionNeeds") {}

/** The disk that the database keeps its files on. */
export const DatabaseDisk = Context.Reference<{
  /** The room that is left on it, in bytes; undefined where it is not a disk of this machine. */
  readonly left: Effect.Effect<number | undefined>
}>("countersign/services/ground/platform/DatabaseDisk", { defaultValue: () => ({ left: Effect.undefined }) })

/** The room that a disk should have, in bytes: that of a few files of the write-ahead log, which are of 16 MiB each. */
const enoughDisk = 64 * 1024 ** 2

/** Whether the database answers and allows this process its connections. */
export class DatabaseHealth extends Context.Service<DatabaseHealth, {
  /** True when a trivial query is answered within a second. */
  readonly answers: Effect.Effect<boolean>
  /** The reason why this process cannot have the connections it needs, with both numbers; undefined when it can. */
  readonly shortage: Effect.Effect<string | undefined>
  /** The reason why writes fail or soon will, with the room that is left on the disk; undefined when there is enough. */
  readonly fullDisk: Effect.Effect<string | undefined>
}>()("countersign/services/ground/platform/DatabaseHealth") {
  static readonly layer = Layer.effect(
    DatabaseHealth,
    Effect.gen(function*() {
      const sql = yield* QuestionSql
      const { applicationName, needed, starting } = yield* ConnectionNeeds

      const disk = yield* DatabaseDisk
      const fullDisk = Effect.map(disk.left, (left) =>
        left === undefined || left >= enoughDisk
          ? undefined
          : `The disk of the database has ${
            Math.floor(left / 1024 ** 2)
          } MiB left: writes fail when it is full. Make ` +
            "room on it.")

      const looked = yield* Cache.makeWith(() => findRoom(sql, applicationName), {
        capacity: 1,
        timeToLive: (exit) => Exit.isSuccess(exit) ? "2 seconds" : "0 millis"
      })

      // A database that does not answer is not a shortage of connections.
      const unknown: Effect.Effect<string | undefined> = Effect.undefined

      const shortageOf = (processes: number) =>
        Effect.map(Cache.get(looked, "room"), ([found]) =>
          found === undefined || found.room >= processes * needed
            ? undefined
            : `${processes === 1 ? "This node needs" : `The ${processes} processes need`} ${processes * needed} ` +
              `connections to the database and can have ${Math.max(0, found.room)}: ` +
              `${found.limited_by} allows ${found.limit}, and others have ${found.limit - found.room} of them.`).pipe(
            Effect.timeoutOrElse({ duration: "1 second", orElse: () => unknown }),
            Effect.catchCause(() => unknown)
          )
      const shortage = shortageOf(1)

      yield* Effect.flatMap(shortageOf(starting), (reason) =>
        reason === undefined ? Effect.void : Effect.logWarning(
          `${reason} Requests will fail when the connections are used up; /readyz says so until there are enough.`
        ))

      yield* Effect.flatMap(fullDisk, (reason) => reason === undefined ? Effect.void : Effect.logWarning(reason))

      // Anybody may ask for readiness, and as often as they like: it is one statement for all who ask meanwhile.
      const answers = yield* makeSingleFlight(
        findAnswer(sql).pipe(
          Effect.as(true),
          Effect.timeoutOrElse({ duration: "1 second", orElse: () => Effect.succeed(false) }),
          Effect.catchCause(() => Effect.succeed(false))
        ),
        { rest: 1, longestRest: 100 }
      )

      return DatabaseHealth.of({ answers, shortage, fullDisk })
    })
  )
}
