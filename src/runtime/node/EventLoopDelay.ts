import { Effect, Layer } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { EventLoop } from "../../services/ground/admission/Admission.ts"

/** The sampling interval of node's monitor, in milliseconds. */
const resolution = 20

/**
 * How long the delay is measured after it was read, in milliseconds: longer than load control can use a measurement.
 * Without requests nobody reads it, and sampling would wake an idle process.
 */
const restAfter = 2_000

/** The delay of this process's event loop, as node measures it. */
export const layer = Layer.effect(
  EventLoop,
  Effect.gen(function*() {
    const { delay, resting } = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const delay = monitorEventLoopDelay({ resolution })
        return { delay, resting: setTimeout(() => delay.disable(), restAfter).unref() }
      }),
      ({ delay, resting }) =>
        Effect.sync(() => {
          clearTimeout(resting)
          delay.disable()
        })
    )
    return EventLoop.of({
      lag: () => {
        resting.refresh()
        // A measurement from before a pause is of no use, and the pause itself is no delay.
        if (delay.enable()) delay.reset()
        // The mean is in nanoseconds and includes the sampling interval; without samples it is NaN.
        const mean = delay.mean / 1e6 - resolution
        delay.reset()
        return mean > 0 ? mean : 0
      },
      now: () => performance.now()
    })
  })
)
