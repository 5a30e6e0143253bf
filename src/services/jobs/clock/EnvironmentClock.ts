import { Context, Effect, Layer } from "effect"
import type { ClockMove, ClockMoved, Environment } from "../../../domain/jobs/clock/ClockMove.ts"
import type { Deadlines } from "../../../domain/jobs/clock/ClockStops.ts"
import { clockTarget, nextStop } from "../../../domain/jobs/clock/ClockStops.ts"
import { failing, StateConflict } from "../../../domain/ground/wire/Errors.ts"
import type { ValidationError } from "../../../domain/ground/wire/Errors.ts"
import { invalidField } from "../../../domain/ground/wire/FieldFindings.ts"
import { CurrentIdempotentRequest } from "../../people/access/Idempotency.ts"
import { LanesWithWork } from "../../delivery/LanesWithWork.ts"
import { CurrentEnvironment } from "../../ground/environments/CurrentEnvironment.ts"
import { MovableClock } from "../../ground/environments/MovableClock.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Settings } from "../../ground/platform/Settings.ts"
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
import { makeDueWork } from "./DueWork.ts"

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
