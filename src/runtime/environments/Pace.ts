import { Clock, Deferred, Duration, Effect, Semaphore } from "effect"
import { isBusy, restAfter } from "../../domain/ground/admission/Pacing.ts"
import type { DeliveryTurns } from "../../services/ground/environments/CurrentEnvironment.ts"

/** The load of the live environment, as others give way to it. */
export interface LiveLoad {
  /** Its requests that began within the last second. */
  readonly begunLately: () => number
  /** Waits until none of its requests is worked on. */
  readonly quiet: Effect.Effect<void>
}

/** The pace of work beside the live environment. */
export interface Pace {
  /** Runs work when it is its turn. */
  readonly run: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** How long work waits at most: for the work before it and its rest, and then until live works on nothing. */
interface Patience {
  readonly rest: Duration.Input
  readonly quiet: Duration.Input
}

/** Work that was begun: at an instant, and until when those after it wait once it has ended. Milliseconds. */
interface Turn {
  readonly begun: number
  readonly rested: Deferred.Deferred<number>
}

const now = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1e6)

/**
 * Makes the pace of work beside the live environment. Beside an idle live environment, or a few requests, there is none.
 * Beside a busy one, pieces of work begin one after the other, in their order: each when the one before has ended and rested, for as many times its own length as
 * live has tens of requests in a second, and at a moment at which live works on nothing. It waits no longer than the
 * `patience` for either, so however busy live is, and however long the work before takes, the next begins.
 */
export const makePace = ({ begunLately, quiet }: LiveLoad, patience: Patience): Pace => {
  const order = Semaphore.makeUnsafe(1)
  const longest = Duration.toMillis(patience.rest)
  let last: Turn | undefined

  const rested = ({ rested }: Turn) =>
    Effect.gen(function*() {
      const until = yield* Deferred.await(rested)
      const left = until - (yield* now)
      if (left > 0) yield* Effect.sleep(left)
    })

  const turn = Effect.gen(function*() {
    if (last !== undefined) {
      const left = last.begun + longest - (yield* now)
      if (left > 0) yield* Effect.timeoutOption(rested(last), left)
    }
    yield* Effect.timeoutOption(quiet, patience.quiet)
    last = { begun: yield* now, rested: Deferred.makeUnsafe() }
    return last
  })

  const end = ({ begun, rested }: Turn) =>
    Effect.map(now, (at) => void Deferred.doneUnsafe(rested, Effect.succeed(at + restAfter(at - begun, begunLately()))))

  return {
    run: (work) =>
      Effect.suspend(() =>
        isBusy(begunLately())
          ? Effect.flatMap(order.withPermit(turn), (mine) => Effect.onExit(work, () => end(mine)))
          : work
      )
  }
}

/** The turns of deliveries by a pace. A step is short: what follows once the receiver answers is not waited for. */
export const deliveryTurns = (pace: Pace): Effect.Effect<DeliveryTurns> =>
  Effect.map(Effect.context<never>(), (context) => {
    const fork = Effect.runForkWith(context)
    return {
      begin: (step) => {
        const waiting = fork(pace.run(Effect.sync(step)))
        return () => waiting.interruptUnsafe()
      }
    }
  })
