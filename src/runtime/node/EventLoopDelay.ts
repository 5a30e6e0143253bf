import { Effect, Layer } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { EventLoop } from "../../services/admission/Admission.ts"

/** How often node looks at the event loop, in milliseconds. */
const resolution = 20

/** The lateness of this process's event loop, as node measures it. */
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
        // In nanoseconds, the time between two looks included; no look at all is no number.
        const mean = delay.mean / 1e6 - resolution
        delay.reset()
        return mean > 0 ? mean : 0
      },
      now: () => performance.now()
    })
  })
)
