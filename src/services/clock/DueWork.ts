import { Effect, Schedule } from "effect"
import { LanesWithWork } from "../delivery/LanesWithWork.ts"
import { Sequencer } from "../events/Sequencer.ts"
import { LeaseSweeper } from "../floating/LeaseSweeper.ts"
import { LicenseSweeper } from "../lifecycle/LicenseSweeper.ts"

/** How long receivers may take to be told of what happened: one that hangs is told later. */
const deliveredWithin = "10 seconds"

/**
 * The work that actors do by themselves as time passes, done now: a move of the clock must not wait for their next round. It
 * is safe beside theirs, on whichever node they run: each step takes the locks that they take.
 */
export const makeDueWork = Effect.gen(function*() {
  const leases = yield* LeaseSweeper
  const licenses = yield* LicenseSweeper
  const sequencer = yield* Sequencer
  const lanes = yield* LanesWithWork

  return {
    /** Does everything that is due at the time of the clock. */
    settle: Effect.andThen(leases.sweep, licenses.sweep),
    /** Gives every event its place in the feed. */
    place: Effect.repeat(sequencer.step, { until: (placed) => placed === 0 }),
    /** Waits until no lane has work that it may do now. */
    deliver: lanes.find.pipe(
      Effect.repeat({ schedule: Schedule.spaced("50 millis"), until: (found) => found.length === 0 }),
      Effect.timeoutOption(deliveredWithin)
    )
  }
})
