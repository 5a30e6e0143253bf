import { Effect } from "effect"
import type { JobFailure } from "../../domain/jobs/Job.ts"
import { Events } from "../events/Events.ts"
import { findJob, updateCounts, updateEnded } from "../jobs/JobSql.ts"
import { readJobInEvent } from "../jobs/JobWork.ts"
import { Database } from "../persistence/Database.ts"
import { listErasableOfJobs, lockJobsOf, updateJobReasonsErased, updateJobsErased } from "./ErasedJobSql.ts"
import type { ErasedJob } from "./ErasedJobSql.ts"

const erased: JobFailure = {
  code: "ERASED",
  message: "A customer of these licenses was erased, and the filter of the job may name the customer."
}

/** The jobs that had a license of an erased customer. All of it is part of the last step of an erasure. */
export const makeErasedJobs = Effect.gen(function*() {
  const sql = yield* Database
  const events = yield* Events

  /** Stops the running jobs whose filter may name the customer. */
  const stop = Effect.fnUntraced(function*(id: string) {
    if ((yield* updateEnded(sql, id, "stopped", erased)).length === 0) return
    yield* updateCounts(sql, id)
    const [row] = yield* findJob(sql, id)
    yield* events.append({ type: "job.stopped", resourceId: id, data: readJobInEvent(row!) })
  })

  return {
    /** Locks them, before the licenses that they change. */
    lock: (customerId: string) => lockJobsOf(sql, customerId),
    /** Takes their reasons, and what their filters say of people; answers how many rows there were. */
    erase: Effect.fnUntraced(function*(jobs: ReadonlyArray<ErasedJob>) {
      const ids = jobs.map(({ id }) => id)
      yield* Effect.forEach(jobs.filter(({ stops }) => stops), ({ id }) => stop(id), { discard: true })
      return (yield* updateJobsErased(sql, ids)).length + (yield* updateJobReasonsErased(sql, ids)).length
    }),
    /** Their events that still have a reason. */
    erasable: (jobs: ReadonlyArray<ErasedJob>) => listErasableOfJobs(sql, jobs.map(({ id }) => id))
  }
})
