import { Cause, Context, Effect, Layer, Schema, Semaphore } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import { isSameJson } from "../../domain/ground/wire/CanonicalJson.ts"
import { isDomainError, StateConflict, TokenScopeDenied } from "../../domain/ground/wire/Errors.ts"
import type { NotFound, TokenProductDenied, ValidationError } from "../../domain/ground/wire/Errors.ts"
import { invalidField } from "../../domain/ground/wire/FieldFindings.ts"
import { Job, JobInEvent } from "../../domain/jobs/Job.ts"
import type { JobFailure } from "../../domain/jobs/Job.ts"
import type { JobAction, JobParameters } from "../../domain/jobs/LicenseJob.ts"
import type { Scope } from "../../domain/keys/security/ManagementKey.ts"
import { retagged } from "../../domain/licensing/licenses/License.ts"
import { Crowded, CurrentShare } from "../ground/admission/FairShare.ts"
import { Database, inTransaction } from "../ground/persistence/Database.ts"
import { CurrentProducts } from "../ground/persistence/ProductLimit.ts"
import { rowReader } from "../ground/persistence/RowToWire.ts"
import { isDiskFull, isPassing } from "../ground/platform/SqlState.ts"
import { Licenses } from "../licensing/licenses/Licenses.ts"
import type { HeldLicense } from "../licensing/licenses/Licenses.ts"
import { licenseJudged } from "../licensing/licenses/LicenseSearch.ts"
import { LicenseRenewals } from "../licensing/lifecycle/LicenseUpdates.ts"
import { PolicyChanges } from "../licensing/lifecycle/PolicyChanges.ts"
import { Events } from "../log/Events.ts"
import { CurrentActor, CurrentJob, CurrentReason, RequestOrigin } from "../log/Provenance.ts"
import type { Actor } from "../log/Provenance.ts"
import { ProductReach } from "../people/access/Scopes.ts"
import { makeStandingRights } from "../people/StandingRights.ts"
import { isAmong, listMatching, listPending, updateOutcome, updateSkipped } from "./JobRowSql.ts"
import type { PendingRow } from "./JobRowSql.ts"
import { findJob, lockRunning, updateCounts, updateEnded, updateWorked } from "./JobSql.ts"
import type { RunningJob } from "./JobSql.ts"

/** The reasons why a license could not be changed. */
type RowError = NotFound | StateConflict | ValidationError

const already = (what: string): JobFailure => ({ code: "ALREADY", message: `The license ${what} already.` })

/** The state of a license of which an action changes nothing. */
const unchanged: Readonly<Record<JobAction, JobFailure>> = {
  suspend: already("is suspended"),
  reinstate: already("is not suspended"),
  revoke: already("is revoked"),
  renew: already("has this end"),
  change_policy: already("is under this policy"),
  tag: already("has these tags"),
  untag: already("does not have these tags")
}

/**
 * A job acts on one license by the operation of a single license, by the same service. It is the one way from a job to a
 * license, so that what a single operation decides, refuses or asks for holds for a job as well.
 */
export class JobActions extends Context.Service<JobActions, {
  /** Does an action to a license in the surrounding transaction; answers why there was nothing to do, if so. */
  readonly run: (
    action: JobAction,
    licenseId: string,
    parameters: JobParameters,
    /** Judges the license once it is held: why it is not one of the job any more, if so. */
    judge?: Effect.Effect<JobFailure | undefined>
  ) => Effect.Effect<JobFailure | undefined, RowError>
}>()("countersign/services/jobs/JobActions") {
  static readonly layer = Layer.effect(
    JobActions,
    Effect.gen(function*() {
      const licenses = yield* Licenses
      const renewals = yield* LicenseRenewals
      const changes = yield* PolicyChanges

      const retag = Effect.fnUntraced(
        function*(held: HeldLicense, action: "tag" | "untag", tags: ReadonlyArray<string>) {
          const before = held.license.tags ?? []
          const after = retagged(before, action === "tag" ? { add: tags } : { remove: tags })
          if (after === undefined) {
            return yield* invalidField("tags", "too_long", "would be more than 20 with those there are")
          }
          if ((after ?? []).length === before.length) return held.license
          return yield* licenses.write(held, { tags: after }, { type: "license.updated" })
        }
      )

      const changed = (
        action: JobAction,
        held: HeldLicense,
        { change_policy, renew = {}, tags = [] }: JobParameters
      ) => {
        const { id } = held.license
        switch (action) {
          case "suspend":
            return licenses.suspend(id)
          case "reinstate":
            return licenses.reinstate(id)
          case "revoke":
            return licenses.revoke(id)
          case "renew":
            // A reseller makes no jobs.
            return Effect.catchTag(renewals.renew(id, renew), "TOKEN_SCOPE_DENIED", (denied) => Effect.die(denied))
          case "change_policy":
            return Effect.map(changes.change(id, change_policy!), ({ data }) => data.license)
          case "tag":
          case "untag":
            return retag(held, action, tags)
        }
      }

      const run = Effect.fn("JobActions.run")(
        function*(
          action: JobAction,
          licenseId: string,
          parameters: JobParameters,
          judge: Effect.Effect<JobFailure | undefined> = Effect.undefined
        ) {
          const held = yield* licenses.hold(licenseId)
          const left = yield* judge
          if (left !== undefined) return left
          if (action === "change_policy" && held.license.policy_id === parameters.change_policy?.policy_id) {
            return unchanged.change_policy
          }
          const after = yield* changed(action, held, parameters)
          // Times do not tell: another transaction may have written the license in the same millisecond.
          return isSameJson(after, held.license) ? unchanged[action] : undefined
        }
      )

      return JobActions.of({ run })
    })
  )
}

