import { Context, Effect, Layer } from "effect"
import { Agenda } from "../ground/agenda/Agenda.ts"
import { Database } from "../ground/persistence/Database.ts"
import { swept } from "../ground/platform/Sweeps.ts"
import { JobActor } from "./JobActor.ts"
import { deleteOldJobs, jobsDue, listLeft } from "./JobSql.ts"

/** Finds running jobs that nobody works on, because a node died or a message was lost, and deletes those that ended long ago. */
export class JobSweeper extends Context.Service<JobSweeper, {
  readonly run: Effect.Effect<never>
}>()("countersign/services/jobs/JobSweeper") {
  static readonly layer = Layer.effect(
    JobSweeper,
    Effect.gen(function*() {
      const sql = yield* Database
      const agenda = yield* Agenda
      const actor = yield* JobActor
      const sweep = Effect.gen(function*() {
        const left = yield* listLeft(sql)
        yield* Effect.forEach(left, ({ id }) => actor.wake(id), { discard: true })
        yield* deleteOldJobs(sql)
      })
      return JobSweeper.of({
        run: agenda.follow({
          name: "A sweep of the jobs",
          topic: "jobs",
          due: () => jobsDue(sql),
          look: swept("jobs", sweep),
          rest: "1 second",
          retry: "5 seconds"
        })
      })
    })
  )
}
