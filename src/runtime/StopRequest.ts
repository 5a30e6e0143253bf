import { Deferred, Effect } from "effect"

/** How long the steps of a stop may take together, in milliseconds, beside the drain. */
const stepsWithin = 14_000

/**
 * How long a further SIGTERM counts as the same one, in milliseconds. A signal for a whole group reaches this process
 * and npm, which forwards its own.
 */
const sameWithin = 2_000

let drain = 0
let isGentle = false
let firstAt: number | undefined
/** Signals that this process has sent to itself and not received yet. */
const own = new Set<NodeJS.Signals>()
const hurry = Deferred.makeUnsafe<void>()

/** Waits until somebody asks to skip the drain. */
export const hurried: Effect.Effect<void> = Deferred.await(hurry)

/** How long this process drains after a SIGTERM, in milliseconds. */
export const drainsFor = (seconds: number): Effect.Effect<void> =>
  Effect.sync(() => {
    drain = seconds * 1000
  })

/**
 * Takes a signal that stops the process; answers whether it is the first. A service manager sends SIGTERM without
 * telling the load balancer, so there is a drain. Ctrl-C is a person who waits, and a second signal skips the drain.
 * One signal to several processes counts once.
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

/** Stops this process because another process asked for it, or has ended. It never counts as a second signal. */
export const stopOneself = (signal: NodeJS.Signals): void => {
  own.add(signal)
  process.kill(process.pid, signal)
}

/** The signal that this process sends to its children, so that they stop as it does. */
export const signalOfStop = (): NodeJS.Signals => isGentle ? "SIGTERM" : "SIGINT"

/** The maximum duration of a stop, in milliseconds. */
export const stopWithin = (): number => stepsWithin + (isGentle ? drain : 0)

/** Waits for the duration of the drain; not at all if no stop was requested. */
export const drained: Effect.Effect<void> = Effect.suspend(() => {
  if (!isGentle || drain === 0) return Effect.void
  const early = Effect.andThen(hurried, Effect.logInfo("asked to stop again, so the drain ends"))
  return Effect.asVoid(Effect.timeoutOption(early, drain))
})