/** The scope that each license of a job needs, as the operation on a single license does. */
const jobScopes: ReadonlyArray<Scope> = ["license:write"]

/** How many licenses of all jobs a node changes at once. Apps and people have the other connections of the pool. */
const rowsAtOnce = 2

/** How many rows are read at a time, and how many batches one look does before others have their turn. */
const batch = 20
const batches = 10

const leftFilter: JobFailure = {
  code: "LEFT_SELECTION",
  message: "The license no longer matches the filter that the job was asked for."
}

const internal: JobFailure = { code: "INTERNAL", message: "The service failed. Its log says why." }

/** The reason why a row failed, for people. A mistake of the service itself is for its operator alone. */
const failureOf = (cause: Cause.Cause<unknown>): JobFailure => {
  const error = Cause.squash(cause)
  if (!isDomainError(error)) return internal
  const { code, fields = [], message } = error.error
  const details = fields.map((field) => `${field.path} ${field.message}`).join("; ")
  return { code, message: details === "" ? message : `${message} ${details}` }
}

const decodeStored = Schema.decodeUnknownSync(
  Schema.Struct({ action: Job.fields.action, selection: Job.fields.selection, parameters: Job.fields.parameters })
)

/** Whether a row may be done a little later: somebody holds a lock for long, or the database is away or full. It stays pending. */
const mayPass = (cause: Cause.Cause<unknown>): boolean => {
  const error = Cause.squash(cause)
  return isSqlError(error) && (isPassing(error) || isDiskFull(error) || error.reason.cause instanceof Crowded)
}

/** The rights were lost while the job ran. */
const hasLostRights = (cause: Cause.Cause<unknown>): boolean => Cause.squash(cause) instanceof TokenScopeDenied

type Stored = ReturnType<typeof decodeStored>

/** A row that is worked on, and what its job says. */
interface Working {
  readonly job: RunningJob
  readonly stored: Stored
  readonly row: PendingRow
}

export const readJobInEvent = (row: object): JobInEvent => {
  const { action, created_at, done, ended_at, failed, id, skipped, state, total } = rowReader(Job)(row)
  return {
    id,
    action,
    state,
    total,
    done,
    skipped,
    failed,
    created_at,
    ...(ended_at === undefined ? {} : { ended_at })
  }
}

/**
 * Works on jobs. Each license is one transaction: it holds the job against its end, judges the rights of whoever asked as they are
 * now, claims the row, and changes the license by the service of the single operation. So a row is done once, whatever dies.
 */
