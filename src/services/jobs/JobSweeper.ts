import { Context, Effect, Layer, Schedule } from "effect"
import { Database } from "../persistence/Database.ts"
import { supervised } from "../platform/Supervised.ts"
import { swept } from "../platform/Sweeps.ts"
import { JobActor } from "./JobActor.ts"
import { deleteOldJobs, listLeft } from "./JobSql.ts"

/** The pause between sweeps: how late a job goes on whose node died. */
const every = Schedule.spaced("1 second")

/** Finds running jobs that nobody works on, because a node died or a message was lost, and deletes those that ended long ago. */
export class JobSweeper extends Context.Service<JobSweeper, {
  readonly run: Effect.Effect<never>
}>()("countersign/services/jobs/JobSweeper") {
  static readonly layer = Layer.effect(
    JobSweeper,
    Effect.gen(function*() {
      const sql = yield* Database
      const actor = yield* JobActor
      const sweep = Effect.gen(function*() {
        const left = yield* listLeft(sql)
        yield* Effect.forEach(left, ({ id }) => actor.wake(id), { discard: true })
        yield* deleteOldJobs(sql)
      })
      return JobSweeper.of({
        run: supervised("A sweep of the jobs", swept("jobs", sweep), every, { retry: Schedule.spaced("5 seconds") })
      })
    })
  )
}
