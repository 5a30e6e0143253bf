import { Cause, Context, Deferred, Duration, Effect, Exit, Fiber, Scope, Semaphore } from "effect"
import type { Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import type { IncomingMessage } from "node:http"
import { namedEnvironments } from "../../domain/ground/environments/EnvironmentName.ts"
import type { EnvironmentName } from "../../domain/ground/environments/EnvironmentName.ts"
import { failing, RouteNotFound, Unavailable } from "../../domain/ground/wire/Errors.ts"
import type { App } from "../../http/ground/edge/Edge.ts"
import { Exchanges } from "../../http/ground/edge/Exchanges.ts"
import { Admission } from "../../services/ground/admission/Admission.ts"
import { EnvironmentReset } from "../../services/ground/environments/CurrentEnvironment.ts"
import { AppConfig } from "../config/Config.ts"
import { environmentFor } from "../door/RequestHead.ts"
import { child } from "../processes/Child.ts"
import { deliveryTurns, makeEnvironmentApp, makePace } from "./EnvironmentApp.ts"
import type { Pace } from "./EnvironmentApp.ts"
import { empty, isSameLife, targetOf, whyNone } from "./EnvironmentDatabase.ts"
import type { EnvironmentAway, EnvironmentTarget } from "./EnvironmentDatabase.ts"
import { turnedOff } from "./EnvironmentSettings.ts"

/** How many requests of an environment beside the live one are worked on at once; the others wait. */
export const atOnce = 4

/** How many more may wait for their turn; further ones are refused. The door lets more in, so this is what they are told. */
export const mostWaiting = 96

/** How many requests about the environment itself are worked on at once. */
const ownAtOnce = 2

/** Whether a request is about the environment itself: its clock, or its reset. */
const isOwn = (url: string): boolean => url.startsWith("/api/v1/environment")

/** The answer to a request whose environment ends before its work does. */
const ending = failing(Unavailable, "The environment is being reset or stopped. Try again.")

/** The answer to a request for which there is no place to wait. */
const crowded = failing(
  Unavailable,
  "The environment has too many requests: it works on few at a time, and live goes first. Try again later."
)

/** An environment, started for an incarnation of its database. */
interface StartedApp {
  readonly app: App
  readonly incarnation: string
  /** Follows the clock; whether the database still is that of the incarnation. */
  readonly isCurrent: Effect.Effect<boolean>
}

/** The result of work in a fiber of its own. Work that somebody else has ended has none, which whoever waits for it is told. */
const awaited = <A, E>(fiber: Fiber.Fiber<A, E>): Effect.Effect<A, E | Unavailable> =>
  Effect.flatMap(
    Fiber.await(fiber),
    (exit): Effect.Effect<A, E | Unavailable> =>
      Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? Effect.fail(ending) : exit
  )

/** An environment that runs, and the requests in it, which take turns and give way to those of live. */
class Running {
  readonly started: StartedApp
  readonly scope: Scope.Closeable
  /** The requests in it. */
  users = 0
  lastUsed = performance.now()
  /** Done when the last request has left, once it is to stop. */
  left: Deferred.Deferred<void> | undefined
  readonly #pace: Pace
  /** Turns of this run alone: work of one that was stopped, and does not end, takes no turn of a later one's. */
  readonly #turns = Semaphore.makeUnsafe(atOnce)
  readonly #ownTurns = Semaphore.makeUnsafe(ownAtOnce)
  /** The requests that wait for their turn. */
  #waiting = 0
  readonly #ended = Deferred.makeUnsafe<never, Unavailable>()

  constructor(started: StartedApp, scope: Scope.Closeable, pace: Pace) {
    this.started = started
    this.scope = scope
    this.#pace = pace
  }

  leave(): void {
    this.users -= 1
    this.lastUsed = performance.now()
    if (this.users === 0 && this.left !== undefined) Deferred.doneUnsafe(this.left, Exit.void)
  }

  /** Answers the requests that are still in it: nobody else does, once what they wait for is closed. */
  readonly cutOff = Effect.asVoid(Deferred.fail(this.#ended, ending))

  /**
   * The answer to a request; undefined where the environment was emptied before it got its turn. A request that is cut off
   * does not wait for its work, which may never end.
   */
  readonly answer = Effect.suspend(() => {
    const { app, isCurrent } = this.started
    const work = Effect.flatMap(isCurrent, (current) => current ? app : Effect.undefined)
    // An environment that is crowded can be emptied.
    const turn = Effect.flatMap(
      HttpServerRequest.HttpServerRequest,
      ({ url }) => isOwn(url) ? this.#ownTurns.withPermit(work) : this.#inTurn(work)
    )
    return Effect.flatMap(
      Effect.forkDetach(turn, { startImmediately: true }),
      (fiber) =>
        Effect.raceFirst(awaited(fiber), Deferred.await(this.#ended)).pipe(
          Effect.onInterrupt(() => Fiber.interrupt(fiber)),
          Effect.onExit(() => Effect.sync(() => fiber.interruptUnsafe()))
        )
    )
  })

  #inTurn<A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | Unavailable, R> {
    if (this.#waiting >= mostWaiting) return Effect.fail(crowded)
    this.#waiting += 1
    let waits = true
    const leave = Effect.sync(() => {
      if (waits) this.#waiting -= 1
      waits = false
    })
    // A caller that goes away while it waits leaves its place to another one.
    return Effect.onExit(this.#turns.withPermit(Effect.andThen(leave, this.#pace.run(work))), () => leave)
  }
}

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
type MakeApp = (
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

/** How long a request, a slice of work in the background, and a delivery wait for live at most. */
const patience = {
  requests: { rest: "1 second", quiet: "100 millis" },
  slices: { rest: "200 millis", quiet: "20 millis" },
  deliveries: { rest: "200 millis", quiet: "20 millis" }
} as const

/**
 * The answer of a service without other environments than live. A URL is refused here; a credential by the operation
 * it was sent to, which knows which ones it accepts.
 */
const withoutOthers = (live: App, exchanges: Exchanges["Service"]): App =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const isAddressed = (exchanges.of(request.source)?.environment ?? "live") !== "live"
    const source = request.source as IncomingMessage
    return isAddressed && environmentFor(undefined, source) === "live"
      ? Effect.fail(failing(RouteNotFound, `${turnedOff}.`))
      : live
  })

/**
 * Routes each request to its environment. The live application handles its requests as if there were no others; other
 * environments start at their first request. To add an environment takes a row of `environments` and a database.
 */
export const makeEnvironments = Effect.fnUntraced(function*(live: App, liveUrl: Redacted.Redacted) {
  const { databaseUrl, testDatabaseUrl, testEnvironment } = yield* AppConfig
  if (testEnvironment === "off") return { route: withoutOthers(live, yield* Exchanges) }
  const admission = yield* Admission
  const exchanges = yield* Exchanges
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof makeEnvironmentApp>>>()

  const targets = namedEnvironments.map((name) => targetOf(name, liveUrl, testDatabaseUrl))

  // One for all of them: live gives its time away once.
  const load = { begunLately: () => admission.begunLately("live"), quiet: admission.quiet("live") }
  const requests = makePace(load, patience.requests)
  const turns = {
    slices: makePace(load, patience.slices),
    deliveries: yield* deliveryTurns(makePace(load, patience.deliveries))
  }

  const hostOf = (target: EnvironmentTarget) =>
    makeEnvironmentHost({
      // Not in the context of the request that starts it: its parts would keep that request's origin and span.
      make: (events) =>
        Effect.flatMap(
          Effect.scope,
          (scope) =>
            Effect.updateContext(
              makeEnvironmentApp(target, { ...events, turns }),
              () => Context.add(context, Scope.Scope, scope)
            )
        ),
      empty: (incarnation) => empty(target, { incarnation }),
      pace: requests
    })

  const hosts = new Map(
    yield* Effect.forEach(targets, (target) => Effect.map(hostOf(target), (host) => [target.name, host] as const))
  )

  // Checked once in the background: the live environment is ready without the others. An embedded server needs no
  // check.
  if (databaseUrl !== undefined && (child?.number ?? 1) === 1) {
    yield* Effect.forEach(targets, whyNone).pipe(
      Effect.flatMap(Effect.forEach((reason) => reason === undefined ? Effect.void : Effect.logInfo(reason))),
      Effect.ignore,
      Effect.forkScoped
    )
  }

  const elsewhere = (name: EnvironmentName): App =>
    Effect.suspend(() => hosts.get(name)!.answer).pipe(
      Effect.catchTag("EnvironmentAway", ({ message }) =>
        Effect.andThen(
          Effect.logWarning(message),
          Effect.fail(failing(Unavailable, `The ${name} environment is not available. The log says why.`))
        ))
    )

  const route: App = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const name = exchanges.of(request.source)?.environment ?? "live"
    return name === "live" ? live : elsewhere(name)
  })
  return { route }
})
