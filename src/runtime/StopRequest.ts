import { Deferred, Effect } from "effect"

/** How long the steps of a stop may take together, in milliseconds, beside the drain. */
const stepsWithin = 14_000

let drain = 0
let isGentle = false
const hurry = Deferred.makeUnsafe<void>()

/** Waits until somebody wants the stop to take no longer than it must. */
export const hurried: Effect.Effect<void> = Deferred.await(hurry)

/** For how many milliseconds this process goes on serving when SIGTERM asks it to stop. */
export const drainsFor = (seconds: number): Effect.Effect<void> =>
  Effect.sync(() => {
    drain = seconds * 1000
  })

/**
 * The process is asked to stop. A service manager sends SIGTERM and has told nobody else, so there is a drain; Ctrl-C is a
 * person who waits, and so is whoever asks a second time.
 */
export const ask = (signal: NodeJS.Signals, isFirst: boolean): void => {
  if (isFirst && signal === "SIGTERM") isGentle = true
  else Deferred.doneUnsafe(hurry, Effect.void)
}

/** What this process tells those that it runs, so that they stop as it does. */
export const signalOfStop = (): NodeJS.Signals => isGentle ? "SIGTERM" : "SIGINT"

/** The maximum duration of a stop, in milliseconds. */
export const stopWithin = (): number => stepsWithin + (isGentle ? drain : 0)

/** Waits for as long as a drain takes; not at all where nobody has asked for one. */
export const drained: Effect.Effect<void> = Effect.suspend(() =>
  isGentle && drain > 0 ? Effect.asVoid(Effect.timeoutOption(hurried, drain)) : Effect.void
)
