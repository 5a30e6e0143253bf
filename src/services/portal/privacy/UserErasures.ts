import { Context, Effect, Layer } from "effect"
import { parseMembers } from "../../../domain/ground/parsing/JsonMembers.ts"
import type { NotFound } from "../../../domain/ground/wire/Errors.ts"
import type { JobFailure } from "../../../domain/jobs/Job.ts"
import type { LicenseUserErasure } from "../../../domain/licensing/users/UserSignIn.ts"
import { makeExportPieces } from "../../evidence/exports/ExportClaims.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { findJob, updateCounts, updateEnded } from "../../jobs/JobSql.ts"
import { readJobInEvent } from "../../jobs/JobWork.ts"
import { Devices } from "../../licensing/licenses/Devices.ts"
import { Licenses } from "../../licensing/licenses/Licenses.ts"
import { LicenseUsers, readUser, userEvent } from "../../licensing/licenses/LicenseUsers.ts"
import { listDevicesOfUsers } from "../../licensing/licenses/LicenseUserSql.ts"
import { Events } from "../../log/Events.ts"
import type { Steps } from "../../people/access/Idempotency.ts"
import {
  countNaming,
  erasedAtOnce,
  insertErasure,
  listApprovalsOf,
  listJobsOf,
  lockApprovalsOf,
  lockErasureNumbers,
  lockJobsOf,
  updateApprovalsErased,
  updateEventsErased,
  updateExpiredNaming,
  updateJobsErased,
  updateQueuedAnew
} from "./ErasureSql.ts"
import type { ErasedJob } from "./ErasureSql.ts"
import {
  countReasons,
  deleteMailsOfUser,
  listErasableOf,
  listErasableOfUser,
  listReasonsOfUser,
  updateDevicesOfUserErased,
  updateReasonsErased,
  updateReasonsTaken,
  updateSuppressionsOfUserErased,
  updateUserErased
} from "./OwnedSpanSql.ts"
import type { UserOfLicense } from "./OwnedSpanSql.ts"

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

/**
 * Removes the exports that hold personal values of a customer. A frozen snapshot cannot be changed, because its digest
 * is signed: the export expires, and only its digests and manifest stay. An export still in progress starts again from
 * the tables as they are then.
 */
export const makeErasedExports = (sql: Database) => {
  const pieces = makeExportPieces(sql)

  /** How many exports {@link makeErasedExports} would let expire. */
  const count = (customerId: string, inherited: ReadonlyArray<string>) =>
    Effect.map(countNaming(sql, { customerId, inherited }), ([row]) => row!.count)

  const expireNaming = Effect.fnUntraced(function*(named: Parameters<typeof updateExpiredNaming>[1]) {
    yield* updateQueuedAnew(sql, named)
    const ids = (yield* updateExpiredNaming(sql, named)).map(({ id }) => id)
    if (ids.length > 0) yield* sql.afterCommit(Effect.forEach(ids, pieces.discard, { discard: true }))
    return ids.length
  })

  /**
   * Runs in the erasure's last transaction, after the tables are erased; returns the number of exports that expired.
   * Their files are removed after the commit; from the commit on they are no longer served.
   *
   * No export can slip through. Erasures are numbered under a lock that conflicts with the one for freezing a snapshot.
   * A snapshot frozen before is seen here; one frozen later finds an erasure newer than the data it was read from.
   */
  const expire = Effect.fnUntraced(function*(customerId: string, inherited: ReadonlyArray<string>) {
    yield* lockErasureNumbers(sql).unprepared
    yield* insertErasure(sql, customerId)
    return yield* expireNaming({ customerId, inherited })
  })

  /** The same for audits that show the reasons of some activities. */
  const expireAudits = (activities: ReadonlyArray<string>) =>
    Effect.andThen(lockErasureNumbers(sql).unprepared, expireNaming({ customerId: null, inherited: activities }))

  return { count, expire, expireAudits }
}

/** Erases the personal values of one user of a license from the service and its history. */
export class UserErasures extends Context.Service<UserErasures, {
  /**
   * Ends the user, and erases the name, address and account, what the user's devices are called, and the personal values in the events about
   * both. The commitments in the events stay, so that every proof still verifies. The first step is many short transactions, and the last is
   * one. Repeating it changes nothing.
   */
  readonly erase: (licenseId: string, userId: string) => Steps<number, LicenseUserErasure, NotFound>
}>()("countersign/services/portal/privacy/UserErasures") {
  static readonly layer = Layer.effect(
    UserErasures,
    Effect.gen(function*() {
      const sql = yield* Database
      const devices = yield* Devices
      const events = yield* Events
      const licenses = yield* Licenses
      const users = yield* LicenseUsers
      const exports = makeErasedExports(sql)

      /** Erases events of the user until fewer than a slice are left; answers how many. */
      const eraseEvents = Effect.fnUntraced(function*(user: UserOfLicense) {
        let erased = 0
        for (let found = erasedAtOnce; found === erasedAtOnce;) {
          const some = yield* listErasableOfUser(sql, user, erasedAtOnce)
          if (some.length > 0) yield* updateEventsErased(sql, some)
          found = some.length
          erased += found
        }
        return erased
      })

      const last = (user: UserOfLicense, before: number) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const { licenseId, userId } = user
            yield* licenses.hold(licenseId)
            yield* users.get(licenseId, userId)
            const used = yield* listDevicesOfUsers(sql, licenseId, [userId])
            yield* devices.resetSome(licenseId, used.map(({ id }) => id))
            yield* deleteMailsOfUser(sql, user)
            yield* updateSuppressionsOfUserErased(sql, user)
            const named = yield* updateDevicesOfUserErased(sql, user)
            const [ended] = yield* updateUserErased(sql, user)
            const inEvents = before + (yield* eraseEvents(user))
            const reasons = (yield* listReasonsOfUser(sql, user)).map(({ id }) => id)
            const expired = reasons.length === 0 ? 0 : yield* exports.expireAudits(reasons)
            yield* updateReasonsTaken(sql, reasons)
            if (ended !== undefined) {
              yield* events.append({
                ...userEvent("license.user_removed")(readUser(ended)),
                look: "erase_customer"
              })
            }
            return {
              user: yield* users.get(licenseId, userId),
              events: inEvents,
              exports: expired,
              devices: named.length,
              reasons: reasons.length
            }
          }).pipe(Effect.withSpan("UserErasures.last"))
        )

      return UserErasures.of({
        erase: (licenseId, userId) => {
          const user = { licenseId, userId }
          const judge = Effect.asVoid(users.get(licenseId, userId))
          return {
            judge,
            first: Effect.andThen(judge, eraseEvents(user)),
            last: (before) => last(user, before)
          }
        }
      })
    })
  )
}
