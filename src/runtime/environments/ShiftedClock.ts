import { Effect } from "effect"
import type { Clock } from "effect"

/** A clock that is ahead of `real` by a span. Waiting takes its real time. */
export const makeShiftedClock = (real: Clock.Clock) => {
  let ahead = 0
  const millis = () => real.currentTimeMillisUnsafe() + ahead
  const nanos = () => real.currentTimeNanosUnsafe() + BigInt(Math.round(ahead * 1e6))
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: real.monotonicTimeNanos,
    sleep: (duration) => real.sleep(duration)
  }
  return {
    clock,
    ahead: () => ahead,
    real: () => real.currentTimeMillisUnsafe(),
    /** Sets how far the clock is ahead, in milliseconds. */
    shift: (millis: number) => void (ahead = millis)
  }
}
