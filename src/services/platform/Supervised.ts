import { Effect, Schedule } from "effect"
import type { Cause, Duration, LogLevel, Scope } from "effect"

/** How failures are handled. */
export interface Supervision<E> {
  /** The pauses between consecutive failures, restarted after a success; by default one second each. */
  readonly retry?: Schedule.Schedule<unknown, Cause.Cause<E>>
  /** The level at which failures are logged; by default warning. */
  readonly level?: LogLevel.Severity
}

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
 * pause; a failure is logged and the step retried, as {@link untilDone} does. Steps are not traced, because they belong
 * to no request.
 */
export const supervised = <A, E, R>(
  name: string,
  step: Effect.Effect<A, E, R>,
  schedule: Schedule.Schedule<unknown, NoInfer<A>>,
  supervision: Supervision<NoInfer<E>> = {}
): Effect.Effect<never, never, R> =>
  untilDone(name, step, supervision).pipe(
    Effect.repeat(schedule),
    Effect.forever,
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
