import { Deferred, Duration, Effect, Exit, Fiber, Scope, Semaphore } from "effect"
import { failing, Unavailable } from "../../domain/wire/Errors.ts"
import type { App } from "../../http/edge/Edge.ts"
import { EnvironmentReset } from "../../services/environment/EnvironmentReset.ts"
import type { EnvironmentAway } from "./EnvironmentDatabase.ts"

/** How long an environment keeps running after its last request. Pending work in it continues when it is used again. */
const idleAfter = Duration.toMillis("10 minutes")
const lookEvery = "30 seconds"

/** How long the requests of a stopping environment may take. */
const leavesWithin = "5 seconds"

/** How many requests of an environment other than live run at once; the others wait. */
const atOnce = 4

/** How long a request waits for the live ones, in milliseconds, and how often it looks. */
const yieldsFor = 200
const yieldStep = "2 millis"

/** How many requests may wait; further ones are refused. */
const mostWaiting = 64

/** How long a failed start of an environment is not repeated, in milliseconds. */
const restAfterFailure = 5_000

/** Starts the application of an environment in a scope. */
export type MakeApp = (
  events: { readonly gone: Effect.Effect<void> }
) => Effect.Effect<{ readonly app: App }, EnvironmentAway, Scope.Scope>

/** A running environment. */
class Running {
  readonly app: App
  readonly scope: Scope.Closeable
  /** The number of its requests. */
  users = 0
  lastUsed = performance.now()
  /** Completed when the last request has left a stopping environment. */
  left: Deferred.Deferred<void> | undefined

  constructor(app: App, scope: Scope.Closeable) {
    this.app = app
    this.scope = scope
  }

  leave(): void {
    this.users -= 1
    this.lastUsed = performance.now()
    if (this.users === 0 && this.left !== undefined) Deferred.doneUnsafe(this.left, Exit.void)
  }
}

/**
 * An environment that its first request starts, and that stops when nobody uses it, so that it costs nothing without
 * tests. Live requests have priority over its own.
 */
export const makeEnvironmentHost = Effect.fnUntraced(function*({ empty, isLiveBusy, make }: {
  readonly make: MakeApp
  /** Empties its database. */
  readonly empty: Effect.Effect<void, EnvironmentAway>
  readonly isLiveBusy: () => boolean
}) {
  const parent = yield* Effect.scope
  const turns = Semaphore.makeUnsafe(atOnce)
  /** Locked while the environment starts, stops or is emptied. */
  const change = Semaphore.makeUnsafe(1)
  let running: Running | undefined
  let failed: { readonly until: number; readonly error: EnvironmentAway } | undefined
  let waiting = 0

  const stop: Effect.Effect<void> = Effect.gen(function*() {
    if (running === undefined) return
    const stopped = running
    running = undefined
    if (stopped.users > 0) {
      stopped.left = Deferred.makeUnsafe<void>()
      yield* Effect.timeoutOption(Deferred.await(stopped.left), leavesWithin)
    }
    yield* Scope.close(stopped.scope, Exit.void)
  })

  /** Stops the application of a scope, unless another one runs by now. */
  const stopOf = (scope: Scope.Scope) =>
    change.withPermit(Effect.suspend(() => running?.scope === scope ? stop : Effect.void))

  const start = Effect.gen(function*() {
    if (running !== undefined) return running
    if (failed !== undefined && performance.now() < failed.until) return yield* failed.error
    const scope = yield* Scope.fork(parent)
    const made = make({ gone: Effect.asVoid(Effect.forkIn(stopOf(scope), parent)) })
    const { app } = yield* Scope.provide(made, scope).pipe(
      Effect.tapError((error) =>
        Effect.sync(() => void (failed = { until: performance.now() + restAfterFailure, error }))
      ),
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
    )
    running = new Running(app, scope)
    return running
  })

  // A caller that goes away does not undo a start that others wait for.
  const started = Effect.flatMap(Effect.forkIn(change.withPermit(start), parent), Fiber.join)

  const reset = change.withPermit(Effect.andThen(stop, empty))

  const giveWay = Effect.suspend(() => {
    const end = performance.now() + yieldsFor
    return Effect.sleep(yieldStep).pipe(
      Effect.repeat({ while: () => isLiveBusy() && performance.now() < end })
    )
  })

  const inTurn = (work: App): App =>
    Effect.suspend(() => {
      if (waiting >= mostWaiting) return Effect.fail(failing(Unavailable, "The environment has too many requests."))
      waiting += 1
      const turn = Effect.onExit(turns.take(1), () => Effect.sync(() => void (waiting -= 1)))
      return Effect.acquireUseRelease(
        isLiveBusy() ? Effect.andThen(giveWay, turn) : turn,
        () => work,
        () => turns.release(1)
      )
    })

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

  /** Enters the environment, unless it has stopped since the lookup. */
  const enter: Effect.Effect<Running, EnvironmentAway> = Effect.suspend(() => {
    if (running === undefined) return Effect.andThen(started, enter)
    running.users += 1
    return Effect.succeed(running)
  })

  /** Answers a request in the environment; a request to empty it is answered once that is done. */
  const answer: Effect.Effect<Effect.Success<App>, Effect.Error<App> | EnvironmentAway, Effect.Services<App>> = Effect
    .gen(function*() {
      let isResetAsked = false
      const response = yield* Effect.acquireUseRelease(
        enter,
        ({ app }) => inTurn(app),
        (entered) => Effect.sync(() => entered.leave())
      ).pipe(Effect.provideService(EnvironmentReset, { ask: () => void (isResetAsked = true) }))
      // It continues when its caller goes away, as every write does.
      if (isResetAsked) yield* Effect.flatMap(Effect.forkIn(reset, parent), Fiber.join)
      return response
    })

  return { answer }
})
