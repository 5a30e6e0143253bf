import { Cause, Deferred, Effect, Exit, Fiber, Semaphore } from "effect"
import type { Scope } from "effect"
import { HttpServerRequest } from "effect/http"
import { failing, Unavailable } from "../../domain/ground/wire/Errors.ts"
import type { App } from "../../http/ground/edge/Edge.ts"
import type { Pace } from "./Pace.ts"

/** How many requests of an environment beside the live one are worked on at once; the others wait. */
export const atOnce = 4

/** How many more may wait for their turn; further ones are refused. The door lets more in, so this is what they are told. */
export const mostWaiting = 96

/** How many requests about the environment itself are worked on at once. */
const ownAtOnce = 2

/** Whether a request is about the environment itself: its clock, or its reset. */
const isOwn = (url: string): boolean => url.startsWith("/api/v1/environment")

/** The answer to a request whose environment ends before its work does. */
export const ending = failing(Unavailable, "The environment is being reset or stopped. Try again.")

/** The answer to a request for which there is no place to wait. */
const crowded = failing(
  Unavailable,
  "The environment has too many requests: it works on few at a time, and live goes first. Try again later."
)

/** An environment, started for an incarnation of its database. */
export interface StartedApp {
  readonly app: App
  readonly incarnation: string
  /** Follows the clock; whether the database still is that of the incarnation. */
  readonly isCurrent: Effect.Effect<boolean>
}

/** The result of work in a fiber of its own. Work that somebody else has ended has none, which whoever waits for it is told. */
export const awaited = <A, E>(fiber: Fiber.Fiber<A, E>): Effect.Effect<A, E | Unavailable> =>
  Effect.flatMap(
    Fiber.await(fiber),
    (exit): Effect.Effect<A, E | Unavailable> =>
      Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? Effect.fail(ending) : exit
  )

/** An environment that runs, and the requests in it, which take turns and give way to those of live. */
export class Running {
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
