import { Deferred, Effect } from "effect"

/** How long the steps of a stop may take together, in milliseconds, beside the drain. */
const stepsWithin = 14_000

/**
 * Until when a SIGTERM says what the first one said, in milliseconds. A signal for a whole group reaches this process,
 * and npm, which forwards its own.
 */
const sameWithin = 2_000

let drain = 0
let isGentle = false
let firstAt: number | undefined
/** Signals that this process has sent itself, and that did not arrive yet. */
const own = new Set<NodeJS.Signals>()
const hurry = Deferred.makeUnsafe<void>()

/** Waits until somebody wants the stop to take no longer than it must. */
export const hurried: Effect.Effect<void> = Deferred.await(hurry)

/** For how many milliseconds this process goes on serving when SIGTERM asks it to stop. */
export const drainsFor = (seconds: number): Effect.Effect<void> =>
  Effect.sync(() => {
    drain = seconds * 1000
  })

/**
 * A signal asks the process to stop; answers whether it is the first. A service manager sends SIGTERM and has told nobody
 * else, so there is a drain; Ctrl-C is a person who waits, and so is whoever asks again. That several processes were
 * asked at once is no repetition.
 */
export const ask = (signal: NodeJS.Signals): boolean => {
  const isFirst = firstAt === undefined
  const isOwn = own.delete(signal)
  firstAt ??= performance.now()
  if (isFirst) isGentle = signal === "SIGTERM"
  if (signal === "SIGINT" || (!isOwn && performance.now() - firstAt > sameWithin)) {
    Deferred.doneUnsafe(hurry, Effect.void)
  }
  return isFirst
}

/** Has this process stop because another one says so, or has ended. It never counts as asking again. */
export const stopOneself = (signal: NodeJS.Signals): void => {
  own.add(signal)
  process.kill(process.pid, signal)
}

/** The message of this process to its children, so that they stop as it does. */
export const signalOfStop = (): NodeJS.Signals => isGentle ? "SIGTERM" : "SIGINT"

/** The maximum duration of a stop, in milliseconds. */
export const stopWithin = (): number => stepsWithin + (isGentle ? drain : 0)

/** Waits for as long as a drain takes; not at all where nobody has asked for one. */
export const drained: Effect.Effect<void> = Effect.suspend(() => {
  if (!isGentle || drain === 0) return Effect.void
  const early = Effect.andThen(hurried, Effect.logInfo("asked to stop again, so the drain ends"))
  return Effect.asVoid(Effect.timeoutOption(early, drain))
})
