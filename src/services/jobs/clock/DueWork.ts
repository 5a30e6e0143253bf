import { Effect, Schedule } from "effect"
import type { DueKind } from "../../../domain/jobs/clock/ClockStops.ts"
import { EndpointActor } from "../../delivery/EndpointActor.ts"
import { LaneJournal } from "../../delivery/LaneJournal.ts"
import { LanesWithWork } from "../../delivery/LanesWithWork.ts"
import { Slices } from "../../ground/environments/Slices.ts"
import { Sequencer } from "../../log/Sequencer.ts"
import { LeaseSweeper } from "../../licensing/floating/LeaseSweeper.ts"
import { LicenseSweeper } from "../../licensing/lifecycle/LicenseSweeper.ts"
import { UsageWarnings } from "../../licensing/warnings/UsageWarnings.ts"

/** How long receivers may take to be told of what happened: one that hangs is told later. */
const deliveredWithin = "10 seconds"

/** How long events may wait for their places, and how often they are looked at: a transaction ends within a few seconds. */
const placedWithin = "10 seconds"
const placedEvery = "20 millis"

/** How often lanes are looked at without a write of this node: those of other nodes are written there. */
const lookEvery = "50 millis"

/**
 * The work that actors do by themselves as time passes, done now: a move of the clock must not wait for their next round. It
 * is safe beside theirs, on whichever node they run: each step takes the locks that they take.
 */
export const makeDueWork = Effect.gen(function*() {
  const leases = yield* LeaseSweeper
  const licenses = yield* LicenseSweeper
  const warnings = yield* UsageWarnings
  const sequencer = yield* Sequencer
  const lanes = yield* LanesWithWork
  const actor = yield* EndpointActor
  const journal = yield* LaneJournal
  const slices = yield* Slices

  /** Wakes the lanes of this node that have work: a retry that the moved clock has made due wakes nobody by itself. */
  const wake = Effect.flatMap(
    lanes.find,
    Effect.forEach(
      ({ endpointId, overdue }) => actor.isHere(endpointId) ? actor.wake(endpointId, overdue) : Effect.void,
      { discard: true }
    )
  )

  return {
    /** Does what is due of these kinds at the time of the clock, in their order. Retries are made by {@link deliver}. */
    settle: (due: ReadonlyArray<DueKind>) =>
      Effect.gen(function*() {
        if (due.includes("leases")) yield* leases.sweep
        if (due.includes("licenses")) yield* licenses.announce
        if (due.includes("containers")) yield* licenses.lapse
        if (due.includes("warnings")) yield* warnings.sweep
      }),
    /**
     * Gives every event its place in the feed, until none `waits`: the sequencer of another node may be at work, and an event
     * waits for transactions that began before it.
     */
    place: (waits: Effect.Effect<boolean>) =>
      Effect.repeat(slices.run(sequencer.step), { until: (placed) => placed === 0 }).pipe(
        Effect.andThen(waits),
        Effect.repeat({ schedule: Schedule.spaced(placedEvery), while: (isWaiting) => isWaiting }),
        Effect.timeoutOption(placedWithin)
      ),
    /** Waits until no lane has work that it may do now. */
    deliver: lanes.find.pipe(
      Effect.tap((found) => found.length === 0 ? Effect.void : Effect.timeoutOption(journal.written, lookEvery)),
      Effect.repeat({ until: (found) => found.length === 0 }),
      (work) => Effect.andThen(wake, work),
      journal.promptly,
      Effect.timeoutOption(deliveredWithin)
    )
  }
})
