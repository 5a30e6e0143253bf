import { Deferred, Duration, Effect, Exit, Scope, Semaphore } from "effect"
import type { Unavailable } from "../../domain/ground/wire/Errors.ts"
import type { App } from "../../http/ground/edge/Edge.ts"
import { EnvironmentReset } from "../../services/ground/environments/EnvironmentReset.ts"
import type { EnvironmentAway } from "./EnvironmentDatabase.ts"
import { isSameLife } from "./EnvironmentDatabase.ts"
import type { Pace } from "./Pace.ts"
import { awaited, ending, Running } from "./RunningEnvironment.ts"
import type { StartedApp } from "./RunningEnvironment.ts"

/** How long an environment keeps running after its last request. Pending work in it continues when it is used again. */
const idleAfter = Duration.toMillis("10 minutes")
const lookEvery = "30 seconds"

/** How long the requests of a stopping environment may take. */
const leavesWithin = "5 seconds"

/** How long an environment that could not be started is not tried again, in milliseconds. */
const restAfterFailure = 5_000

/** How often a request begins anew because the environment was emptied before the request got its turn. */
const mostRestarts = 3

/** Makes the application of an environment in a scope. */
export type MakeApp = (
  events: { readonly gone: Effect.Effect<void> }
) => Effect.Effect<StartedApp, EnvironmentAway, Scope.Scope>

/**
 * An environment that its first request starts, and that stops when nobody uses it, so that it costs nothing without
 * tests. Live requests have priority over its own.
 */
export const makeEnvironmentHost = Effect.fnUntraced(function*({ empty, make, pace }: {
  readonly make: MakeApp
  /** Empties its database, unless the data of this incarnation is gone already. */
  readonly empty: (incarnation: string) => Effect.Effect<void, EnvironmentAway>
  /** The pace of its requests beside those of live. */
  readonly pace: Pace
}) {
  const parent = yield* Effect.scope
  /** Held while the environment starts, stops or is emptied. */
  const change = Semaphore.makeUnsafe(1)
  let running: Running | undefined
  let failed: { readonly until: number; readonly error: EnvironmentAway } | undefined

  const stop: Effect.Effect<void> = Effect.gen(function*() {
    if (running === undefined) return
    const stopped = running
    running = undefined
    if (stopped.users > 0) {
      stopped.left = Deferred.makeUnsafe<void>()
      yield* Effect.timeoutOption(Deferred.await(stopped.left), leavesWithin)
      yield* stopped.cutOff
    }
    yield* Scope.close(stopped.scope, Exit.void)
  })

  /** Work that goes on when its caller goes away. */
  const detached = <A, E>(work: Effect.Effect<A, E>) => Effect.flatMap(Effect.forkIn(work, parent), awaited)

  /** Stops what runs in a scope, unless something else runs by now. */
  const stopOf = (scope: Scope.Scope) =>
    change.withPermit(Effect.suspend(() => running?.scope === scope ? stop : Effect.void))

  const start = Effect.gen(function*() {
    if (running !== undefined) return running
    if (failed !== undefined && performance.now() < failed.until) return yield* failed.error
    const scope = yield* Scope.fork(parent)
    const made = make({ gone: Effect.asVoid(Effect.forkIn(stopOf(scope), parent)) })
    const started = yield* Scope.provide(made, scope).pipe(
      Effect.tapError((error) =>
        Effect.sync(() => void (failed = { until: performance.now() + restAfterFailure, error }))
      ),
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
    )
    running = new Running(started, scope, pace)
    return running
  })

  // A caller that goes away does not undo a start that others wait for.
  const started = detached(change.withPermit(start))

  /** Empties what a request ran in, unless it was emptied since: whoever asked at the same time is answered as well. */
  const resetOf = ({ incarnation }: StartedApp) =>
    change.withPermit(
      Effect.suspend(() =>
        running !== undefined && !isSameLife(running.started.incarnation, incarnation)
          ? Effect.void
          : Effect.andThen(stop, empty(incarnation))
      )
    )

  yield* Effect.sleep(lookEvery).pipe(
    Effect.andThen(
      Effect.suspend(() =>
        running !== undefined && running.users === 0 && performance.now() - running.lastUsed > idleAfter
          ? stopOf(running.scope)
          : Effect.void
      )
    ),
    Effect.forever,
    Effect.forkScoped
  )

  /** Enters the environment, unless it has stopped since it was looked for. */
  const enter: Effect.Effect<Running, EnvironmentAway | Unavailable> = Effect.suspend(() => {
    if (running === undefined) return Effect.andThen(started, enter)
    running.users += 1
    return Effect.succeed(running)
  })

  /** Answers a request in the environment; a request to empty it is answered once that is done. */
  const answer: Effect.Effect<Effect.Success<App>, Effect.Error<App> | EnvironmentAway, Effect.Services<App>> = Effect
    .gen(
      function*() {
        for (let restarts = 0; restarts <= mostRestarts; restarts++) {
          let isResetAsked = false
          let entered: Running | undefined
          const response = yield* Effect.acquireUseRelease(
            Effect.tap(enter, (running) => Effect.sync(() => void (entered = running))),
            (running) => running.answer,
            (entered) => Effect.sync(() => entered.leave())
          ).pipe(Effect.provideService(EnvironmentReset, { ask: () => void (isResetAsked = true) }))
          if (response !== undefined) {
            // It goes on when its caller goes away, as every write does.
            if (isResetAsked) yield* detached(resetOf(entered!.started))
            return response
          }
          yield* detached(stopOf(entered!.scope))
        }
        return yield* ending
      }
    )

  return { answer }
})
