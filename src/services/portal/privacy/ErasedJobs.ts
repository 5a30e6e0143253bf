import { Effect } from "effect"
import type { JobFailure } from "../../../domain/jobs/Job.ts"
import { Events } from "../../log/Events.ts"
import { findJob, updateCounts, updateEnded } from "../../jobs/JobSql.ts"
import { readJobInEvent } from "../../jobs/JobWork.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { listJobsOf, lockJobsOf, updateJobsErased } from "./ErasedJobSql.ts"
import type { ErasedJob } from "./ErasedJobSql.ts"
import { countReasons, listErasableOf, updateReasonsErased } from "./ErasedReasonSql.ts"

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
    /** How many there are, and how many events and activities of them, from which {@link erase} and an erasure of events would take. */
    count: Effect.fnUntraced(function*(customerId: string) {
      const found = yield* listJobsOf(sql, customerId)
      const ids = found.map(({ id }) => id)
      const [activities] = yield* countReasons(sql, "job", ids)
      return {
        jobs: found.filter(({ is_personal }) => is_personal).length,
        reasons: activities!.reasons,
        events: (yield* listErasableOf(sql, ids)).length
      }
    }),
    /** Takes their reasons, and what their filters say of people; answers how many jobs and activities there were. */
    erase: Effect.fnUntraced(function*(jobs: ReadonlyArray<ErasedJob>) {
      const ids = jobs.map(({ id }) => id)
      yield* Effect.forEach(jobs.filter(({ stops }) => stops), ({ id }) => stop(id), { discard: true })
      return {
        jobs: (yield* updateJobsErased(sql, ids)).length,
        reasons: (yield* updateReasonsErased(sql, "job", ids)).length
      }
    }),
    /** Their events that still have a reason. */
    erasable: (jobs: ReadonlyArray<ErasedJob>) => listErasableOf(sql, jobs.map(({ id }) => id))
  }
})
