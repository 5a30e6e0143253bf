import { Context, Effect, Layer, Schedule } from "effect"
import { failing, StateConflict } from "../../../domain/ground/wire/Errors.ts"
import type { ValidationError } from "../../../domain/ground/wire/Errors.ts"
import { invalidField } from "../../../domain/ground/wire/FieldFindings.ts"
import type { ClockMove, ClockMoved, Environment } from "../../../domain/jobs/clock/ClockMove.ts"
import type { Deadlines, DueKind } from "../../../domain/jobs/clock/ClockStops.ts"
import { clockTarget, nextStop } from "../../../domain/jobs/clock/ClockStops.ts"
import { EndpointActor } from "../../delivery/EndpointActor.ts"
import { LaneJournal } from "../../delivery/LaneJournal.ts"
import { LanesWithWork } from "../../delivery/LanesWithWork.ts"
import { CurrentEnvironment, MovableClock, Slices } from "../../ground/environments/CurrentEnvironment.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Settings } from "../../ground/platform/Settings.ts"
import { LeaseSweeper } from "../../licensing/floating/Leases.ts"
import { LicenseSweeper } from "../../licensing/lifecycle/LicenseSweeper.ts"
import { UsageWarnings } from "../../licensing/warnings/UsageWarnings.ts"
import { Sequencer } from "../../log/Sequencer.ts"
import { CurrentIdempotentRequest } from "../../people/access/Idempotency.ts"
import {
  countEventsSince,
  findClock,
  findMove,
  findNextDeadlines,
  findUnplaced,
  insertMove,
  updateClock
} from "./ClockSql.ts"
import type { DeadlineRow } from "./ClockSql.ts"

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

const fixed = failing(
  StateConflict,
  "The clock of the live environment is real time and cannot be moved. Use a token of the test environment, which " +
    "`countersign token --environment test` prints."
)

const deadlinesOf = ({ containers, leases, licenses, retries, warnings }: DeadlineRow): Deadlines => ({
  containers: containers?.getTime(),
  leases: leases?.getTime(),
  licenses: licenses?.getTime(),
  warnings: warnings?.getTime(),
  retries: retries?.getTime()
})

const beingMoved = failing(StateConflict, "The clock is being moved by another request. Try again when that has ended.")

/** The clock of the environment. */
export class EnvironmentClock extends Context.Service<EnvironmentClock, {
  readonly read: Effect.Effect<Environment>
  /**
   * Moves the clock forward, one move after the other. It stops at each deadline on the way, so that what is due happens at
   * its own time and in its order; when this answers, the events are in the feed, and receivers that answer were told.
   */
  readonly move: (to: ClockMove) => Effect.Effect<ClockMoved, StateConflict | ValidationError>
}>()("countersign/services/jobs/clock/EnvironmentClock") {
  static readonly layer = Layer.effect(
    EnvironmentClock,
    Effect.gen(function*() {
      const sql = yield* Database
      const name = yield* CurrentEnvironment
      const { environments } = yield* Settings
      const clock = yield* MovableClock
      // Lanes are looked at apart from the dispatcher, which needs to learn of the same changes.
      const work = clock === undefined
        ? undefined
        : yield* Effect.provide(makeDueWork, Layer.fresh(LanesWithWork.layer))

      const read = Effect.map(findClock(sql), ([row]): Environment => ({
        name,
        now: row!.now.toISOString(),
        clock_moved: (clock?.ahead() ?? 0) !== 0,
        available: environments
      }))

      /** Where a move leads. A repeat leads where the first request did: a span is not added twice. */
      const targetOf = Effect.fnUntraced(function*(now: number, to: ClockMove) {
        const request = yield* CurrentIdempotentRequest
        const key = request === undefined ? undefined : `${request.principal} ${request.key}`
        const [known] = key === undefined ? [] : yield* findMove(sql, key)
        if (known !== undefined) return known.target.getTime()
        const target = clockTarget(now, to)
        if (typeof target !== "number") return yield* invalidField(target.path, "invalid_value", target.message)
        const [kept] = key === undefined ? [] : yield* insertMove(sql, key, new Date(target))
        return kept?.target.getTime() ?? target
      })

      const move = Effect.fn("EnvironmentClock.move")(function*(to: ClockMove) {
        if (clock === undefined || work === undefined) return yield* fixed
        if (!(yield* clock.takeTurn)) return yield* beingMoved
        const [before] = yield* findClock(sql)
        const start = before!.now.getTime()
        const target = yield* targetOf(start, to)
        let at = start
        for (let steps = 0; at < target; steps++) {
          const [row] = yield* findNextDeadlines(sql)
          const stop = nextStop({ start, steps, from: at, target, deadlines: deadlinesOf(row!) })
          const [moved] = yield* updateClock(sql, new Date(stop.at))
          yield* clock.follow
          yield* work.settle(stop.due)
          at = Math.max(stop.at, moved!.now.getTime())
        }
        const [settled] = yield* findClock(sql)
        yield* work.place(Effect.map(findUnplaced(sql, settled!.ordinal), ([row]) => row!.waits))
        yield* clock.announce
        yield* work.deliver
        const [[counted], [after]] = yield* Effect.all([countEventsSince(sql, before!.ordinal), findClock(sql)])
        return { now: after!.now.toISOString(), events: Number(counted!.count) }
      }, Effect.scoped)

      return EnvironmentClock.of({ read, move })
    })
  )
}
