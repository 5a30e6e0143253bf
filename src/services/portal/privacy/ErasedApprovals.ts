import { Effect } from "effect"
import { parseMembers } from "../../../domain/ground/parsing/JsonMembers.ts"
import type { JobFailure } from "../../../domain/jobs/Job.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { findJob, updateCounts, updateEnded } from "../../jobs/JobSql.ts"
import { readJobInEvent } from "../../jobs/JobWork.ts"
import { Events } from "../../log/Events.ts"
import {
  listApprovalsOf,
  listJobsOf,
  lockApprovalsOf,
  lockJobsOf,
  updateApprovalsErased,
  updateJobsErased
} from "./ErasureSql.ts"
import type { ErasedJob } from "./ErasureSql.ts"
import { countReasons, listErasableOf, updateReasonsErased } from "./OwnedSpanSql.ts"

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

/** A request for a second person, and its body. */
interface AskedRequest {
  readonly id: string
  readonly operation: string
  readonly body: string | null
}

/** The operations whose bodies name customers. */
const ofCustomers: ReadonlySet<string> = new Set(["updateCustomer", "updateLicense", "transferLicense"])

/**
 * A request whose body has no reason. All else of it stays as it is written: by that, a request is known when it is sent again. A body that
 * names a customer goes, and what was asked for with it can no longer be done.
 */
const withoutReason = ({ body, id, operation }: AskedRequest): Omit<AskedRequest, "operation"> => {
  if (body === null || ofCustomers.has(operation)) return { id, body: null }
  const { reason, ...rest } = parseMembers(body)
  if (reason === undefined) return { id, body }
  return { id, body: Object.keys(rest).length === 0 ? null : JSON.stringify(rest) }
}

/** The requests for a second person that are about an erased customer. All of it is part of the last step of an erasure. */
export const makeErasedApprovals = Effect.gen(function*() {
  const sql = yield* Database

  return {
    /** Locks them. */
    lock: (customerId: string) => lockApprovalsOf(sql, customerId),
    /** How many reasons and events of them {@link erase} and an erasure of events would take. */
    count: Effect.fnUntraced(function*(customerId: string) {
      const ids = (yield* listApprovalsOf(sql, customerId)).map(({ id }) => id)
      const [activities] = yield* countReasons(sql, "approval", ids)
      return { reasons: activities!.reasons, events: (yield* listErasableOf(sql, ids)).length }
    }),
    /** Takes their reasons; answers how many activities there were. */
    erase: Effect.fnUntraced(function*(asked: ReadonlyArray<AskedRequest>) {
      yield* updateApprovalsErased(sql, asked.map(withoutReason))
      return (yield* updateReasonsErased(sql, "approval", asked.map(({ id }) => id))).length
    }),
    /** Their events that still have a reason. */
    erasable: (asked: ReadonlyArray<AskedRequest>) => listErasableOf(sql, asked.map(({ id }) => id))
  }
})
