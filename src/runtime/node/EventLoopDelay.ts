import { Effect, Layer } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { EventLoop } from "../../services/admission/Admission.ts"

/** The sampling interval of node's monitor, in milliseconds. */
const resolution = 20

/** The delay of this process's event loop, as node measures it. */
export const layer = Layer.effect(
  EventLoop,
  Effect.gen(function*() {
    const delay = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const histogram = monitorEventLoopDelay({ resolution })
        histogram.enable()
        return histogram
      }),
      (histogram) => Effect.sync(() => histogram.disable())
    )
    return EventLoop.of({
      lag: () => {
        // The mean is in nanoseconds and includes the sampling interval; without samples it is NaN.
        const mean = delay.mean / 1e6 - resolution
        delay.reset()
        return mean > 0 ? mean : 0
      },
      now: () => performance.now()
    })
  })
)