export class JobWork extends Context.Service<JobWork, {
  /** Works on a job for a while; answers whether there is more to do. */
  readonly look: (id: string) => Effect.Effect<boolean>
  /** Does an action to one license in the name of its actor, in the surrounding transaction; answers why there was nothing to do. */
  readonly act: (
    actor: Actor,
    licenseId: string,
    action: Stored["action"],
    parameters: JobParameters,
    judge?: Effect.Effect<JobFailure | undefined>
  ) => Effect.Effect<JobFailure | undefined, NotFound | RowError | TokenProductDenied>
  /** Ends a running job in the surrounding transaction; answers whether it was running. */
  readonly end: (id: string, state: "done" | "stopped" | "failed", failure?: JobFailure) => Effect.Effect<boolean>
}>()("countersign/services/jobs/JobWork") {
  static readonly layer = Layer.effect(
    JobWork,
    Effect.gen(function*() {
      const sql = yield* Database
      const actions = yield* JobActions
      const events = yield* Events
      const reach = yield* ProductReach
      const standingRights = yield* makeStandingRights
      const turns = Semaphore.makeUnsafe(rowsAtOnce)

      const act: JobWork["Service"]["act"] = Effect.fnUntraced(function*(actor, licenseId, action, parameters, judge) {
        const { products } = actor
        if (products !== undefined) {
          yield* reach.check({ of: "license", id: licenseId, isOwner: true, whole: false }, products)
        }
        return yield* actions.run(action, licenseId, parameters, judge).pipe(
          Effect.provideService(CurrentActor, actor),
          Effect.provideService(CurrentProducts, products)
        )
      })

      const end = Effect.fnUntraced(function*(
        id: string,
        state: "done" | "stopped" | "failed",
        failure?: JobFailure
      ) {
        if ((yield* updateEnded(sql, id, state, failure)).length === 0) return false
        yield* updateCounts(sql, id)
        const [row] = yield* findJob(sql, id)
        yield* events.append({ type: `job.${state}`, resourceId: id, data: readJobInEvent(row!) })
        return true
      })

      /** The reason why a license that is held is not one of the job any more; the filter is judged as it is now. */
      const stillMatches = ({ selection: { filter } }: Stored, licenseId: string) =>
        filter === undefined
          ? Effect.undefined
          : Effect.flatMap(licenseJudged(sql, filter), (conditions) =>
            Effect.map(
              listMatching(sql, [...conditions, isAmong(sql, [licenseId])], 1),
              (found) => found.length === 0 ? leftFilter : undefined
            ))

      /** One row, if nobody has done it and its job is still running. */
      const tried = ({ job, row, stored }: Working) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const at = { jobId: job.id, position: row.position }
            const [running] = yield* lockRunning(sql, job.id)
            if (running === undefined) return
            const actor = yield* standingRights({ type: job.author_type, id: job.author_id }, jobScopes)
            if ((yield* updateOutcome(sql, at, "done")).length === 0) return
            const judge = stillMatches(stored, row.license_id)
            const nothing = yield* act(actor, row.license_id, stored.action, stored.parameters, judge).pipe(
              Effect.provideService(CurrentReason, running.reason ?? undefined)
            )
            if (nothing !== undefined) yield* updateSkipped(sql, at, nothing)
          })
        ).pipe(
          Effect.provideService(CurrentJob, job.id),
          Effect.provideService(RequestOrigin, {
            requestId: job.request_id ?? undefined,
            ipAddress: undefined,
            traceparent: undefined
          }),
          // A job waits for its turn at the database, as a caller of its own does.
          Effect.provideService(CurrentShare, { address: "jobs", principal: job.id, license: row.license_id })
        )

      const noteFailure = ({ job, row }: Working, cause: Cause.Cause<unknown>) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            if ((yield* lockRunning(sql, job.id)).length === 0) return
            yield* updateOutcome(sql, { jobId: job.id, position: row.position }, "failed", failureOf(cause))
          })
        )

      /** A row with its outcome, whatever it is. A failure of the database is none of the row: the look ends with it. */
      const done = (working: Working) =>
        turns.withPermit(tried(working)).pipe(
          // Once more, as a conflict of locks or a moment without the database asks for.
          Effect.catchDefect(() => Effect.andThen(Effect.sleep("500 millis"), turns.withPermit(tried(working)))),
          Effect.catchCause((cause) =>
            Cause.hasInterruptsOnly(cause) || hasLostRights(cause) || mayPass(cause)
              ? Effect.failCause(cause)
              : Effect.andThen(
                isDomainError(Cause.squash(cause))
                  ? Effect.void
                  : Effect.logWarning(`A license of job ${working.job.id} could not be changed`, cause),
                noteFailure(working, cause)
              )
          )
        )

      const workOn = Effect.fnUntraced(function*(id: string) {
        for (let round = 0; round < batches; round++) {
          const [job] = yield* updateWorked(sql, id)
          if (job === undefined) return false
          const stored = decodeStored(job)
          const rows = yield* listPending(sql, id, batch)
          if (rows.length === 0) {
            yield* inTransaction(sql, end(id, "done"))
            return false
          }
          yield* Effect.forEach(rows, (row) => done({ job, stored, row }), { concurrency: rowsAtOnce, discard: true })
        }
        return true
      })

      const look = Effect.fn("JobWork.look")((id: string) =>
        Effect.catchCause(
          workOn(id),
          (cause) =>
            hasLostRights(cause)
              ? Effect.as(inTransaction(sql, end(id, "failed", failureOf(cause))), false)
              : Effect.failCause(cause as Cause.Cause<never>)
        )
      )

      return JobWork.of({ look, act, end })
    })
  )
}
