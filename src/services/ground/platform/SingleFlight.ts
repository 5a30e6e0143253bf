import { Deferred, Effect, Exit, Semaphore } from "effect"
import type { Scope } from "effect"

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
