import { Effect, Schedule } from "effect"
import type { Cause, LogLevel } from "effect"

/** How failures are met. */
export interface Supervision<E> {
  /** The pauses after failures in a row; it starts anew once the work has succeeded. One second each, unless given. */
  readonly retry?: Schedule.Schedule<unknown, Cause.Cause<E>>
  /** Where failures are logged: as warnings, unless given. */
  readonly level?: LogLevel.Severity
}

/**
 * Does something until it succeeds once. Every way to fail is met alike: a typed failure, a defect, and a statement that
 * could not even be built. Each is logged under `name`, and the work begins again after a pause. Only the interruption
 * of its fiber ends it early.
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
    // A schedule that ends begins anew.
    Effect.eventually
  )

/**
 * Repeats a step for ever: after each success the schedule, which is given what the step answered, says how long to
 * pause; a failure is logged and the step tried again, as {@link untilDone} does it. Steps are not traced, because they
 * belong to no request.
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
