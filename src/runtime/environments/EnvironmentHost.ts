import { Deferred, Duration, Effect, Exit, Fiber, Scope, Semaphore } from "effect"
import type { App } from "../../http/edge/Edge.ts"
import type { EnvironmentAway } from "./EnvironmentDatabase.ts"

/** How long an environment runs on after its last request. What waits in it goes on when it is used again. */
const idleAfter = Duration.toMillis("10 minutes")
const lookEvery = "30 seconds"

/** How long the requests of an environment may take that is to stop. */
const leavesWithin = "5 seconds"

/** How many requests of an environment beside the live one are worked on at once; the others wait. */
const atOnce = 4

/** How long a request waits for the live ones, in milliseconds, and how often it looks. */
const yieldsFor = 200
const yieldStep = "2 millis"

/** Makes the application of an environment in a scope. */
export type MakeApp = (events: {
  readonly resetAsked: () => void
  readonly gone: Effect.Effect<void>
}) => Effect.Effect<{ readonly app: App }, EnvironmentAway, Scope.Scope>

interface Running {
  readonly app: App
  readonly scope: Scope.Closeable
}

/**
 * An environment that is started by its first request and stopped when nobody uses it, so that who never tests pays
 * nothing. Its requests give way to the live ones.
 */
export const makeEnvironmentHost = Effect.fnUntraced(function*({ empty, isLiveBusy, make }: {
  readonly make: MakeApp
  /** Empties its database. */
  readonly empty: Effect.Effect<void, EnvironmentAway>
  readonly isLiveBusy: () => boolean
}) {
  const parent = yield* Effect.scope
  const turns = Semaphore.makeUnsafe(atOnce)
  /** Held while the environment starts, stops or is emptied. */
  const change = Semaphore.makeUnsafe(1)
  let running: Running | undefined
  let users = 0
  let lastUsed = performance.now()
  let left = Deferred.makeUnsafe<void>()
  let isResetAsked = false

  const enter = Effect.sync(() => {
    users += 1
  })

  const leave = Effect.sync(() => {
    users -= 1
    lastUsed = performance.now()
    if (users === 0) Deferred.doneUnsafe(left, Exit.void)
  })

  const stop: Effect.Effect<void> = Effect.gen(function*() {
    if (running === undefined) return
    const { scope } = running
    running = undefined
    if (users > 0) {
      left = Deferred.makeUnsafe<void>()
      yield* Effect.timeoutOption(Deferred.await(left), leavesWithin)
    }
    yield* Scope.close(scope, Exit.void)
  })

  const stopAlone = change.withPermit(stop)

  const start = Effect.gen(function*() {
    if (running !== undefined) return running
    const scope = yield* Scope.fork(parent)
    const made = make({
      resetAsked: () => void (isResetAsked = true),
      gone: Effect.asVoid(Effect.forkIn(stopAlone, parent))
    })
    const { app } = yield* Effect.onError(
      Scope.provide(made, scope),
      (cause) => Scope.close(scope, Exit.failCause(cause))
    )
    running = { app, scope }
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

  const inTurn = (work: App): App => turns.withPermit(isLiveBusy() ? Effect.andThen(giveWay, work) : work)

  yield* Effect.sleep(lookEvery).pipe(
    Effect.andThen(
      Effect.suspend(() => users === 0 && performance.now() - lastUsed > idleAfter ? stopAlone : Effect.void)
    ),
    Effect.forever,
    Effect.forkScoped
  )

  /** Answers a request in the environment; where it asked for the environment to be emptied, when that was done. */
  const answer: Effect.Effect<Effect.Success<App>, Effect.Error<App> | EnvironmentAway, Effect.Services<App>> = Effect
    .gen(
      function*() {
        const response = yield* Effect.acquireUseRelease(
          enter,
          () =>
            Effect.flatMap(
              Effect.suspend(() => running === undefined ? started : Effect.succeed(running)),
              ({ app }) => inTurn(app)
            ),
          () => leave
        )
        if (!isResetAsked) return response
        isResetAsked = false
        yield* Effect.flatMap(Effect.forkIn(reset, parent), Fiber.join)
        return response
      }
    )

  return { answer }
})
