import { Array as Arr, Clock, Context, Deferred, Effect, Fiber, Latch, Schedule } from "effect"
import type { Cause, Duration, LogLevel, Scope } from "effect"

/**
 * Tells a loop of this process that it has work. It is only a hint: the loop also polls, and so finds work of other
 * nodes and work whose hint was lost in a crash.
 */
export class Hint {
  readonly #latch = Latch.makeUnsafe(false)

  /** Signals that there is work. Hints coalesce. */
  readonly wake: Effect.Effect<void> = Effect.asVoid(this.#latch.open)

  /** {@link wake} for what is no effect. */
  wakeUnsafe(): void {
    this.#latch.openUnsafe()
  }

  /** Waits for a hint given since the last wait. */
  readonly await: Effect.Effect<void> = Effect.asVoid(Effect.andThen(this.#latch.await, this.#latch.close))

  /** Makes a hint that has not been given. */
  static readonly make: Effect.Effect<Hint> = Effect.sync(() => new Hint())
}

/** How failures are handled. */
export interface Supervision<E> {
  /** The pauses between consecutive failures, restarted after a success; by default one second each. */
  readonly retry?: Schedule.Schedule<unknown, Cause.Cause<E>>
  /** The level at which failures are logged; by default warning. */
  readonly level?: LogLevel.Severity
}

/**
 * The pauses before something is tried again: each twice as long as the one before, up to the longest. Once it would succeed it is
 * tried within the longest.
 */
export const doublingPauses = (
  first: Duration.Input,
  longest: Duration.Input
): Schedule.Schedule<Duration.Duration | number> =>
  Schedule.min([Schedule.exponential(first), Schedule.spaced(longest)])

/** Tells those that pause between rounds that the next one is due at once, whatever their pause. */
export interface EarlyRounds {
  /** How often rounds were called for. */
  readonly count: () => number
  /** Waits until rounds were called for more often than so many times. */
  readonly after: (count: number) => Effect.Effect<void>
}

/** The calls for early rounds, where somebody makes them: in an environment whose clock is moved. */
export const EarlyRounds = Context.Reference<EarlyRounds | undefined>(
  "countersign/services/ground/platform/EarlyRounds",
  {
    defaultValue: () => undefined
  }
)

/** {@link EarlyRounds}, and the call for them. */
export const makeEarlyRounds = (): EarlyRounds & { readonly call: () => void } => {
  let count = 0
  let next = Deferred.makeUnsafe<void>()
  const after = (seen: number): Effect.Effect<void> =>
    Effect.suspend(() => count > seen ? Effect.void : Effect.andThen(Deferred.await(next), after(seen)))
  return {
    count: () => count,
    after,
    call: () => {
      count += 1
      const called = next
      next = Deferred.makeUnsafe<void>()
      Deferred.doneUnsafe(called, Effect.void)
    }
  }
}

const sleepingAs = (clock: Clock.Clock, sleep: Clock.Clock["sleep"]): Clock.Clock => ({
  currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
  currentTimeMillis: clock.currentTimeMillis,
  currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
  currentTimeNanos: clock.currentTimeNanos,
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: clock.monotonicTimeNanos,
  sleep
})

/**
 * Repeats a step by `repeat`, whose pauses end when an early round is called for, also by a call that came during the
 * step. The step itself sleeps as ever.
 */
const withEarlyRounds = <A, E, R, B, E2, R2>(
  step: Effect.Effect<A, E, R>,
  repeat: (step: Effect.Effect<A, E, R>) => Effect.Effect<B, E2, R2>
): Effect.Effect<B, E2, R2> =>
  Effect.flatMap(EarlyRounds, (early) => {
    if (early === undefined) return repeat(step)
    return Effect.flatMap(Clock.Clock, (clock) => {
      let seen = early.count()
      const sleep: Clock.Clock["sleep"] = (pause) => Effect.raceFirst(clock.sleep(pause), early.after(seen))
      const watched = Effect.suspend(() => {
        seen = early.count()
        return Effect.provideService(step, Clock.Clock, clock)
      })
      return Effect.provideService(repeat(watched), Clock.Clock, sleepingAs(clock, sleep))
    })
  })

/**
 * Repeats an effect until it succeeds once. Every failure is handled alike: a typed error, a defect, and a statement
 * that could not even be built. Each is logged under `name`, and the effect is retried after a pause. Only interrupting
 * its fiber ends it early.
 */
export const untilDone = <A, E, R>(
  name: string,
  work: Effect.Effect<A, E, R>,
  { level = "Warn", retry = Schedule.spaced("1 second") }: Supervision<E> = {}
): Effect.Effect<A, never, R> =>
  work.pipe(
    Effect.tapCause((cause) => Effect.logWithLevel(level)(`${name} failed and is tried again`, cause)),
    Effect.sandbox,
    Effect.retry(retry),
    // A schedule that is exhausted starts again.
    Effect.eventually
  )

/**
 * Repeats a step forever. After each success the schedule, which is given the result of the step, says how long to
 * pause; a failure is logged and the step retried, as {@link untilDone} does. A call for early rounds ends the pause. Steps
 * are not traced, because they belong to no request.
 */
export const supervised = <A, E, R>(
  name: string,
  step: Effect.Effect<A, E, R>,
  schedule: Schedule.Schedule<unknown, NoInfer<A>>,
  supervision: Supervision<NoInfer<E>> = {}
): Effect.Effect<never, never, R> =>
  withEarlyRounds(step, (round) => Effect.forever(Effect.repeat(untilDone(name, round, supervision), schedule))).pipe(
    Effect.withTracerEnabled(false)
  )

/**
 * {@link supervised} in the background of a scope: it pauses before each step, also before the first and after a
 * failure.
 */
export const periodically = <A, E, R>(
  name: string,
  step: Effect.Effect<A, E, R>,
  pause: Duration.Input,
  level: LogLevel.Severity = "Warn"
): Effect.Effect<unknown, never, R | Scope.Scope> => {
  const schedule = Schedule.spaced(pause)
  return Effect.forkScoped(Effect.delay(supervised(name, step, schedule, { level, retry: schedule }), pause))
}

/** How long work that must not be cut in two goes on when its actor moves to another node, or its node stops. */
const endsWithin: Duration.Input = "5 seconds"

/**
 * Work that has an effect elsewhere and then writes so: interrupted, it goes on for {@link endsWithin}, and only then is given up.
 * Whoever interrupts it waits for that. Cut in between, it would be done once more by the next node.
 */
export const toItsEnd = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(
      Effect.forkDetach(Effect.interruptible(work), { startImmediately: true }),
      (fiber) =>
        Effect.onInterrupt(restore(Fiber.join(fiber)), () =>
          Effect.andThen(Effect.timeoutOption(Fiber.await(fiber), endsWithin), Fiber.interrupt(fiber)))
    )
  )

/** How many items one statement writes behind. */
const writtenAtOnce = 500

/**
 * Writes items in the background of a scope (write-behind): when it is told that some wait, but a second after the last time at the
 * earliest, and once more when the scope closes. Answers what tells it so. `take` answers what waits, and empties it. A batch that
 * cannot be written is dropped, which `lost` says, and does not keep the next one from being written.
 */
export const writeBehind = <Item, E, R>(
  { lost, name, take, write }: {
    readonly name: string
    readonly lost: string
    readonly take: () => ReadonlyArray<Item>
    readonly write: (batch: ReadonlyArray<Item>) => Effect.Effect<unknown, E, R>
  }
): Effect.Effect<() => void, never, R | Scope.Scope> => {
  const waiting = new Hint()
  const written = (batch: ReadonlyArray<Item>) =>
    Effect.catchCause(write(batch), (cause) => Effect.logWarning(lost, cause))
  const flush = Effect.suspend(() => Effect.forEach(Arr.chunksOf(take(), writtenAtOnce), written, { discard: true }))
    .pipe(Effect.withTracerEnabled(false))
  const whenSomeWait = supervised(name, Effect.andThen(waiting.await, flush), Schedule.spaced("1 second"))
  return Effect.addFinalizer(() => flush).pipe(
    Effect.andThen(Effect.forkScoped(whenSomeWait)),
    Effect.as(() => waiting.wakeUnsafe())
  )
}
