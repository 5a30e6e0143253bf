import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Runtime } from "effect"
import { ask, stopOneself, stopWithin } from "./StopRequest.ts"
import { exitCodeOf } from "./terminal/ExitCode.ts"
import { printNotice } from "./terminal/Printing.ts"

const isFailure = (value: unknown): value is { readonly message: string } =>
  typeof value === "object" && value !== null && "_tag" in value && "message" in value &&
  typeof value.message === "string" && value.message !== ""

/**
 * The message for the terminal about the end of a program; `undefined` when there is nothing to say or it was already
 * said. A typed failure is one message; a defect includes its stack.
 */
const describe = (cause: Cause.Cause<unknown>): string | undefined => {
  const reason = cause.reasons.find((reason) => !Cause.isInterruptReason(reason))
  if (reason === undefined || !Runtime.getErrorReported(Cause.squash(cause))) return undefined
  return Cause.isFailReason(reason) && isFailure(reason.error) ? reason.error.message : Cause.pretty(cause)
}

/** Says on standard error why an effect failed, as a program does before it ends. */
export const reporting = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.tapCause(effect, (cause) => {
    const text = describe(cause)
    return text === undefined ? Effect.void : printNotice(text.split("\n"))
  })

/** Whether the running command continues until it is stopped. */
let isEndless = false

/**
 * Marks a command that runs until it is stopped: a stop is its normal end, with exit code 0. Any other stopped
 * command is incomplete, and exits with 130.
 */
export const untilStopped: Effect.Effect<void> = Effect.sync(() => {
  isEndless = true
})

/** How a program's end becomes its exit code. */
export const exitingWith: Runtime.Teardown = (exit, onExit) =>
  Runtime.defaultTeardown(exit, (code) => onExit(exit._tag === "Failure" ? exitCodeOf(exit.cause) ?? code : code))

/**
 * npm forwards SIGTERM to the shell that runs a script, and the shell exits without forwarding it. A program started by
 * npm therefore treats the end of its parent as SIGTERM.
 */
const followShell = (): void => {
  if (process.env["npm_lifecycle_event"] === undefined) return
  const shell = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(watch)
    stopOneself("SIGTERM")
  }, 200)
  watch.unref()
}

/**
 * Runs an effect as this process until SIGINT or SIGTERM. When the effect fails, it exits with the code of the failure
 * ({@link exitCodeOf}) and a message on standard error; and with 1 when it has not ended 14 seconds after the signal and
 * its drain. An exit at that point is safe, because the service survives a crash.
 */
export const runMain = <E, A>(effect: Effect.Effect<A, E>): void => {
  followShell()
  let isSignalled = false
  const onSignal = (signal: NodeJS.Signals) => {
    if (!ask(signal)) return
    isSignalled = true
    const patience = stopWithin()
    setTimeout(() => {
      console.error(`The stop was not done after ${patience / 1000} s, so the process ends now.`)
      process.exit(1)
    }, patience).unref()
  }
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, onSignal)
  // A requested stop of a service is not a failure once everything is closed.
  const teardown: Runtime.Teardown = (exit, onExit) =>
    exitingWith(exit, (code) => onExit(isSignalled && isEndless && code === 130 ? 0 : code))
  NodeRuntime.runMain(reporting(effect), { disableErrorReporting: true, teardown })
}
